/* SPDX-License-Identifier: MIT */
/* The master: sets a run up, forks the executors, supervises them, records and reports. */
#ifndef SUPERVISE_MASTER_H
#define SUPERVISE_MASTER_H

#include "cli/command_line.h"
#include "os/attached.h"
#include "os/scheduling.h"

/* The master's ties to the guardian, made before the fork. */
struct master_ties {
	int guardian;  /* pidfd of the guardian */
	int suspended; /* eventfd: the master adds 1 when all workloads are stopped after SIGTSTP */
	struct scheduling user;
	const struct attached *attached; /* config->attaches of them */
};

/*
 * The whole life of the master in the process forked for it. Returns its exit status (design: section 4), or a negative signal
 * number when it is to end by that signal. No descendant is left when it returns.
 */
int master_run(const struct config *config, const struct master_ties *ties);

#endif
