/* SPDX-License-Identifier: MIT */
/* What timelines and pictures of lines have in common. */
#ifndef REPORT_PICTURE_PARTS_H
#define REPORT_PICTURE_PARTS_H

#include "report/draw.h"
#include "report/picture.h"

#define REPORT_COLUMN_CM 8.5 /* width of a picture */

/* First and last moment of all windows in seconds, as x and y. */
struct report_point report_picture_range(const struct report_series *series, size_t count);

/* The unit that gives the throughput of these series numbers of a few digits. */
struct report_unit report_picture_rate(const struct report_series *series, size_t count);

/* Throughput, multiplied by `rate`, as steps from edge to edge, whose times are multiplied by `unit`. 0, or -1 with errno. */
int report_picture_add_steps(struct report_points *points, const struct report_windows *windows, double unit, double rate);

#endif
