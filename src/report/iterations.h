/* SPDX-License-Identifier: MIT */
/* Iteration records (iteration_log.h) in memory, and how many iterations there were in a stretch of time. */
#ifndef REPORT_ITERATIONS_H
#define REPORT_ITERATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "report/values.h"

struct report_iteration {
	double start, end; /* seconds, CLOCK_MONOTONIC; end is not before start */
};

/* Start with {0}. */
struct report_iterations {
	struct report_iteration *item;
	size_t count, capacity;
	size_t failed;                /* and are left out */
	struct report_iteration *gap; /* `gaps` of them: stretches of whose iterations some are missing */
	size_t gaps;
	struct report_clock clock; /* of what the file that was read last says of the wall clock */
};

/* Whether a file with this header has iteration records. */
bool report_iterations_is(const struct csv *csv);

/*
 * Adds the records of a file, of which there may be none; *is_cut: it ended in half a line, which was left out. 0, or -1 with a
 * message. Free in both cases.
 */
int report_iterations_read(
	struct report_iterations *iterations, struct csv *csv, const char *name, bool *is_cut, char error[static CSV_ERROR_MAX]);
void report_iterations_free(struct report_iterations *iterations);

/* The earliest start and the latest end; there must be a record. */
struct report_iteration report_iterations_span(const struct report_iterations *iterations);

/* The time in which records are missing; seconds. */
double report_iterations_missing(const struct report_iterations *iterations);

/* Adds the stretches with missing records of others, moved by so much. 0, or -1 with errno. */
int report_iterations_add_gaps(struct report_iterations *iterations, const struct report_iterations *others, double shift);

/*
 * Counts the iterations in stretches of time that are sorted and don't overlap (paper 002, footnote 3): an iteration adds to each
 * of them the fraction of itself that lies in it. What lies where records are missing doesn't count; `known` is how many seconds of each
 * stretch are left. 0, or -1 with errno.
 */
struct report_stretch {
	double start, end;
};
int report_iterations_count(const struct report_iterations *iterations, const struct report_stretch *stretch, size_t count,
	double *sum, double *known);

#endif
