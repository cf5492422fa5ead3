/* SPDX-License-Identifier: MIT */
/* The processors that processes may use: sched_getaffinity(2), sched_setaffinity(2). */
#ifndef OS_AFFINITY_H
#define OS_AFFINITY_H

#include <stdbool.h>
#include <sys/types.h>

#include "showstopper/module.h"

/* Those that the calling process may use and that are online, as a block that the caller frees. NULL with errno. */
struct sst_cpus *linux_affinity_get(void);

/* Whether a thread may use those processors and no other. False for one whose mask can't be had. */
bool linux_affinity_is(pid_t thread, const struct sst_cpus *cpus);

/*
 * Binds a thread (0: the calling one), and what it starts from then on, to those processors. 0, or -1 with errno; EINVAL when none of
 * them can be used any more.
 */
int linux_affinity_set(pid_t thread, const struct sst_cpus *cpus);

#endif
