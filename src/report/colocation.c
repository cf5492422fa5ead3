/* SPDX-License-Identifier: MIT */
#include "report/colocation.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Targets of steps of different runs that differ by less are the same. */
#define SAME_TARGET 0.0005
/* Fewer steps in a half give no p-value. */
#define HALF_LEAST 3
/* The criteria of the papers. */
#define ANGLE_MOST 3.0
#define P_MOST 0.05
#define DEGREES (180 / 3.14159265358979323846)

/* ---- Runs ------------------------------------------------------------------------------------------------------------- */

static int add_log(struct report_colocation *colocation, const struct report_run *run, const struct report_log *log, double edge,
	char error[static CSV_ERROR_MAX])
{
	const struct report_windows_rules rules = {.kind = REPORT_STEPS, .edge = edge, .is_staircase = true};
	struct report_colocated *const larger = realloc(colocation->item, (colocation->count + 1) * sizeof *larger);
	if (!larger)
		return csv_fail(error, "%s", strerror(errno));
	colocation->item = larger;
	struct report_colocated *const to = &larger[colocation->count++];
	*to = (struct report_colocated){.label = run->label, .file = log->name};
	if (report_windows_make(&to->windows, run, log, &rules, error) != 0)
		return -1;
	for (size_t i = 0; i < to->windows.count; i++) {
		if (isnan(to->windows.item[i].load))
			return csv_fail(
				error, "%.300s: found no load in step %zu, expected it in some of its rows", log->name, i + 1);
	}
	return 0;
}

static int add_run(
	struct report_colocation *colocation, const struct report_run *run, double edge, char error[static CSV_ERROR_MAX])
{
	size_t logs = 0;
	if (run->iteration_files == 0)
		return csv_fail(error, "%.300s: found a log, but no iterations", run->label);
	for (size_t i = 0; i < run->logs; i++) {
		if (!run->log[i].target)
			continue;
		logs++;
		if (add_log(colocation, run, &run->log[i], edge, error) != 0)
			return -1;
	}
	if (logs > 0)
		return 0;
	if (run->logs > 0)
		return csv_fail(
			error, "%.300s:1: found no column target, expected a control log (showstopper -o)", run->log->name);
	return csv_fail(error, "%.300s: found iterations, but no control log (showstopper -o)", run->label);
}

int report_colocation_make(
	struct report_colocation *colocation, const struct report_input *input, double edge, char error[static CSV_ERROR_MAX])
{
	*colocation = (struct report_colocation){0};
	for (size_t i = 0; i < input->runs; i++)
		if (add_run(colocation, &input->run[i], edge, error) != 0)
			return -1;
	return 0;
}

void report_colocation_free(struct report_colocation *colocation)
{
	for (size_t i = 0; i < colocation->count; i++)
		report_windows_free(&colocation->item[i].windows);
	free(colocation->item);
	*colocation = (struct report_colocation){0};
}

/* ---- Interference ----------------------------------------------------------------------------------------------------- */

/* Whether the targets of the second half are those of the first one, backwards, and not all the same. */
static bool turns(const struct report_windows *windows, size_t half)
{
	const struct report_window *const first = windows->item;
	const struct report_window *const last = &windows->item[windows->count - 1];
	for (size_t i = 0; i < half; i++)
		if (!(fabs(first[i].target - last[-(ptrdiff_t)i].target) < SAME_TARGET))
			return false;
	return fabs(first[half - 1].target - first[0].target) > SAME_TARGET;
}

static double normalized_slope(const struct regression *line)
{
	return line->slope / line->intercept;
}

/* The larger one; NaN when one of them is. */
static double larger(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

int report_interference(const struct report_colocated *run, struct report_interference *result, char error[static CSV_ERROR_MAX])
{
	const struct report_windows *const windows = &run->windows;
	/* Where the turning step lasts no longer than the others, it is the end of one half and the beginning of the other. */
	const size_t half = (windows->count + 1) / 2;
	*result = (struct report_interference){.steps = windows->count};
	if (half < HALF_LEAST || !turns(windows, half))
		return csv_fail(error,
			"%.300s: found %zu steps, expected a staircase that goes back as it came, with at least %d steps in each "
			"half",
			run->file, windows->count, HALF_LEAST);
	for (size_t i = 0; i < REPORT_HALVES; i++) {
		const struct report_window *const first = i == 0 ? windows->item : windows->item + windows->count - half;
		struct regression *const line = &result->line[i];
		/* Where the load was the same in all steps there is no line. */
		regression_fit(&first->load, &first->throughput, REPORT_WINDOW_STRIDE, half, line);
		result->metric[i] = -100 * normalized_slope(line);
		result->p = i == 0 ? line->slope_p : larger(result->p, line->slope_p);
		result->p = larger(result->p, line->intercept_p);
	}
	result->mean = (result->metric[0] + result->metric[1]) / REPORT_HALVES;
	result->angle = fabs(atan(normalized_slope(&result->line[0])) - atan(normalized_slope(&result->line[1]))) * DEGREES;
	result->is_symmetric = result->angle < ANGLE_MOST;
	result->is_significant = result->p < P_MOST;
	return 0;
}

/* ---- One run and another ---------------------------------------------------------------------------------------------- */

double report_window_throughput(const struct report_window *window)
{
	return window->throughput;
}

double report_window_joules(const struct report_window *window)
{
	return window->power * (window->end - window->start);
}

double report_window_efficiency(const struct report_window *window)
{
	return window->iterations / (report_window_joules(window) * (1 - window->missing) / 3600);
}

static int check_steps(
	const struct report_colocated *run, const struct report_colocated *reference, char error[static CSV_ERROR_MAX])
{
	const struct report_windows *const mine = &run->windows;
	const struct report_windows *const its = &reference->windows;
	if (mine->count != its->count)
		return csv_fail(error, "%.200s: found %zu steps, and %zu in %.200s, expected the same ones", run->file,
			mine->count, its->count, reference->file);
	for (size_t i = 0; i < mine->count; i++) {
		if (fabs(mine->item[i].target - its->item[i].target) < SAME_TARGET ||
			(isnan(mine->item[i].target) && isnan(its->item[i].target)))
			continue;
		return csv_fail(error,
			"%.200s: found a target of %.2f %% in step %zu, and %.2f %% in %.200s, expected the same ones", run->file,
			100 * mine->item[i].target, i + 1, 100 * its->item[i].target, reference->file);
	}
	return 0;
}

double *report_reference(const struct report_colocation *colocation, const char *label,
	double (*value)(const struct report_window *), char error[static CSV_ERROR_MAX])
{
	const struct report_colocated *reference = NULL;
	double runs = 0;
	for (size_t i = 0; i < colocation->count && !reference; i++)
		if (strcmp(colocation->item[i].label, label) == 0)
			reference = &colocation->item[i];
	if (!reference) {
		csv_fail(error, "--reference: found no run of the label '%.200s'", label);
		return NULL;
	}
	const size_t count = reference->windows.count;
	double *const mean = calloc(count, sizeof *mean);
	if (!mean) {
		csv_fail(error, "%s", strerror(errno));
		return NULL;
	}
	for (size_t i = 0; i < colocation->count; i++) {
		const struct report_colocated *const run = &colocation->item[i];
		if (check_steps(run, reference, error) != 0) {
			free(mean);
			return NULL;
		}
		if (strcmp(run->label, label) != 0)
			continue;
		runs++;
		for (size_t step = 0; step < count; step++)
			mean[step] += value(&run->windows.item[step]);
	}
	for (size_t step = 0; step < count; step++)
		mean[step] /= runs;
	return mean;
}

int report_ratio(const struct report_colocated *run, const struct report_colocated *reference, struct report_ratio *ratio,
	char error[static CSV_ERROR_MAX])
{
	const size_t count = run->windows.count;
	if (check_steps(run, reference, error) != 0)
		return -1;
	double *const share = calloc(count, sizeof *share);
	if (!share)
		return csv_fail(error, "%s", strerror(errno));
	for (size_t i = 0; i < count; i++) {
		const double other = reference->windows.item[i].throughput;
		if (!(other > 0)) {
			csv_fail(error, "%.300s: found no iteration in step %zu, to compare others with", reference->file, i + 1);
			free(share);
			return -1;
		}
		share[i] = run->windows.item[i].throughput / other;
	}
	gsl_sort(share, 1, count);
	*ratio = (struct report_ratio){.steps = count,
		.least = share[0],
		.median = (share[(count - 1) / 2] + share[count / 2]) / 2,
		.most = share[count - 1]};
	free(share);
	return 0;
}
