/* SPDX-License-Identifier: MIT */
/* What a run needs of the kernel beside measurements, and what makes it cheaper. */
#ifndef WORKLOADS_FACILITIES_H
#define WORKLOADS_FACILITIES_H

#include <stdbool.h>

#include "showstopper/module.h"

/* Tries pidfd_open and the subreaper: 0, or errno with *what naming the call that failed. The caller stays as it is. */
int linux_facilities_processes(const char **what);

/* Whether /proc is that of the caller's PID namespace, or none: in that of another one numbers belong to other processes. */
bool linux_facilities_own_proc(void);

/* Whether the kernel lists the children of a process (CONFIG_PROC_CHILDREN). */
bool linux_facilities_children(void);

/* Whether /proc is mounted so that it hides the processes of other users from users (hidepid). */
bool linux_facilities_hidepid(const struct sst_env *env);

/* Whether memory can be shared by a name, in /dev/shm. */
bool linux_facilities_shm(void);

#endif
