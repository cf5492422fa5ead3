/* SPDX-License-Identifier: MIT */
/* Workloads that share a machine: what a background does to a foreground, and what both do together. */
#include <math.h>
#include <stdlib.h>

#include "base/diag.h"
#include "report/colocation.h"
#include "ssreport/parts.h"

/* ---- Interference ----------------------------------------------------------------------------------------------------- */

static const enum column interference_columns[] = {COLUMN_LABEL, COLUMN_FILE, COLUMN_STEPS, COLUMN_INTERFERENCE,
	COLUMN_INTERFERENCE_1, COLUMN_INTERFERENCE_2, COLUMN_ANGLE, COLUMN_SYMMETRIC, COLUMN_P, COLUMN_SIGNIFICANT,
	COLUMN_SLOPE_1, COLUMN_INTERCEPT_1, COLUMN_SLOPE_P_1, COLUMN_INTERCEPT_P_1, COLUMN_R2_1, COLUMN_SLOPE_2,
	COLUMN_INTERCEPT_2, COLUMN_SLOPE_P_2, COLUMN_INTERCEPT_P_2, COLUMN_R2_2};

static const char *yes_or_no(bool is)
{
	return is ? "yes" : "no";
}

static int add_interference(struct report *report, const struct report_colocated *run)
{
	struct report_interference found;
	char error[CSV_ERROR_MAX];
	if (report_interference(run, &found, error) != 0)
		return complain(error);
	if (isnan(found.mean))
		diag("%s: interference is unavailable: the load was the same in all steps of a half, or there was no throughput",
			run->file);
	const struct regression *const first = &found.line[0];
	const struct regression *const second = &found.line[1];
	const struct row row = {{
		[COLUMN_LABEL].text = run->label,
		[COLUMN_FILE].text = run->file,
		[COLUMN_STEPS].number = (double)found.steps,
		[COLUMN_INTERFERENCE].number = found.mean,
		[COLUMN_INTERFERENCE_1].number = found.metric[0],
		[COLUMN_INTERFERENCE_2].number = found.metric[1],
		[COLUMN_ANGLE].number = found.angle,
		[COLUMN_SYMMETRIC].text = yes_or_no(found.is_symmetric),
		[COLUMN_P].number = found.p,
		[COLUMN_SIGNIFICANT].text = yes_or_no(found.is_significant),
		[COLUMN_SLOPE_1].number = first->slope,
		[COLUMN_INTERCEPT_1].number = first->intercept,
		[COLUMN_SLOPE_P_1].number = first->slope_p,
		[COLUMN_INTERCEPT_P_1].number = first->intercept_p,
		[COLUMN_R2_1].number = first->r2,
		[COLUMN_SLOPE_2].number = second->slope,
		[COLUMN_INTERCEPT_2].number = second->intercept,
		[COLUMN_SLOPE_P_2].number = second->slope_p,
		[COLUMN_INTERCEPT_P_2].number = second->intercept_p,
		[COLUMN_R2_2].number = second->r2,
	}};
	return add_row(report, &row);
}

static int interference(struct report *report, const struct report_colocation *colocation)
{
	for (size_t i = 0; i < colocation->count; i++) {
		const struct report_colocated *const run = &colocation->item[i];
		if (add_interference(report, run) != 0)
			return -1;
		struct report_series *const series = add_series(report, run->label);
		if (!series || append_windows(&series->windows, &run->windows) != 0)
			return -1;
	}
	return 0;
}

static int make_interference(struct report *report)
{
	return make_colocation(report, interference);
}

static int draw_interference(const struct report *report, struct plot *plot, const struct report_size *size)
{
	return report_picture_interference(plot, report->series, report->count, size);
}

const struct command command_interference = {
	.bit = INTERFERENCE,
	.name = "interference",
	.argument = "LOG|ITERATIONS",
	.summary = "how the load of a background slows a foreground down",
	COLUMNS(interference_columns),
	.make = make_interference,
	.size = size_lines,
	.draw = draw_interference,
};

/* ---- Overall and efficiency ------------------------------------------------------------------------------------------- */

/* What of a step is shown, and how its axis is called. */
struct quantity {
	double (*value)(const struct report_window *);
	const char *absolute, *relative;
};

static const struct quantity throughput = {report_window_throughput, "throughput (iterations/s)", "relative throughput (%)"};
static const struct quantity efficiency = {report_window_efficiency, "efficiency (iterations/Wh)", "relative efficiency (%)"};

static int add_step(struct report *report, const struct report_colocated *run, size_t step, double relative)
{
	const struct report_window *const window = &run->windows.item[step];
	struct row row = row_of_window(run->label, run->file, window);
	row.cell[COLUMN_STEP].number = (double)step + 1;
	row.cell[COLUMN_ENERGY].number = report_window_joules(window);
	row.cell[COLUMN_EFFICIENCY].number = report_window_efficiency(window);
	row.cell[COLUMN_RELATIVE].number = relative;
	return add_row(report, &row);
}

/* A row per step, and for the picture a series per run with the value, or with per cent of that of the reference. */
static int make_steps(struct report *report, const struct report_colocation *colocation, const struct quantity *quantity)
{
	const char *const label = report->settings->reference;
	char error[CSV_ERROR_MAX];
	double *const reference = label ? report_reference(colocation, label, quantity->value, error) : NULL;
	int result = label && !reference ? complain(error) : 0;
	for (size_t i = 0; result == 0 && i < colocation->count; i++) {
		const struct report_colocated *const run = &colocation->item[i];
		struct report_series *const series = add_series(report, run->label);
		if (!series || append_windows(&series->windows, &run->windows) != 0)
			result = -1;
		for (size_t step = 0; result == 0 && step < run->windows.count; step++) {
			struct report_window *const window = &series->windows.item[step];
			const double value = quantity->value(window);
			const double relative = reference ? value / reference[step] : NAN;
			window->throughput = reference ? 100 * relative : value;
			result = add_step(report, run, step, relative);
		}
	}
	free(reference);
	return result;
}

static int draw_steps(
	const struct report *report, struct plot *plot, const struct report_size *size, const struct quantity *quantity)
{
	const char *const name = report->settings->reference ? quantity->relative : quantity->absolute;
	return report_picture_steps(plot, report->series, report->count, size, name);
}

static int overall(struct report *report, const struct report_colocation *colocation)
{
	return make_steps(report, colocation, &throughput);
}

static int make_overall(struct report *report)
{
	return make_colocation(report, overall);
}

static int draw_overall(const struct report *report, struct plot *plot, const struct report_size *size)
{
	return draw_steps(report, plot, size, &throughput);
}

static const enum column overall_columns[] = {COLUMN_LABEL, COLUMN_FILE, COLUMN_STEP, COLUMN_START, COLUMN_END, COLUMN_TARGET,
	COLUMN_LOAD, COLUMN_ITERATIONS, COLUMN_THROUGHPUT, COLUMN_RELATIVE};

const struct command command_overall = {
	.bit = OVERALL,
	.name = "overall",
	.argument = "LOG|ITERATIONS",
	.summary = "throughput of all workloads together in each step",
	COLUMNS(overall_columns),
	.make = make_overall,
	.size = size_lines,
	.draw = draw_overall,
};

static bool has_power(const struct report_colocated *run)
{
	for (size_t i = 0; i < run->windows.count; i++)
		if (!isnan(run->windows.item[i].power))
			return true;
	return false;
}

static int efficient(struct report *report, const struct report_colocation *colocation)
{
	bool has_any = false;
	for (size_t i = 0; i < colocation->count; i++) {
		if (has_power(&colocation->item[i]))
			has_any = true;
		else
			diag("%s: energy is unavailable: none of its logs has values in a column power_w",
				colocation->item[i].label);
	}
	if (!has_any && settings_want_picture(report->settings))
		return complain(
			"found no run with a power to draw, expected logs with a column power_w (cpuload --columns power)");
	return make_steps(report, colocation, &efficiency);
}

static int make_efficiency(struct report *report)
{
	return make_colocation(report, efficient);
}

static int draw_efficiency(const struct report *report, struct plot *plot, const struct report_size *size)
{
	return draw_steps(report, plot, size, &efficiency);
}

static const enum column efficiency_columns[] = {COLUMN_LABEL, COLUMN_FILE, COLUMN_STEP, COLUMN_START, COLUMN_END, COLUMN_TARGET,
	COLUMN_LOAD, COLUMN_ITERATIONS, COLUMN_POWER, COLUMN_ENERGY, COLUMN_EFFICIENCY, COLUMN_RELATIVE};

const struct command command_efficiency = {
	.bit = EFFICIENCY,
	.name = "efficiency",
	.argument = "LOG|ITERATIONS",
	.summary = "iterations per watt-hour in each step",
	COLUMNS(efficiency_columns),
	.make = make_efficiency,
	.size = size_lines,
	.draw = draw_efficiency,
};
