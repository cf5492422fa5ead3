/* SPDX-License-Identifier: MIT */
/* Traces in which each interval of a recording has its mean. */
#ifndef TRACE_IMPORT_INTERVALS_H
#define TRACE_IMPORT_INTERVALS_H

#include "trace/trace.h"

/* A stretch of the trace, which begins where the one before ends. */
struct import_interval {
	int64_t end_ns; /* since the beginning of the first one */
	double load;    /* 0 to 1 */
};

/* Make an empty trace one of at least one interval, with steps or with straight lines. 0, or -1 with errno. */
int import_intervals_steps(const struct import_interval *interval, size_t count, struct trace *trace);
int import_intervals_lines(const struct import_interval *interval, size_t count, struct trace *trace);

#endif
