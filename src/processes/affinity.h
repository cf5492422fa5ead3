/* SPDX-License-Identifier: MIT */
/* The processors that processes may use: sched_getaffinity(2), sched_setaffinity(2). */
#ifndef PROCESSES_AFFINITY_H
#define PROCESSES_AFFINITY_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
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

/* The processors that a process may use, as the kernel has them. */
struct linux_mask {
	cpu_set_t *set; /* NULL: not known */
	size_t size;
};

/* Of the calling process; one that may use all that its control group has may use what comes later as well. 0, or -1 with errno. */
int linux_mask_take(struct linux_mask *mask);
/* The same, as the kernel has it. */
int linux_mask_read(struct linux_mask *mask);
/* Gives it to the calling process. 0, or -1 with errno. Async-signal-safe. */
int linux_mask_give(const struct linux_mask *mask);
void linux_mask_free(struct linux_mask *mask);

#endif
