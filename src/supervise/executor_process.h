/* SPDX-License-Identifier: MIT */
/* The process that an executor is: starts a workload, holds it as control/executor.h says, and cleans up after it. */
#ifndef SUPERVISE_EXECUTOR_PROCESS_H
#define SUPERVISE_EXECUTOR_PROCESS_H

#include "control/run.h"

/* How the master wakes executors after it changed what they are to do. */
#define EXECUTOR_NUDGE SIGUSR1

/*
 * The whole life of the executor in the process forked for it. Returns its exit status: 0 when its workload is gone and the slot says
 * how it ended, EXIT_TROUBLE when it never started or the master died. No descendant is left in either case.
 */
int executor_process_run(struct run *run, unsigned index);

#endif
