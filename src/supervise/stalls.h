/* SPDX-License-Identifier: MIT */
/*
 * Executors that stand still: stopped by somebody, or kept by a file system that doesn't answer. The master notices, says so, and leaves
 * them out of the ring until they go on; one that never does is lost. One whose workload isn't started in time ends the run. One that
 * doesn't reap what its workload leaves behind is killed before that fills the table of processes.
 *
 * Each executor counts the rounds of its loop. Who has made none for a while is nudged, and has to make one then. Looks are counted and
 * not the clock, so that a pause of the whole machine is nobody's.
 */
#ifndef SUPERVISE_STALLS_H
#define SUPERVISE_STALLS_H

#include "supervise/master_state.h"

/* A look at all of them, if it is time for one; and how long from now until it is, in ns. */
void stalls_look(struct master *master);
int64_t stalls_next(const struct master *master, int64_t now_ns);

/* The run ends: who stands still by now is lost. */
void stalls_end(struct master *master);

#endif
