/* SPDX-License-Identifier: MIT */
/* The command that cpuload measures, and the signals that it shares with it. */
#ifndef CPULOAD_COMMAND_H
#define CPULOAD_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct signals {
	sigset_t fetched; /* blocked, for sigtimedwait */
	sigset_t before;  /* mask that the command gets */
	bool ignores_pipe;
};

/* Blocks those that end a recording, or are to be passed on to a command. */
void signals_take(struct signals *signals, bool has_command);

/* Starts the command (NULL-terminated) and waits until it is executed. 0, or the status to exit with after a complaint. */
int command_start(char **command, const struct signals *signals, pid_t *pid);

#endif
