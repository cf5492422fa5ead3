/* SPDX-License-Identifier: MIT */
/* Handles of processes, by which a number that is given to another process later is not mistaken for it. */
#ifndef PROCESSES_PROCESS_HANDLE_H
#define PROCESSES_PROCESS_HANDLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "processes/process.h"

/* One process, and no later one that gets its number. */
struct process {
	pid_t pid;            /* 0: none */
	int fd;               /* pidfd; -1: none is held, and each signal opens one */
	uint64_t start_ticks; /* as in linux_process */
};
#define PROCESS_NONE ((struct process){.fd = -1})

/* The one that was read, without a descriptor. */
static inline struct process process_of(const struct linux_process *read)
{
	return (struct process){.pid = read->pid, .fd = -1, .start_ticks = read->start_ticks};
}

/*
 * The process that has this number now, with a descriptor, for process_release, and what /proc says of it. 0, or -1 with errno (ESRCH:
 * there is none, or /proc doesn't show it) and PROCESS_NONE.
 */
int process_take(struct process *process, pid_t pid, struct linux_process *now);
/* Opens the descriptor of one that has none. 0, or -1 with errno (ESRCH: it is gone). */
int process_hold(struct process *process);
/* Closes the descriptor, if there is one; errno stays. */
void process_release(struct process *process);

/* What /proc says of it now. 0, or -1 with errno (ESRCH: it is gone), and *now is as before. */
int process_look(const struct process *process, struct linux_process *now);
/* Whether it has ended, reaped or not; false where that can't be told. */
bool process_has_ended(const struct process *process);
/* Sends it a signal. 0, or -1 with errno (ESRCH: it is gone). */
int process_signal(const struct process *process, int signal);

#endif
