/* SPDX-License-Identifier: MIT */
/*
 * A control log (showstopper -o) or a load log (cpuload) in memory, and what can be said of its rows: which belong to the
 * warm-up, where the target steps, where it stays the same, what the means over a stretch of time are.
 *
 * Times are seconds since control began (time_s) unless the name says monotonic. A row covers the time from the end of the row
 * before. Where rows are missing, report_gaps_fill puts some without a load.
 */
#ifndef REPORT_LOG_H
#define REPORT_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "report/clocks.h"

/* Columns EVENT_per_s of a log: rates of events that were counted (showstopper --log-counters, cpuload -C counters=). */

struct report_event {
	char *name;   /* of the event: that of the column without _per_s */
	double *rate; /* per second, of each row; NaN where it is not known */
	size_t column;
};

struct report_events {
	struct report_event *item;
	size_t count;
};

struct report_log {
	const char *name;   /* for messages; the caller's */
	size_t count;       /* rows, at least 1 */
	double *time;       /* ends of the rows, increasing */
	double *monotonic;  /* the same on CLOCK_MONOTONIC, increasing; NULL when the file has no such column */
	double *target;     /* 0 to 1, NaN while free; NULL when the file has no such column */
	double *load;       /* 0 to 1, NaN where it is not known; above 1 where it is more than the capacity that the file says */
	double *power;      /* watts, NaN where it is not known; NULL when the file has no such column */
	double *background; /* background load, 0 to 1, NaN where it is not known; NULL when the file has no such column */
	bool *is_gap;       /* rows that the file doesn't have; they have times, and a target where the rows around agree on it */
	struct report_events events;
	struct report_clock clock; /* of what the file says of the wall clock */
	size_t warmup;             /* rows of the warm-up, at the beginning */
	double interval;           /* the usual length of a row: the median of those with a load */
	bool is_cut;               /* the file ended in half a line, which was left out */
};

/*
 * Whether a file with this header is a log. A column `capacity` says of how much of the machine, 0 to 1, target and load are to be
 * shares; in the file they are shares of the machine.
 */
bool report_log_is(const struct csv *csv);

/* Reads all rows, after which report_gaps_fill is due. 0, or -1 with a message. Free in both cases. */
int report_log_read(struct report_log *log, struct csv *csv, const char *name, char error[static CSV_ERROR_MAX]);
void report_log_free(struct report_log *log);

/* A row that is more than so many times as long as usual stands behind others that are missing: who is that late leaves one out. */
#define REPORT_GAP_FACTOR 1.75

double report_log_start(const struct report_log *log, size_t row);
static inline double report_log_length(const struct report_log *log, size_t row);

/* A moment between two clocks; monotonic must be there. Outside of the log both run alike. */
double report_log_monotonic(const struct report_log *log, double time);
double report_log_time(const struct report_log *log, double monotonic);

/*
 * Means over a stretch of time, each row by its overlap. NaN where nothing is known. The target is that of the rows with a load, so that both
 * can be compared, unless none has one.
 */
struct report_mean {
	double load, target, power;
	double known;    /* seconds of which there is a load, … */
	double targeted; /* … and a target, too */
};
struct report_mean report_log_mean(const struct report_log *log, double start, double end);

/* The same of one array of the log's, which may be NULL. */
double report_log_mean_of(const struct report_log *log, const double *value, double start, double end);

/* Whether two targets are the same, as far as a log can tell; NaN is not. */
bool report_log_is_same(double target, double other);

/* Without a target, because the trace leaves the workloads free; not because nobody knows it. */
bool report_log_is_free(const struct report_log *log, size_t row);

/* A stretch of rows with the same target. */
struct report_step {
	size_t first, last; /* rows */
	double start, end, target;
};

/*
 * Finds the stretches of REPORT_STEP_ROWS rows or more, after the warm-up, that have the same target. A log without targets (or
 * that was free throughout) is one step, with a NaN target. Returns an array to be freed and their number (which may be 0), or
 * NULL with errno.
 */
#define REPORT_STEP_ROWS 3
struct report_step *report_log_steps(const struct report_log *log, size_t *count);

/* How many stretches of two rows that have the same target lie between two jumps: steps that are too short for these rows. */
size_t report_log_short_steps(const struct report_log *log);

/* The target jumps where the row begins, while it is nearly the same, or goes on sloping, before and after. */
bool report_log_is_jump(const struct report_log *log, size_t row);

static inline double report_log_length(const struct report_log *log, size_t row)
{
	return log->time[row] - report_log_start(log, row);
}

/*
 * Rows that a log lacks. Where it was written, a row without a load stands for them (control_log.h); where somebody took them out, the next row
 * seems to be much longer than the others.
 */

/*
 * Puts a row without a load in front of each row that would have to stand for others, so that none is taken for more than the usual length,
 * and divides one without a load where control begins in it. Once, after reading. 0, or -1 with errno.
 */
int report_gaps_fill(struct report_log *log);

/* After the warm-up, unless there is nothing else. Seconds. */
struct report_gaps {
	double unknown; /* without a load */
	double whole;
};
struct report_gaps report_gaps_measure(const struct report_log *log);

#endif
