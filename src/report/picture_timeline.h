/* SPDX-License-Identifier: MIT */
/* Watts in a timeline: an axis of their own at the right, the same in all panels, so that they can be compared. */
#ifndef REPORT_PICTURE_POWER_H
#define REPORT_PICTURE_POWER_H

#include <stdbool.h>
#include <stddef.h>

#include "report/draw.h"
#include "report/picture.h"

#define REPORT_POWER_COLOR "#009e73"
#define REPORT_POWER_MEAN_COLOR "#004d39"

/* From 0 to `most`, with a number at each multiple of `step`. 0: no series has any power. */
struct report_power_axis {
	double most, step;
};
struct report_power_axis report_power_axis_make(const struct report_series *series, size_t count);

/*
 * Writes the axis of the graph that comes next, so many cm (and the width of the graph) right of its left edge, or takes it away.
 * Each graph's is in the place of the one before.
 */
void report_power_axis_write(struct plot *plot, const struct report_power_axis *axis, const struct report_size *graph,
	double beyond_cm, bool is_shown);

/*
 * Write the data blocks `$power` and `$powermean` of a panel: watts in per cent of the axis over time, multiplied by `unit`; and the
 * means of steps, a line from edge to edge of each. 0, or -1 with errno; *has_any: there is something to draw.
 */
int report_power_write(struct plot *plot, const struct report_series *series, const struct report_power_axis *axis, double unit,
	size_t number, bool *has_any);

#endif
