/* SPDX-License-Identifier: MIT */
/* The exact work of a simulated machine against the target, in steps of 10 ms, and how well one followed the other. */
#ifndef SIM_HISTORY_H
#define SIM_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/accuracy.h"

#define SIM_HISTORY_STEP_NS (INT64_C(10) * 1000000)

/* Start with {.processors = P}. */
struct sim_history {
	unsigned processors;
	size_t steps, room;
	int64_t *work_ns; /* of all processors since the start, at the beginning of each step; steps + 1 of them */
	float *target;    /* in each step; NaN while free */
};

/* A step has ended (the first call ends none: it begins the history). 0, or -1 with errno ENOMEM. */
int sim_history_add(struct sim_history *history, int64_t work_ns, double target);
void sim_history_free(struct sim_history *history);

/* Over windows of this length, one after another; those that are free in part are left out. A multiple of the step. */
struct accuracy sim_history_accuracy(const struct sim_history *history, int64_t window_ns);

/* The largest distance between load and target (fractions) in windows of this length that begin at step `from` or later, or NaN. */
double sim_history_worst(const struct sim_history *history, int64_t window_ns, size_t from);

/*
 * How often the load is above the target by more than `by` (a fraction) in a window of this length. Windows that begin within half a
 * second of such a one belong to it.
 */
unsigned sim_history_times_above(const struct sim_history *history, int64_t window_ns, double by);

/*
 * The longest time in s, over the beginning and all steps of the target, from such a step until all windows of this length that
 * begin before the next one have a load within `band` (a fraction) of their target. NaN when there is no whole window, infinite
 * when the last window before the next step is still outside.
 */
double sim_history_settling(const struct sim_history *history, int64_t window_ns, double band);

#endif
