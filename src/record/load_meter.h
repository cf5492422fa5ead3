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

#endif
