/* SPDX-License-Identifier: MIT */
/*
 * The processor time of all tasks but those in the root group of cgroup v2: the sum over the root's children, which the kernel counts in
 * nanoseconds (only the root's own is made of ticks). All readers of a run share the sum, since groups come and go: what a group used between its
 * last reading and its end is missing.
 */
#ifndef LOAD_GROUP_SUM_H
#define LOAD_GROUP_SUM_H

#include <stdbool.h>
#include <stdint.h>

#include "showstopper/module.h"

struct group_sum;

#define GROUP_SUM_ERROR_MAX 256

/*
 * Opens it where the root group of the machine can be seen, and takes a first reading. `suits`, where not NULL, receives whether a run is best
 * measured by it: this process is in one of the groups, as what it starts will be, and they are few enough to be read often. NULL with a
 * message.
 */
struct group_sum *group_sum_open(const struct sst_env *env, bool *suits, char error[static GROUP_SUM_ERROR_MAX]);
void group_sum_close(struct group_sum *sum, const struct sst_env *env);

/*
 * The time since it was opened, and when that was read, which is earlier than now where another process is reading. 0, or -1 with errno: the
 * root can't be listed.
 */
int group_sum_read(struct group_sum *sum, const struct sst_env *env, uint64_t *used_ns, int64_t *when_ns);

#endif
