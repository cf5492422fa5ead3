/* SPDX-License-Identifier: MIT */
/* What timelines and pictures of lines have in common. */
#ifndef REPORT_PICTURE_PARTS_H
#define REPORT_PICTURE_PARTS_H

#include "report/draw.h"
#include "report/picture.h"

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
