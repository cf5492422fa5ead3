/* SPDX-License-Identifier: MIT */
/* Starts what a trial is about. Each is a child, or below 0 with errno. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "state.h"

/* The tool. Returns when the program has taken the place of ours, whose reactions to signals are none of its. */
pid_t launch(const struct trial *trial);

/* Whether the tool can hold workloads so here. */
bool launch_can_hold(const char *program, enum actuator actuator);

/* The process that the tool attaches to, which must outlive the run, and run on. */
pid_t launch_attached(const struct trial *trial);

/* cpulimit -p, on a workload that it starts before. */
pid_t launch_beside(struct trial *trial);

#endif
