/* SPDX-License-Identifier: MIT */
/*
 * The intervals in which a run is measured, real or simulated: rows of the log, and samples for the summary. They end on a grid that begins
 * with control. No part of the control loop.
 */
#ifndef RECORD_INTERVALS_H
#define RECORD_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/accuracy.h"
#include "config/config.h"
#include "record/recorder.h"
#include "record/summary.h"

/* What samples have come to. */
struct interval_sums {
	struct accuracy accuracy;
	struct tally tally;
	struct beside_sums others;
	struct beside_sums watched[WATCHES_MAX]; /* of each that is watched, so */
	int64_t sampled_ns;                      /* time that they cover */
};

struct interval {
	struct recorder recorder;
	struct beside others, watched[WATCHES_MAX];
	/* Processor time when it began: of free workloads, of the run with what is watched, of others, of each that is watched. */
	double free_s, known_s, others_s, watched_s[WATCHES_MAX];
	double shown[WATCHES_MAX]; /* of each that is watched, its load in the interval that ended last */
};

/* Whose intervals they are. */
struct intervals_owner {
	/* Reads the feedback source, and sets usage_s, free_s, watched_s, processors and, where it knows, others_s. False where that fails. */
	bool (*read)(void *context, struct sst_reading *reading);
	/* The row of a log. */
	void (*row)(void *context, struct record *record);
	/* A sample, which may count for the summary or not. True when other processors are measured from now on. NULL: never. */
	bool (*sample)(void *context, const struct record *record, bool counts);
	void *context;
};

struct intervals {
	const struct run *run;
	struct intervals_owner owner;
	struct interval logged, sampled;
	/*
	 * Processor time as of the newest reading, NaN where it isn't known: of the run, and in it of free workloads; of others, where their
	 * owner knows it, as it is else what the machine worked less that of the run and of what is watched; of each of `watches` things.
	 */
	double usage_s, free_s, others_s, watched_s[WATCHES_MAX];
	unsigned watches;
	double processors; /* of which the load of these is a share; 0: of those that the source measures */
	struct interval_sums sums;
	int64_t under_control_ns; /* time with a target from its beginning to its end, without intervals in which all stood still */
	struct interval_sums heard; /* as of the last moment at which all executors were known to be on their way */
	bool still;                 /* one of them stands still … */
	int64_t still_until_ns;     /* … or did until then */
	int64_t paused_until_ns;    /* all of the run did, until then */
};

/* Zeroed but for the owner. `instances`: rows have each workload's duty cycle. 0, or -1 with errno ENOMEM. */
int intervals_init(struct intervals *intervals, const struct run *run, int64_t row_ns, bool instances);
void intervals_free(struct intervals *intervals);

/* Both begin at a reading. */
void intervals_start(struct intervals *intervals, const struct sst_reading *reading);

/* When the next one ends. */
int64_t intervals_next(const struct intervals *intervals);

/* When the source was read last, as far as intervals began with it; 0: never. */
int64_t intervals_read(const struct intervals *intervals);

/*
 * Ends those that are due; one that is taken a second late or more holds a pause of the whole run: it has no target and is no sample.
 * At the end of the run also those that are at least half over, and before a pause the row of the log: what
 * comes after it begins a row of its own.
 */
enum intervals_until { INTERVALS_GO_ON, INTERVALS_PAUSE, INTERVALS_END };
void intervals_take(struct intervals *intervals, int64_t now_ns, enum intervals_until until);

/* The part of the time under control that samples cover, 0 to 1; 1 where that was too short for one. The run ended at end_ns. */
double intervals_coverage(const struct intervals *intervals, int64_t end_ns);

/*
 * What is known of the executors now: whether one that controls stands still, and whether all have been heard of. The time of a standstill
 * isn't under control. It is noticed late, so that samples since all were heard of are taken back.
 */
void intervals_hear(struct intervals *intervals, bool still, bool all_heard, int64_t now_ns);

#endif
