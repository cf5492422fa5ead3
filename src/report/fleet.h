/* SPDX-License-Identifier: MIT */
/*
 * A fleet: logs of many machines that ran at the same time, brought together by the wall clock. Times are seconds since the first of
 * them began control; where no log tells the wall clock, all are taken to have begun together.
 */
#ifndef REPORT_FLEET_H
#define REPORT_FLEET_H

#include <stdbool.h>
#include <stddef.h>

#include "report/draw.h"
#include "report/input.h"
#include "report/log.h"

struct report_fleet_node {
	const char *label; /* the run's */
	const struct report_log *log;
	double shift;           /* to be added to CLOCK_MONOTONIC of its log */
	double start, end;      /* of control, and of its last row */
	double target, load;    /* means; NaN where not known */
	double mean_error, mse; /* of its rows under control, in shares; NaN */
	size_t samples;
};

struct report_fleet {
	struct report_fleet_node *node; /* `count` of them */
	size_t count;
	bool knows_wall; /* else the starts are not known */
	double end;      /* of the last one */
	double bin;      /* length of a bin */
	size_t bins;
	double *load, *target;             /* count rows of bins; NaN where not known */
	double *all_load, *all_target;     /* of a bin, as shares of all nodes: one that has none counts as none; NaN */
	size_t *present;                   /* how many have both */
	struct report_fleet_node together; /* of all_load and all_target; label NULL */
};

/*
 * Brings the logs of these runs together, in bins of `bin` seconds, or of as many as a picture can show. 0, or -1 with a message. Free in both cases.
 */
int report_fleet_make(struct report_fleet *fleet, const struct report_input *input, double bin, char error[static CSV_ERROR_MAX]);
void report_fleet_free(struct report_fleet *fleet);

/* A fleet as a picture: above, the load of each node over time as a heat map, below, the load of all against their targets. */

struct report_size report_picture_size_fleet(const struct report_fleet *fleet);

/* Writes the script of a picture of this size. 0, or -1 with errno. */
int report_picture_fleet(struct plot *plot, const struct report_fleet *fleet, const struct report_size *size);

#endif
