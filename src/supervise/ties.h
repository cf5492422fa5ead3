/* SPDX-License-Identifier: MIT */
/* What guardian and master share from the fork on. */
#ifndef SUPERVISE_TIES_H
#define SUPERVISE_TIES_H

#include "control/heartbeat.h"
#include "os/attached.h"
#include "os/scheduling.h"
#include "os/workload_groups.h"
#include "supervise/clocks.h"

/* The master's ties to the guardian, made before the fork. */
struct master_ties {
	int guardian; /* pidfd of the guardian */
	pid_t guardian_pid;
	int suspended; /* eventfd: the master adds 1 when all workloads are stopped after SIGTSTP */
	int live_line; /* eventfd: not 0 while the terminal's last row is the live line's */
	struct scheduling user;
	const struct attached *attached; /* config->attaches of them */
	struct workload_groups *groups;  /* of the workloads; the master makes them */
	struct clocks clocks;            /* the master sets them */
	struct heartbeat *heartbeat;     /* the master's */
};

#endif
