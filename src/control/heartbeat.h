/* SPDX-License-Identifier: MIT */
/*
 * Signs of life of the master, and when the run is to be over. Nobody waits for a master that stands still (stopped, or kept by a file
 * system that doesn't answer): executors end their workloads by themselves a while after the end, and the guardian, which alone looks at
 * the signs of life, ends the run.
 */
#ifndef CONTROL_HEARTBEAT_H
#define CONTROL_HEARTBEAT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "control/shared.h"

/* Memory that guardian, master and executors share. Zero: no sign yet, and no known end. */
struct heartbeat {
	_Atomic uint64_t beats;
	_Atomic bool starting;  /* workloads are being started: the end isn't known yet, and waits for the master */
	_Atomic int64_t end_ns; /* CLOCK_MONOTONIC; 0: not known. Moves on with each pause */
};

/* The master beats at least this often, in ns, whatever it waits for. */
#define HEARTBEAT_NS (INT64_C(200) * 1000000)
/* So long after the end executors no longer wait for the order to end. */
#define HEARTBEAT_EXECUTORS_NS (INT64_C(1000) * 1000000)
/* How long the master may be silent when it was asked to end; and when it wasn't, in the start and beyond the end. */
#define HEARTBEAT_ASKED_NS (INT64_C(1000) * 1000000)
#define HEARTBEAT_UNASKED_NS (INT64_C(3000) * 1000000)

/* NULL with errno. */
struct heartbeat *heartbeat_new(void);
void heartbeat_free(struct heartbeat *heartbeat);

void heartbeat_beat(struct heartbeat *heartbeat);

/* Whether an executor that has no order to end yet does so by itself. */
bool heartbeat_is_over(const struct heartbeat *heartbeat, int64_t now_ns);

/* What the guardian knows of it; start with {.seen_ns = now}. */
struct heartbeat_watch {
	uint64_t beats;
	int64_t seen_ns;   /* of the last look */
	int64_t silent_ns; /* time without a beat, as far as it counts */
	bool asked;        /* the run has been asked to end */
};

/* From now on the master is to end the run. */
void heartbeat_ask(struct heartbeat_watch *watch);

/* Time stood still for all, as after Ctrl-Z: what was before doesn't count. */
void heartbeat_forget(struct heartbeat_watch *watch, int64_t now_ns);

/*
 * A look at the signs of life: true when the master has been silent for longer than it may be. A look that comes late, since the machine,
 * or all of a container, stood still, counts as one that came in time.
 */
bool heartbeat_has_stopped(struct heartbeat_watch *watch, const struct heartbeat *heartbeat, int64_t now_ns);

/* How long from now until the next look, in ns. */
int64_t heartbeat_next_look(const struct heartbeat_watch *watch, const struct heartbeat *heartbeat, int64_t now_ns);

/*
 * Executors that don't come: the processor on which one sleeps stands still, and its workload runs on elsewhere, or stays stopped. Each
 * says when it means to wake up, and looks at some others of the ring when it has done its own edge.
 */

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
