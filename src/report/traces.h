/* SPDX-License-Identifier: MIT */
/* Traces as files of a report: what a load was to be, without a run. */
#ifndef REPORT_TRACES_H
#define REPORT_TRACES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "trace/trace.h"

struct report_trace {
	const char *name; /* for messages; the caller's */
	struct trace trace;
};

/* Whether a regular file begins like a trace, text or compiled, which no CSV of ours does. */
bool report_trace_is(const char *path);

/* Reads one, which must have a length, and adds it to the list of `count`. 0, or -1 with a message. */
int report_trace_add(struct report_trace **trace, size_t *count, const char *path, char error[static CSV_ERROR_MAX]);

#endif
