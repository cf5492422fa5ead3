/* SPDX-License-Identifier: MIT */
/*
 * Workloads that share a machine: a foreground that runs freely, and a background that is held to the steps of a staircase
 * (papers 000, Sections 6 and 7, and 001). A run's log is that of the background; of which workloads the iterations are, the
 * caller decides by the files.
 */
#ifndef REPORT_COLOCATION_H
#define REPORT_COLOCATION_H

#include <stdbool.h>
#include <stddef.h>

#include "report/input.h"
#include "report/values.h"
#include "report/window.h"

/* One control log with the iterations beside it, as a window per step. Texts are those of the input. */
struct report_colocated {
	const char *label, *file;
	struct report_windows windows;
};

struct report_colocation {
	struct report_colocated *item;
	size_t count;
};

/*
 * Takes the steps of all control logs; other logs of a run are asked for the power only. `edge` is the share of a step that is
 * left out at either end. 0, or -1 with a message. Free in both cases.
 */
int report_colocation_make(
	struct report_colocation *colocation, const struct report_input *input, double edge, char error[static CSV_ERROR_MAX]);
void report_colocation_free(struct report_colocation *colocation);

/* ---- Interference ----------------------------------------------------------------------------------------------------- */

/* The halves of a staircase: from the first load to the one where it turns, and back. */
#define REPORT_HALVES 2

struct report_interference {
	size_t steps;                          /* of both halves */
	struct regression line[REPORT_HALVES]; /* throughput over load (0 to 1) */
	double metric[REPORT_HALVES];          /* −100 · slope / intercept */
	double mean;                           /* of both */
	double angle;                          /* between the lines of throughput / intercept, in degrees */
	double p;                              /* the largest of the p-values of slopes and intercepts */
	bool is_symmetric;                     /* the angle is below 3 degrees */
	bool is_significant;                   /* all p-values are known, and below 0.05 */
};

/* 0, or -1 with a message. All is NaN, and neither criterion met, when the load was the same in all steps of a half. */
int report_interference(const struct report_colocated *run, struct report_interference *result, char error[static CSV_ERROR_MAX]);

/* ---- One run and another ---------------------------------------------------------------------------------------------- */

/* What of a window is compared. */
double report_window_throughput(const struct report_window *window);
double report_window_joules(const struct report_window *window);
/* Iterations per watt-hour. */
double report_window_efficiency(const struct report_window *window);

/*
 * What the runs of a label have in each step, the mean over these runs: an array of as many values as each run of the colocation
 * has steps, to be freed. Or NULL with a message: no such label, or other steps.
 */
double *report_reference(const struct report_colocation *colocation, const char *label,
	double (*value)(const struct report_window *), char error[static CSV_ERROR_MAX]);

/* The throughput of one run as a share of that of another, over the steps. */
struct report_ratio {
	size_t steps;
	double least, median, most;
};

/* 0, or -1 with a message. */
int report_ratio(const struct report_colocated *run, const struct report_colocated *reference, struct report_ratio *ratio,
	char error[static CSV_ERROR_MAX]);

#endif
