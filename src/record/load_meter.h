/* SPDX-License-Identifier: MIT */
/*
 * Samples to loads from 0 to 1 that can be averaged.
 *
 * The counters' unit makes the work of a short sample come out a little below 0 or above the capacity. Cutting that off in
 * each row would bias the mean of the rows, at 0 % by as much as the noise. So what is cut off is carried into the next row,
 * up to a limit: what the unit can explain.
 */
#ifndef RECORD_LOAD_METER_H
#define RECORD_LOAD_METER_H

#include <stdint.h>

#include "showstopper/module.h"

/* Start with {0}. */
struct load_meter {
	double carried;        /* CPU-seconds to add to the next sample's work */
	double work, capacity; /* of all samples */
};

/*
 * The load of a sample, 0 to 1; NaN when sample is NULL, which also forgets what is carried. `limit` is the most that is carried,
 * in CPU-seconds.
 */
double load_meter_add(struct load_meter *meter, const struct sst_sample *sample, double limit);

/* The mean of all samples by capacity, 0 to 1, or NaN when there was none. */
double load_meter_mean(const struct load_meter *meter);

/*
 * The background load, of whoever is neither a workload nor Showstopper, over intervals: what the machine worked less what the run did.
 *
 * The units of the counters (10 ms) make single intervals come out below 0. What is cut off there is carried into the next
 * one, and the mean is over what was measured and not over what is shown.
 */

/* Zeroed, it has no interval. */
struct background {
	double before_s; /* processor time of the run when the interval began; NaN: not known */
	struct load_meter meter;
	struct sst_sample last; /* the interval that ended last: their work, held to nothing … */
	double shown;           /* … and their load, 0 to 1; NaN: not known */
};

/* Of the intervals that count. Zeroed, there is none. */
struct background_sums {
	struct sst_sample total;
	double most;
	uint64_t counted;
};

/* An interval begins; `usage_s` is the processor time of the run so far, from any moment on, or NaN. */
void background_start(struct background *background, double usage_s);

/*
 * It ends: what the machine did in it (a capacity of 0 where that isn't known) and the time of the run now. Returns the background load, 0 to
 * 1, or NaN.
 */
double background_end(struct background *background, const struct sst_sample *machine, double usage_s);

/* The interval that ended last counts. */
void background_count(const struct background *background, struct background_sums *sums);

/* 0 to 1, NaN where there is none that is known. */
double background_mean(const struct background_sums *sums);
double background_most(const struct background_sums *sums);

#endif
