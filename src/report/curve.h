/* SPDX-License-Identifier: MIT */
/* Throughput against load: the mean of windows that have the same target, and how far they are apart. */
#ifndef REPORT_CURVE_H
#define REPORT_CURVE_H

#include <stddef.h>

#include "report/window.h"

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
