/* SPDX-License-Identifier: MIT */
/*
 * Executors that don't come: the processor on which one sleeps stands still, and its workload runs on elsewhere, or stays stopped. Each
 * says when it means to wake up, and looks at some others of the ring when it has done its own edge.
 */
#ifndef CONTROL_OVERDUE_H
#define CONTROL_OVERDUE_H

#include "control/shared.h"

/* How many others each looks at. */
#define OVERDUE_WATCHED 8
/* How late is too late. */
#define OVERDUE_NS (3 * INT64_C(1000000))

/* Start with {.shared, .index}. */
struct overdue {
	struct shared *shared;
	unsigned index;
	uint32_t generation; /* of the ring that is known */
	bool placed;
	unsigned watched, slot[OVERDUE_WATCHED];
};

/* The executor sleeps until its edge at due_ns. */
void overdue_sleep(struct slot *slot, int64_t due_ns);
/* It is awake. True when somebody has fetched it meanwhile. */
bool overdue_wake(struct slot *slot);

/* The next watched one that should be awake, which the caller now has to fetch, once; or NULL. */
struct slot *overdue_find(struct overdue *overdue, int64_t now_ns);

#endif
