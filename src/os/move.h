/* SPDX-License-Identifier: MIT */
/* Binding processes that run already. */
#ifndef OS_MOVE_H
#define OS_MOVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "showstopper/module.h"

/*
 * Binds every thread of every process below `root`, which is left as it is, and looks again for those that came up meanwhile. True when
 * all that may be bound are; false when threads come up faster than they are found, or there is no memory: to be done again.
 */
bool linux_move_tree(pid_t root, const struct sst_cpus *cpus);

#endif
