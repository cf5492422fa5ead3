/* SPDX-License-Identifier: MIT */
/* Stretches of a run, with the load and the throughput that it had in each. */
#ifndef REPORT_WINDOW_H
#define REPORT_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/accuracy.h"
#include "report/input.h"
#include "report/log.h"

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

/*
 * The same of a trace: its targets in windows of so many ns, the last of which may be shorter; 0: from record to record. 0, or -1 with
 * errno. It has a length.
 */
int report_windows_of_trace(struct report_windows *windows, const struct trace *trace, int64_t length_ns);

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

/* Which samples of a log count for its accuracy, and the accuracy at each level of the target. */

/* Times in seconds. A row is left out when its middle lies in a stretch that is. */
struct report_accuracy_rules {
	double window;     /* length of a sample; 0: a row of the log is one */
	double settle;     /* left out after control begins, also after a free stretch */
	double skip_edges; /* left out after each jump of the target */
	double burst;      /* a row in which the background load is above this, 0 to 1, is one of a burst */
	double calm;       /* what follows a burst for so long is not calm either */
};

struct report_accuracy {
	double target;  /* the level; NaN for all samples together */
	double seconds; /* length of the samples */
	struct accuracy accuracy;
	/*
	 * Of them, the samples without a burst: each of their rows is calm, and the background load is known in it. Meaningless where
	 * knows_background is false: where the log doesn't have it, or in no row.
	 */
	bool knows_background;
	struct accuracy calm;
};

/*
 * The accuracy of a log with targets: of all samples, and, with `levels`, behind that of the samples at each target that lasted
 * (report_log_steps), sorted by it. Samples are those after the warm-up whose load and target are known, but not a row beside a
 * free one, of which a part may have been free, and nothing of half the sample's length or less. With a window, the rows whose
 * middle lies in it are one sample, weighted by their lengths. Returns an array to be freed, of `count`, or NULL with errno.
 */
struct report_accuracy *report_accuracy(
	const struct report_log *log, const struct report_accuracy_rules *rules, int levels, size_t *count);

#endif
