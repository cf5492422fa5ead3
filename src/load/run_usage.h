/* SPDX-License-Identifier: MIT */
/* The processor time of a run: of Showstopper's own processes and of all workloads, as a counter that never goes back. */
#ifndef LOAD_RUN_USAGE_H
#define LOAD_RUN_USAGE_H

#include <sys/types.h>

#include "processes/attached.h"

struct linux_run_usage;

/* Whose time it is. */
struct linux_run_usage_heads {
	pid_t guardian; /* it alone; 0: none */
	pid_t master;   /* with all below it, where it and its executors are subreapers */
	const pid_t *attached;
	unsigned attaches; /* these with all below them; one that has ended is left out */
	const struct attached *group;
	unsigned groups; /* attached groups */
	const pid_t *free;
	unsigned frees;    /* executors of free workloads: what is below them is told apart, too */
	double look_share; /* part of a processor that looking for new processes may take */
};

/*
 * Counts from now on. `root` stands before /proc and must outlive it. NULL with errno: what /proc answered (ENOENT under another root),
 * ENOMEM.
 */
struct linux_run_usage *linux_run_usage_open(const char *root, const struct linux_run_usage_heads *heads);
void linux_run_usage_close(struct linux_run_usage *usage);

/*
 * Seconds since it was opened. What ended is counted as its parent waited for it, in ticks; what lives, in ns. New processes are looked
 * for when the machine has made some, as far as that takes no more than its share of a processor; until they are found their
 * time is missing, and then it is made up for. 0, or -1 with errno; EACCES: some processes are hidden.
 */
int linux_run_usage_read(struct linux_run_usage *usage, double *seconds);

/* How much of what was read last is that of the free workloads; an executor of theirs, which hardly does anything, is with them. */
double linux_run_usage_free(const struct linux_run_usage *usage);

#endif
