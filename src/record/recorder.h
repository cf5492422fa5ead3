/* SPDX-License-Identifier: MIT */
/*
 * Measures a run in intervals: target, load, estimate, duty cycle and runnable workloads, each over exactly the time between two
 * readings of the feedback source. Two of these serve the control log and the summary. No part of the control loop.
 */
#ifndef RECORD_RECORDER_H
#define RECORD_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "control/run.h"
#include "meters/power.h"
#include "record/load_meter.h"

/* Means over one interval. */
struct record {
	int64_t end_ns; /* CLOCK_MONOTONIC */
	int64_t length_ns;
	double target;   /* NaN: free */
	double trace_s;  /* where in the recording of the trace the interval ends; NaN: before control began, or not recorded */
	double load;     /* 0 to 1; NaN when the source gave no sample */
	double estimate; /* NaN: none yet */
	double duty;     /* over the live workloads that are controlled; NaN when there were none */
	double runnable; /* controlled workloads */
	double alive;    /* controlled workloads that were there, 0 to 1 of them */
	double saturated,
		starved; /* shares of it in which the workloads ran all the time below the target, or stood still above it */
	struct sst_sample machine; /* what load is of, as the source has it; zero when it gave no sample */
	double others;             /* load of others, 0 to 1; NaN: unknown. The recorder leaves it to its owner … */
	double free;               /* … so the load that free workloads made … */
	const double *watched; /* … so the load of each that is watched, 0 to 1; NaN: unknown; valid until the next record … */
	double watched_all;    /* … and of all of them */
	double power_w;        /* … and so the mean electric power */
	const double *zone_w;  /* … of each zone that the log has */
	bool partly_free;      /* the trace left the workloads free for some of it */
	int64_t end_unix_ns;   /* end_ns on the wall clock, since 1970; likewise */
	const char *pinning;   /* the scheme that dynamic pinning had; NULL: not filled in */
	const double *duties;  /* of each workload; NULL unless asked for; valid until the next record */
};

/* The sums of all slots at one moment. */
struct recorder_sums {
	double duty_ns, running_ns, load_ns, loaded_ns, alive_ns, saturated_ns, starved_ns;
};

struct recorder {
	const struct run *run;
	int64_t interval_ns;
	int64_t start_ns; /* of the interval that is under way */
	int64_t next_ns;  /* when it ends */
	struct sst_reading reading;
	struct recorder_sums sums;
	double *duty_ns; /* per workload at the start of the interval, or NULL */
	double *duties;
};

/* 0, or -1 with errno ENOMEM. `instances`: also record each workload's duty cycle. */
int recorder_init(struct recorder *recorder, const struct run *run, int64_t interval_ns, bool instances);
void recorder_free(struct recorder *recorder);

/* Starts an interval at a reading; it ends at `next_ns`, or one interval after start when that is 0. */
void recorder_start(struct recorder *recorder, const struct sst_reading *reading, int64_t next_ns);

/* Ends the interval at a reading. The caller starts the next one. */
void recorder_end(struct recorder *recorder, const struct sst_reading *reading, struct record *record);

/*
 * A load that is made beside the workloads, over intervals: by others, or by what is watched.
 *
 * The units of the counters (10 ms) make single intervals come out below 0. What is cut off there is carried into the next
 * one, and the mean is over what was measured and not over what is shown.
 */

/* Zeroed, it has no interval. */
struct beside {
	struct load_meter meter;
	struct sst_sample last; /* the interval that ended last: the work, held to nothing */
	double shown;           /* … and the load, 0 to 1; NaN: not known */
};

/* Of the intervals that count. Zeroed, there is none. */
struct beside_sums {
	struct sst_sample total;
	double most;
	uint64_t counted;
};

/* An interval ends, in which so much was done, in s (NaN: not known), of a capacity in CPU-seconds (0: not known). Its load, 0 to 1, or NaN. */
double beside_add(struct beside *beside, double work_s, double capacity_s);

/* The interval that ended last counts. */
void beside_count(const struct beside *beside, struct beside_sums *sums);

/* 0 to 1, NaN where there is none that is known. */
double beside_mean(const struct beside_sums *sums);
double beside_most(const struct beside_sums *sums);

/* The electric energy of a run: power of each interval, sum and mean of those that count. */

/* Zeroed it measures nothing, and every power is NaN. */
struct energy {
	struct linux_power *power;     /* NULL: none */
	struct linux_power_zone *zone; /* `zones` of them, beside that */
	size_t zones;
	double *zone_w;         /* their mean power in the interval that ended last; NaN: unknown */
	double joules, seconds; /* of the intervals that count and could be read */
	bool incomplete;        /* one that counts could not */
};

/* `root` stands before /sys. False, with a message, where nothing measures it; the rest may be called all the same. */
bool energy_open(struct energy *energy, const char *root, char error[static LINUX_POWER_ERROR_MAX]);
/* Parts of the machine, too; after the above, or in a zeroed one. False, with a message, where there are none. */
bool energy_open_zones(struct energy *energy, const char *root, char error[static LINUX_POWER_ERROR_MAX]);
void energy_close(struct energy *energy);

/* An interval begins; what was before counts nowhere. */
void energy_start(struct energy *energy);
/* To be called every few seconds, in between. */
void energy_poll(struct energy *energy);
/* An interval ends, and the next begins: its mean power in W, or NaN. */
double energy_take(struct energy *energy, bool counts);

/* Over all that counts; NaN when unknown, and the sum when a part is. */
double energy_sum(const struct energy *energy);
double energy_mean_power(const struct energy *energy);

#endif
