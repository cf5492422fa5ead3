/* SPDX-License-Identifier: MIT */
/* Stretches of a run, with the load and the throughput that it had in each. */
#ifndef REPORT_WINDOW_H
#define REPORT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

#include "report/input.h"

struct report_window {
	double start, end;   /* seconds since control began, or, without a log, since the first iteration did */
	double target, load; /* means, 0 to 1; NaN where not known, and without a log; no target where a part of it was free */
	double iterations;   /* NaN without iteration files, or where all of them are missing */
	double throughput;   /* iterations per second */
	double missing;      /* the share of its time that has no part in these two, as records are missing */
	double power;        /* mean watts; NaN where not known */
};

/* From a member of a window to that of the next one, in doubles. */
#define REPORT_WINDOW_STRIDE (sizeof(struct report_window) / sizeof(double))
_Static_assert(
	sizeof(struct report_window) % sizeof(double) == 0, "the members of windows must lie a whole number of doubles apart");

struct report_windows {
	struct report_window *item;
	size_t count;
};

enum report_windows_kind {
	REPORT_ROWS,      /* the rows of the log */
	REPORT_INTERVALS, /* `length` seconds each, multiples of which they begin at; the first and the last one may be shorter */
	REPORT_STEPS,     /* each stretch of constant target, less a share of `edge` of it at its beginning and end */
};

struct report_windows_rules {
	enum report_windows_kind kind;
	double length, edge;
	bool with_warmup; /* not for steps */
	/* Steps: those of a staircase that goes back as it came. The turning step, where it lasts twice as long, is two. */
	bool is_staircase;
};

/*
 * Makes the windows of one log of a run, or, where `log` is NULL, of its iterations alone (intervals only). 0, or -1 with a
 * message in `error` when the files don't have what that needs. Free with report_windows_free in both cases.
 */
int report_windows_make(struct report_windows *windows, const struct report_run *run, const struct report_log *log,
	const struct report_windows_rules *rules, char error[static CSV_ERROR_MAX]);
void report_windows_free(struct report_windows *windows);

/* Throughput against load: the mean of windows that have the same target, and how far they are apart. */

struct report_level {
	double load, throughput; /* means of its windows, as there */
	double deviation;        /* of the throughput: the standard deviation of a sample; NaN for a single window */
	size_t windows;
};

struct report_curve {
	struct report_level *level; /* in the order of their loads */
	size_t count;
};

/*
 * Targets are the same within half a percentage point; a window without one is a level of its own. Windows of which the load or the
 * throughput is not known are left out. 0, or -1 with errno. Free with report_curve_free in both cases.
 */
int report_curve_make(struct report_curve *curve, const struct report_windows *windows);
void report_curve_free(struct report_curve *curve);

#endif
