/* SPDX-License-Identifier: MIT */
/*
 * The threads of a tree of processes that run the most. A process stops when one of its threads takes the signal, and the kernel gives
 * it to the first thread wherever that takes signals. Where that thread waits, as it does in ssburn and in every JVM, it must have
 * the processor first, and those that run keep it for milliseconds. A thread that runs and is sent SIGSTOP itself stops all at once.
 */
#ifndef PROCESSES_BUSY_THREADS_H
#define PROCESSES_BUSY_THREADS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "processes/descendants.h"

/* As many are sent a signal of their own. */
#define BUSY_THREADS 8

struct busy_thread {
	pid_t process, thread;
	uint64_t ran_ns; /* between the last two looks; of one that is new, since it was started */
};

/* Start with {0}. */
struct busy_threads {
	struct busy_thread item[BUSY_THREADS]; /* the one that ran most first; none is the first of its process */
	size_t count;
	struct busy_thread *known; /* all that the last look found, with what they had run by then */
	size_t knows;
	int64_t due_ns;      /* when the next look is, … */
	int64_t interval_ns; /* … so long after the last one, or later where that took long */
	int64_t took_ns;     /* the last one */
};

/*
 * Looks at the threads of those processes that have several, when it is time: ten times a second, down to once a second while the same ones
 * run, and less often where that would take more than a thousandth of a processor. Those found before stay where none has run
 * since. A kernel that doesn't say how long threads ran (no /proc/PID/task/TID/schedstat) has none.
 */
void busy_threads_look(struct busy_threads *busy, const struct descendants *tree, int64_t now_ns);
void busy_threads_free(struct busy_threads *busy);

/* Sends SIGSTOP to those of this process, of which the caller knows that it hasn't been reaped. */
void busy_threads_stop(const struct busy_threads *busy, pid_t process);
/* Likewise to those of all processes of a process group that has a member that hasn't been reaped. */
void busy_threads_stop_group(const struct busy_threads *busy, pid_t group);

#endif
