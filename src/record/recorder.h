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

/* Means over one interval. */
struct record {
	int64_t end_ns; /* CLOCK_MONOTONIC */
	int64_t length_ns;
	double target;   /* NaN: free */
	double load;     /* 0 to 1; NaN when the source gave no sample */
	double estimate; /* NaN: none yet */
	double duty;     /* over the live workloads that are controlled; NaN when there were none */
	double runnable; /* controlled workloads */
	double alive;    /* controlled workloads that were there, 0 to 1 of them */
	double saturated,
		starved; /* shares of it in which the workloads ran all the time below the target, or stood still above it */
	struct sst_sample machine; /* what load is of, as the source has it; zero when it gave no sample */
	double background;         /* background load, 0 to 1; NaN: unknown. The recorder leaves it to its owner … */
	double free;               /* … so the load that free workloads made … */
	double power_w;            /* … and so the mean electric power */
	const double *zone_w;      /* … of each zone that the log has */
	bool partly_free;          /* the trace left the workloads free for some of it */
	int64_t end_unix_ns;       /* end_ns on the wall clock, since 1970; likewise */
	const char *pinning;       /* the scheme that dynamic pinning had; NULL: not filled in */
	const double *duties;      /* of each workload; NULL unless asked for; valid until the next record */
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

#endif
