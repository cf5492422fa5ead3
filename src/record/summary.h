/* SPDX-License-Identifier: MIT */
/* What a run achieved, in a few lines for people. */
#ifndef RECORD_SUMMARY_H
#define RECORD_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/accuracy.h"
#include "control/run.h"
#include "record/counted.h"
#include "record/recorder.h"

/* What the samples of a run add up to beside its accuracy: the worst one, the load of free workloads, what made the load at the bounds. */

/* The samples' means over the time at one bound, loads from 0 to 1, each weighted with the time in it that was at the bound. */
struct tally_bound {
	double weight_ns; /* that time, where all of these are known; 0: nothing is known */
	double load, free, others, watched;
};

/* Zeroed, it has no sample. */
struct tally {
	uint64_t samples;
	double worst_target, worst_load; /* of the sample with the largest error, whatever its sign … */
	double worst_s;                  /* … and when it ended, since control began */
	double highest_target;
	double duty_ns; /* integral of the mean duty cycle; … */
	double length_ns,
		alive_ns;      /* … of all, and the part of it in which a controlled workload was there, in the mean of all */
	uint64_t free_samples; /* those in which the load of free workloads is known … */
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

/* Length of the samples that accuracy is reported over, as in the paper. */
#define SUMMARY_SAMPLE_NS (INT64_C(500) * 1000000)

/* Processor time in s, by when it was used. */
struct summary_time {
	double before, control, after;
};

struct summary {
	struct accuracy accuracy;
	struct tally tally;
	bool of_cores;              /* the load is that of cores, and processors below are cores */
	double may_use, processors; /* of those that the load is of, what controlled workloads may use, and all; NaN: not known */
	struct summary_time controlled_cpu, free_cpu; /* sums over the workloads that are controlled, and that are free */
	double maximum;            /* iterations per second that are a load of 1; NaN: it isn't of iterations */
	unsigned by_default;       /* instances of groups that have several by default */
	double controlled_s;       /* time under control */
	double saturated, starved; /* shares of it, 0 to 1 */
	double master_cpu_s, guardian_cpu_s, executors_cpu_s;
	double lateness_50_us, lateness_90_us, lateness_99_us; /* percentiles of the edges' lateness, to 19 %; 0 without edges */
	uint64_t edges;
	uint64_t lost;     /* workloads whose executor was killed */
	uint64_t respawns; /* how often workloads were started again */
	bool power_asked;
	double energy_j, power_w;       /* electric, while the run was controlled: sum, and mean; NaN: unknown */
	const struct counted *counted;  /* events of the workloads; NULL: none */
	double wall_s;                  /* from the end of the hold to the end of control */
	double others_mean, others_max; /* load, 0 to 1, over others_samples; NaN: unknown */
	uint64_t others_samples;
	const struct watch *watch;         /* `watches` of them, each of which has … */
	const struct beside_sums *watched; /* … its load … */
	const double *watched_ended_s;     /* … and when it had ended, since control began; NaN: it hasn't */
	unsigned watches;
	double log_missing_s, log_missing_at_end_s; /* of the run, in no row of the log; NaN: no log, or unknown */
	const char *source;    /* of the load, by its name in the feedback module's options; NULL: it has none */
	const char *container; /* what the load is of, where that is what a container leaves of the machine; else NULL */
	const char *control;   /* name of the control module */
	double limit;          /* of --limit, in processors; 0: none */
};

/* How even the CPU time of equal instances was. */
struct summary_equal {
	unsigned group;            /* from 0 */
	unsigned instances, asked; /* those compared, there from beginning to end, and all of the group */
	double least_s, most_s;    /* of CPU time */
	double spread;             /* what lies between, relative to the mean */
};

/*
 * The next group, from number `group` on, of which two instances at least were there from beginning to end, and used more than their start
 * took. False when there is none.
 */
bool summary_next_equal(const struct shared *shared, unsigned group, struct summary_equal *equal);

/* The part of the workloads' time in which they were there, 0 to 1; what isn't known counts as all of it. */
double summary_there(const struct summary *summary);

/* Of one workload. */
struct summary_time summary_time_of(const struct slot *slot);

/* Adds up what the executors left in their slots. */
void summary_collect(struct summary *summary, const struct shared *shared);

/* Prints it, and warnings; `verbose` adds what few people look at. */
void summary_print(const struct summary *summary, const struct shared *shared, bool verbose, FILE *to);

/* The rows that a summary can have, in their order: what each is called, and what it means. */

enum summary_term {
	TERM_USED,
	TERM_TARGET,
	TERM_LOAD,
	TERM_ERROR,
	TERM_SQUARED_ERROR,
	TERM_WORST,
	TERM_SATURATED,
	TERM_STARVED,
	TERM_MEASURED,
	TERM_MAXIMUM,
	TERM_OTHERS,
	TERM_WATCHED,
	TERM_FREE,
	TERM_GONE,
	TERM_LOST,
	TERM_INSTANCES,
	TERM_CPU,
	TERM_OUTSIDE,
	TERM_EQUAL,
	TERM_ATTACHED,
	TERM_RESPAWNS,
	TERM_EVENTS,
	TERM_ENERGY,
	TERM_OWN,
	TERM_WARNING,
};
#define SUMMARY_TERMS (TERM_WARNING + 1)

/* What is said of a term begins in this column, from 0. */
#define SUMMARY_COLUMN 21

const char *summary_label(enum summary_term term);

/* Prints all with what they mean, for people: --explain. */
void summary_explain(FILE *to);

/* Why a target was missed: what is said at the end of a run, and only with the figures that prove it. */

/* A share of the time, and an error, from which one explains the other. */
#define NOTABLE_SHARE 0.05
#define NOTABLE_ERROR_PP 0.5

/* Prints one line for each cause that is known; nothing where the target was held. `shared` tells which workloads stand still; NULL: none. */
void warnings_print(const struct summary *summary, const struct shared *shared, FILE *to);

/*
 * Workloads that stand still and weren't stopped by Showstopper, by which signals, and what helps, in words. False where there is none;
 * else *signals, which may be NULL, has a bit for each of these signals: 1 << its number.
 */
#define STOPPED_TEXT_MAX 512
bool stopped_describe(const struct shared *shared, char text[static STOPPED_TEXT_MAX], uint64_t *signals);

/* Warns of a run time, a warm-up or a trace shorter than one sample. 0, or -1 if --require, which needs samples, makes it an error. */
int short_run_check(const struct run *run);

#endif
