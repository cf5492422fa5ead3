/* SPDX-License-Identifier: MIT */
/* The pictures of a report, as scripts for a plot. */
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "report/draw.h"
#include "report/plot.h"
#include "report/window.h"
#include "trace/trace.h"

/* One curve of a picture, or one panel of a timeline. */
struct report_series {
	const char *label;             /* NULL: none is shown */
	struct report_windows windows; /* the caller's */
	/* Timeline only: */
	double length;                    /* of the windows, in seconds; 0: they are rows */
	struct report_windows throughput; /* empty: none */
	struct report_windows steps;      /* whose mean power is drawn; empty: none */
	const struct trace *trace;        /* whose line is the target, in place of means; NULL: none. The caller's */
};

/* What the time of a run was when its trace was recorded. */
struct report_recorded {
	double start; /* the time of day at which control begins, in seconds */
	double speed; /* how many times faster than that the run is; 0: the axis has the time of the run */
};

/* Sizes of the pictures, as wide as a column and as high as they need. */
struct report_size report_picture_size_timeline(const struct report_series *series, size_t count, size_t columns);
struct report_size report_picture_size_lines(const struct report_series *series, size_t count);

/*
 * Write the script of a picture of the given size. 0, or -1 with errno.
 *
 * timeline: a panel per series, one above the other or in several columns, row after row, with target and load as lines of the same
 * windows, the throughput, on the right axis, as steps, and the power as a line with an axis of its own. throughput: over time, as
 * steps; with `stretches` as a point per window, with a bar as long as the window. steps: the same of any value, which the windows
 * have in the place of their throughput, and whose axis has this name.
 * curve: throughput against load, a point per window; lines join the means of windows that have the same target, with their standard deviation as a bar, unless
 * `is_scattered`.
 */
int report_picture_timeline(struct plot *plot, const struct report_series *series, size_t count, size_t columns,
	const struct report_recorded *recorded, const struct report_size *size);
int report_picture_throughput(
	struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size, bool stretches);
int report_picture_steps(
	struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size, const char *name);
int report_picture_curve(
	struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size, bool is_scattered);

/*
 * interference: throughput over load, a point per step, those of the first half of a staircase as triangles that point down, those
 * of the second half up, each half with its line.
 */
int report_picture_interference(
	struct plot *plot, const struct report_series *series, size_t count, const struct report_size *size);

/* What timelines and pictures of lines have in common. */

#define REPORT_COLUMN_CM 8.5 /* width of a picture */

/* The target is a thin line in front of the load's, so that both are seen where they are the same. */
#define REPORT_TARGET_COLOR "#000000"
#define REPORT_LOAD_COLOR "#56b4e9"
#define REPORT_LOAD_LINE 2.6
#define REPORT_TARGET_CM 0.03 /* heights of their lines in a legend */
#define REPORT_LOAD_CM 0.045

/* First and last moment of all windows in seconds, as x and y. */
struct report_point report_picture_range(const struct report_series *series, size_t count);

/* The unit that gives the throughput of these series numbers of a few digits. */
struct report_unit report_picture_rate(const struct report_series *series, size_t count);

/*
 * Of one of the windows. The target of one in which no load is known, because rows are missing, may be a mean over several: it is known where the
 * window before or the one behind has the same.
 */
double report_picture_load(const struct report_windows *windows, size_t at);
double report_picture_target(const struct report_windows *windows, size_t at);
double report_picture_power(const struct report_windows *windows, size_t at);

/*
 * Means over windows that follow one another, multiplied by `factor`: a line through the middles of the windows, and to their edges where it
 * begins and ends. It is interrupted where a mean isn't known. Times are multiplied by `unit`. 0, or -1 with errno.
 */
int report_picture_add_means(struct report_points *points, const struct report_windows *windows,
	double (*mean)(const struct report_windows *windows, size_t at), double unit, double factor);

/* Throughput, multiplied by `rate`, as steps from edge to edge, whose times are multiplied by `unit`. 0, or -1 with errno. */
int report_picture_add_steps(struct report_points *points, const struct report_windows *windows, double unit, double rate);

#endif
