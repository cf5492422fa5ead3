/* SPDX-License-Identifier: MIT */
/* What the samples of a run add up to beside its accuracy: the worst one, the load of free workloads, what made the load at the bounds. */
#ifndef RECORD_TALLY_H
#define RECORD_TALLY_H

#include <stdint.h>

#include "record/recorder.h"

/* The samples' means over the time at one bound, loads from 0 to 1, each weighted with the time in it that was at the bound. */
struct tally_bound {
	double weight_ns; /* that time, where all of these are known; 0: nothing is known */
	double load, free, others;
};

/* Zeroed, it has no sample. */
struct tally {
	uint64_t samples;
	double worst_target, worst_load; /* of the sample with the largest error, whatever its sign … */
	double worst_s;                  /* … and when it ended, since control began */
	double highest_target;
	double length_ns, alive_ns; /* of all, and the part of it in which a controlled workload was there, in the mean of all */
	uint64_t free_samples;      /* those in which the load of free workloads is known … */
	double free_work, free_capacity;
	double free_most;                      /* … and the highest */
	struct tally_bound saturated, starved; /* sums until tally_bound_mean */
};

/* A sample with a target and a load; control began at origin_ns. */
void tally_add(struct tally *tally, const struct record *record, int64_t origin_ns);

/* NaN without samples, or where it isn't known. Loads and shares from 0 to 1. */
double tally_worst_error_pp(const struct tally *tally);
double tally_free_mean(const struct tally *tally);
double tally_free_most(const struct tally *tally);
double tally_alive(const struct tally *tally);

/* Means instead of sums; all 0 where nothing is known. */
struct tally_bound tally_bound_mean(const struct tally_bound *sums);

#endif
