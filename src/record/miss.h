/* SPDX-License-Identifier: MIT */
/* Notices, while a run goes on, that it can't hold its target, and why: there is still something to be done about it then. */
#ifndef RECORD_MISS_H
#define RECORD_MISS_H

#include <stdbool.h>

#include "record/recorder.h"

enum miss_cause {
	MISS_NONE,
	MISS_GONE,      /* workloads have ended, or aren't started again yet */
	MISS_OTHERS,    /* what isn't controlled makes more than the target by itself */
	MISS_SATURATED, /* all workloads run all the time, and make less */
};

/* What the last seconds were like: means, loads and shares from 0 to 1. */
struct miss_found {
	enum miss_cause cause;
	double seconds;
	double target, load;
	double others; /* load of all that isn't controlled; NaN: not known */
	double gone;   /* part of the workloads' time without them */
};

/* So many samples of 500 ms are looked at together: a program of some seconds that is started again is not gone for long. */
#define MISS_SAMPLES 10

/* Zeroed, it has seen nothing. */
struct miss {
	struct miss_sample {
		double length_ns, target, load, others, gone, saturated, starved;
	} sample[MISS_SAMPLES]; /* a ring */
	unsigned samples;       /* so far, since the last gap */
	unsigned clear;         /* … of which so many, the last ones, had no cause */
	int64_t end_ns;         /* of the last one */
	enum miss_cause now;    /* what these seconds show … */
	unsigned told;          /* … and what has been told since there was none for twice as long: a bit for each */
};

/* Adds a sample with a target and a load. True, with *found, where a cause is new. */
bool miss_add(struct miss *miss, const struct record *record, struct miss_found *found);

/*
 * In words, with what to do about it. Of `processors` the workloads may use `may_use`, which is NaN where that isn't known; `respawn`: they
 * are started again when they end.
 */
#define MISS_TEXT_MAX 384
void miss_describe(
	const struct miss_found *found, double may_use, double processors, bool respawn, char text[static MISS_TEXT_MAX]);

/* For the live line, in a few words; "" for MISS_NONE. */
const char *miss_note(enum miss_cause cause);

#endif
