/* SPDX-License-Identifier: MIT */
/* The command that cpuload measures. */
#ifndef CPULOAD_COMMAND_H
#define CPULOAD_COMMAND_H

#include <sys/types.h>

#include "self/signals.h"

/* Whether it is there. 0, or the status to exit with after a complaint. */
int command_check(char **command);

/* Starts the command (NULL-terminated) and waits until it is executed. 0, or the status to exit with after a complaint. */
int command_start(char **command, const struct signals_kept *kept, pid_t *pid);

#endif
