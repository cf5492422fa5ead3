/* SPDX-License-Identifier: MIT */
/* The processes of a run. No descendant is left when one of these returns. */
#ifndef SUPERVISE_PROCESSES_H
#define SUPERVISE_PROCESSES_H

#include "control/run.h"
#include "supervise/obligations.h"

/*
 * The guardian, which the user started: forks the master, passes signals on to it, and outlives it. Thin, so that nothing is likely to kill
 * it. Returns the exit status for main, or a negative signal number by which the process is to end.
 */
int guardian_run(const struct config *config);

/*
 * The master, in the process forked for it: sets a run up, forks the executors, supervises them, records and reports. Returns its exit
 * status (design: section 4), or a negative signal number when it is to end by that signal.
 */
int master_run(const struct config *config, const struct master_ties *ties);

/*
 * An executor, in the process forked for it: starts a workload, holds it as control/executor.h says, and cleans up after it. Returns its
 * exit status: 0 when its workload is gone and the slot says how it ended, EXIT_TROUBLE when it never started or the master died.
 */
int executor_process_run(struct run *run, unsigned index);

/* How the master wakes executors after it changed what they are to do. */
#define EXECUTOR_NUDGE SIGUSR1

#endif
