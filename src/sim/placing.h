/* SPDX-License-Identifier: MIT */
/* Which idle processor a thread takes, by sockets and cores. See enum sim_placement. */
#ifndef SIM_PLACING_H
#define SIM_PLACING_H

#include "sim/topology.h"

/* Numbers of the idle processors; the last one has become idle last. */
struct sim_idle {
	const unsigned *processor;
	size_t count;
};

/* Where a thread last ran, or does. */
struct sim_place {
	unsigned processor;
	bool is_free; /* nothing is on it, but it may be about to get something: then it is in no list */
	bool is_idle;
};

/* For a thread that becomes runnable; -1 when it has to wait. */
int sim_placing_find(const struct sim_topology *topology, struct sim_idle idle, struct sim_place last);

/* A processor of an idle core for the thread on one whose core is shared, at the end of its slice; -1 when it stays. */
int sim_placing_improve(const struct sim_topology *topology, struct sim_idle idle, unsigned processor);

#endif
