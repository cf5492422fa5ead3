/* SPDX-License-Identifier: MIT */
/*
 * What the sources combined and groups add to the time of tasks. The filter follows the difference between what idle and that time say was worked since the start, and its
 * rate (alpha-beta, critically damped): without the rate it would lag behind by a constant, and a run of seconds would miss so much. Its
 * state is shared by all executors; two that update it at the same moment lose one update, which doesn't matter.
 */
#ifndef LOAD_CORRECTION_H
#define LOAD_CORRECTION_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"

/* Over which the filter smooths: idle columns come in units of 10 ms, the time of tasks in ns. */
#define CORRECTION_IDLE_S 2.5
#define CORRECTION_TASKS_S 1
/* Two units of the idle columns. */
#define CORRECTION_UNITS_NS (20 * NS_PER_MS)
/* Longer than readings are apart. */
#define CORRECTION_STANDSTILL_NS NS_PER_S

struct correction {
	_Atomic double ns;          /* in ns since the start */
	_Atomic double left_out_ns; /* of the difference since the start, as no work of the run */
	_Atomic double rate;        /* … and how much more it becomes, in ns per ns */
	_Atomic int64_t updated_ns; /* when; 0: never */
	_Atomic double processors;  /* as seen then */
};

static inline double correction_get(const _Atomic double *value)
{
	return atomic_load_explicit(value, memory_order_relaxed);
}

static inline void correction_set(_Atomic double *value, double to)
{
	atomic_store_explicit(value, to, memory_order_relaxed);
}

/*
 * Whether a change of the difference is no work of this machine's: that of its counters when processors come or go, or that of the clock
 * alone while the machine stood still, which is when nobody has looked for long.
 */
static inline bool correction_is_leap(
	const struct correction *correction, double residual_ns, double elapsed_ns, double processors)
{
	const double most_ns = elapsed_ns > CORRECTION_STANDSTILL_NS ? elapsed_ns / 2 : elapsed_ns + CORRECTION_UNITS_NS;
	return processors != correction_get(&correction->processors) || fabs(residual_ns) > most_ns * processors;
}

/*
 * The difference is so much now, so long after the last time; 0: there was none. What came before the first time is no work of the run. One that
 * isn't believed changes nothing, now and later.
 */
static inline void correction_follow(struct correction *correction, double difference_ns, double processors,
	int64_t since_last_ns, double time_s, bool is_believed)
{
	if (!is_believed)
		correction_set(&correction->rate, 0);
	const double elapsed_ns = (double)since_last_ns;
	const double kept = exp(-elapsed_ns / 1e9 / time_s);
	const double rate = since_last_ns ? correction_get(&correction->rate) : 0;
	const double expected_ns = since_last_ns ? correction_get(&correction->ns) + rate * elapsed_ns : 0;
	double residual_ns = difference_ns - correction_get(&correction->left_out_ns) - expected_ns;
	if (!since_last_ns || !is_believed || correction_is_leap(correction, residual_ns, elapsed_ns, processors)) {
		correction_set(&correction->left_out_ns, difference_ns - expected_ns);
		residual_ns = 0;
	}
	correction_set(&correction->ns, expected_ns + (1 - kept * kept) * residual_ns);
	if (since_last_ns)
		correction_set(&correction->rate, rate + (1 - kept) * (1 - kept) * residual_ns / elapsed_ns);
	correction_set(&correction->processors, processors);
}

#endif
