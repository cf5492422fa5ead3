/* SPDX-License-Identifier: MIT */
/* The processors on which our own processes sleep. */
#ifndef PROCESSES_HOME_CPU_H
#define PROCESSES_HOME_CPU_H

#include "processes/affinity.h"

/*
 * The home processor of one of our processes is the one on which it sleeps. A real-time process wakes up where it slept, and its timer with it:
 * while that processor stands still (a hypervisor runs something else on it), so does the process, though others are free. So our
 * processes have different home processors, and one that is awake can fetch another.
 *
 * This moves the calling process to the processor of the mask with this number, counted round and round. It may use all of the mask then;
 * a real-time process stays there nevertheless.
 */
void linux_home_cpu_go(const struct linux_mask *mask, unsigned number);

/*
 * Binds another process, a child of the same parent, to the processor of the caller and wakes it up by a signal. It has to take its
 * own mask back. 0, or -1 with errno: ESRCH when it is no such child any more.
 */
int linux_home_cpu_fetch(pid_t sibling, int signal);

#endif
