/* SPDX-License-Identifier: MIT */
/* A trace in memory: its records. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <stddef.h>
#include <stdint.h>

struct trace_record {
	int64_t ns;  /* from 0, not below that of the record before */
	double load; /* 0 to 1, or NaN: free */
};

enum trace_interpolation { TRACE_LINEAR, TRACE_STEP };

/* Zero is an empty trace. Freed by trace_free, also after an error. */
struct trace {
	enum trace_interpolation interpolation;
	size_t count;                       /* at least 1 once loaded */
	const struct trace_record *records; /* read-only once loaded, and shared with the children of the process */
	void *mapping;                      /* what the records lie in */
	size_t mapped;                      /* bytes of it */
};

/*
 * Adds a record to a trace that is being built. The record must be in order and in range; nobody checks. Returns 0, or -1
 * with errno.
 */
int trace_append(struct trace *trace, const struct trace_record *record);

/* Memory for at least `count` records, shared with children to come; those that are there stay. 0, or -1 with errno. */
int trace_reserve(struct trace *trace, size_t count);

void trace_free(struct trace *trace);

#endif
