/* SPDX-License-Identifier: MIT */
/*
 * By what other runs know the processes of this one. The mark of a process ends with it, nobody else can set it, and whoever may look at
 * the process can see it.
 */
#ifndef PROCESSES_RUN_MARK_H
#define PROCESSES_RUN_MARK_H

#include <sys/types.h>

enum run_mark {
	RUN_MARK_GUARDIAN, /* may have children that are not of the run: those of the program that executed showstopper in its place */
	RUN_MARK_WITHIN, /* master and executors: all of their descendants are of the run */
};

/* Marks the calling process; a process that it forks has no mark. Where that can't be done it stays without. Takes a descriptor until it is cleared. */
void run_mark_set(enum run_mark mark);
void run_mark_clear(void);

/*
 * The process itself if it is one of Showstopper's, or else the nearest of its ancestors that has started it in a run that goes on; 0: neither. The
 * caller's own mark doesn't count.
 */
pid_t run_mark_find(pid_t pid);

#endif
