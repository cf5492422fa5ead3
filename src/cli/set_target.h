/* SPDX-License-Identifier: MIT */
/* --set: tells a run its target. */
#ifndef CLI_SET_TARGET_H
#define CLI_SET_TARGET_H

#include <sys/types.h>

/* Sends one line (trace/stream.h) to a run, by the process that was started for it, and waits until it has taken it. 0, or -1 after a message. */
int set_target(pid_t run, const char *line);

#endif
