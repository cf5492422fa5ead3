/* SPDX-License-Identifier: MIT */
/* What guardian and master share from the fork on. */
#ifndef SUPERVISE_TIES_H
#define SUPERVISE_TIES_H

#include "control/heartbeat.h"
#include "os/process.h"
#include "os/scheduling.h"
#include "supervise/obligations.h"

/* The master's ties to the guardian, made before the fork. */
struct master_ties {
	struct process guardian;
	int suspended; /* eventfd: the master adds 1 when all workloads are stopped after SIGTSTP */
	struct scheduling user;
	struct obligations owed;     /* the master makes the groups, and sets the clocks */
	struct heartbeat *heartbeat; /* the master's */
};

#endif
