/* SPDX-License-Identifier: MIT */
/* The executors of a run: their start, orders to them and their ends, and the end of the run, which is an order too. */
#ifndef SUPERVISE_MASTER_EXECUTORS_H
#define SUPERVISE_MASTER_EXECUTORS_H

#include "supervise/master_state.h"

/* Starts the next one. 0, or -1 after a message, and the run ends. */
int executors_fork(struct master *master, unsigned index);

/* Makes them look at the shared memory. */
void executors_nudge(const struct master *master);

/* Phases only go forward: an order that comes too late changes nothing. */
void executors_order(struct master *master, enum shared_phase phase);

/* Takes note of those that ended: tells why where it matters, and ends the run where that is due. */
void executors_reap(struct master *master);

/* Kills what dead executors left: children of ours that are no executors, with all below them. True when there was something. */
bool executors_kill_strays(const struct master *master);

/* Free workloads alone are no run. */
bool executors_some_are_controlled(const struct master *master);

/* Whether each workload has been started, or never will be. One that can't be started ends the run when its executor ends. */
bool executors_all_are_ready(const struct master *master);

/* When the timer expires next (CLOCK_MONOTONIC). */
void master_arm(const struct master *master, int64_t when_ns);

/*
 * Ends the run. Executors that don't end in time, because they hang in a start or were stopped by somebody, are killed with what is
 * below them.
 */
void master_end(struct master *master, enum shared_phase how);
/* … at once, with this exit status unless there is one already. */
void master_end_with_error(struct master *master, int status);

#endif
