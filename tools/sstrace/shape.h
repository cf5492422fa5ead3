/* SPDX-License-Identifier: MIT */
/* A trace made into another one: a part of it, other loads, another length; and what its loads are over time. */
#ifndef TRACE_SHAPE_H
#define TRACE_SHAPE_H

#include "trace/trace.h"

#define TRACE_SHAPE_WHOLE INT64_MAX /* to_ns: up to the end */

/* What is done, in this order. */
struct trace_shape {
	int64_t from_ns, to_ns; /* this part is kept, and begins at 0 */
	double scale;           /* above 0: loads are multiplied by it */
	double low, high;       /* and cut to these, within 0 and 1 */
	int64_t length_ns;      /* of all that; 0: as it is */
};

/* Leaves a trace as it is. */
#define TRACE_SHAPE_NONE                                                                                                         \
	{                                                                                                                        \
		.to_ns = TRACE_SHAPE_WHOLE, .scale = 1, .high = 1                                                                \
	}

/*
 * Reshapes a trace that is loaded. The part lies within it, and is longer than nothing where it gets a length. *cut becomes the number of loads in
 * its records that were cut. Sloping lines that leave the bounds get records where they do. 0, or -1 with errno, after which the trace is as it
 * was.
 */
int trace_shape(struct trace *trace, const struct trace_shape *shape, size_t *cut);

/* Means over stretches of so many ns from 0 on, `count` of them within the trace's length; NaN where it is free for a part of one. */
void trace_means(const struct trace *trace, int64_t stretch_ns, double *mean, size_t count);

#endif
