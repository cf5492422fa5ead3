/* SPDX-License-Identifier: MIT */
/* Runs that were repeated: the mean of each figure over them, and how far the true one may be from it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/values.h"
#include "ssreport/parts.h"

#define ALL_LABEL "all" /* of logs without a label */

static const enum column list[] = {COLUMN_LABEL, COLUMN_FIGURE, COLUMN_RUNS, COLUMN_SAMPLES, COLUMN_MEAN, COLUMN_LOW, COLUMN_HIGH,
	COLUMN_BURSTS, COLUMN_CALM_RUNS, COLUMN_CALM_MEAN, COLUMN_CALM_LOW, COLUMN_CALM_HIGH};

/* Logs of one label, each of them a run. */
struct group {
	const char *label;
	struct report_accuracy *of_log;
	size_t count;
};

/* 100 or 0, so that the mean is the share of runs in per cent (paper 000, Section 9). */
static double is_near(const struct accuracy *accuracy, double share)
{
	return accuracy->samples == 0 ? NAN : accuracy_near(accuracy) >= share ? 100 : 0;
}

static double is_near_80(const struct accuracy *accuracy)
{
	return is_near(accuracy, 0.8);
}

static double is_near_90(const struct accuracy *accuracy)
{
	return is_near(accuracy, 0.9);
}

enum kind { OF_VALUES, OF_SAMPLES, OF_RUNS_ALONE }; /* a share of samples; one of runs, which is counted and has no interval */

static const struct figure {
	const char *name;
	double (*of)(const struct accuracy *);
	enum kind kind;
} figures[] = {
	{"mean_error_pp", accuracy_mean_error_pp, OF_VALUES},
	{"mse_pp2", accuracy_mse_pp2, OF_VALUES},
	{"near_percent", accuracy_near, OF_SAMPLES},
	{"runs_near_80_percent", is_near_80, OF_RUNS_ALONE},
	{"runs_near_90_percent", is_near_90, OF_RUNS_ALONE},
};

/* ---- Groups ----------------------------------------------------------------------------------------------------------- */

static const char *label_of(const struct report_run *run)
{
	return run->is_labelled ? run->label : ALL_LABEL;
}

static int measure(struct group *group, const struct report_input *input, const struct settings *settings)
{
	for (size_t i = 0; i < input->runs; i++) {
		const struct report_run *const run = &input->run[i];
		for (size_t log = 0; strcmp(label_of(run), group->label) == 0 && log < run->logs; log++) {
			size_t levels;
			struct report_accuracy *const found = measure_accuracy(settings, &run->log[log], false, &levels);
			if (!found)
				return -1;
			group->of_log[group->count++] = found[0];
			free(found);
		}
	}
	return 0;
}

/* ---- Rows ------------------------------------------------------------------------------------------------------------- */

static struct report_interval interval(const struct group *group, const struct figure *figure, bool calm, double *value)
{
	double samples = 0;
	for (size_t i = 0; i < group->count; i++) {
		const struct accuracy *const of_run = calm ? &group->of_log[i].calm : &group->of_log[i].accuracy;
		value[i] = figure->of(of_run);
		samples += (double)of_run->samples;
	}
	struct report_interval found = figure->kind == OF_SAMPLES ? report_interval_of_shares(value, group->count, samples)
								  : report_interval(value, group->count);
	if (figure->kind == OF_RUNS_ALONE)
		found.low = found.high = NAN;
	if (figure->kind == OF_SAMPLES) {
		found.mean *= 100;
		found.low *= 100;
		found.high *= 100;
	}
	return found;
}

/* `value` has room for one of each run. */
static int add_figure(struct report *report, const struct group *group, const struct figure *figure, double *value)
{
	double samples = 0;
	double bursts = 0;
	for (size_t i = 0; i < group->count; i++) {
		const struct report_accuracy *const found = &group->of_log[i];
		samples += (double)found->accuracy.samples;
		bursts += found->knows_background ? (double)(found->accuracy.samples - found->calm.samples) : NAN;
	}
	const struct report_interval all = interval(group, figure, false, value);
	const struct report_interval calm = interval(group, figure, true, value);
	const struct row row = {{
		[COLUMN_LABEL].text = group->label,
		[COLUMN_FIGURE].text = figure->name,
		[COLUMN_RUNS].number = (double)all.count,
		[COLUMN_SAMPLES].number = samples,
		[COLUMN_MEAN].number = all.mean,
		[COLUMN_LOW].number = all.low,
		[COLUMN_HIGH].number = all.high,
		[COLUMN_BURSTS].number = bursts,
		[COLUMN_CALM_RUNS].number = isnan(bursts) ? NAN : (double)calm.count,
		[COLUMN_CALM_MEAN].number = isnan(bursts) ? NAN : calm.mean,
		[COLUMN_CALM_LOW].number = isnan(bursts) ? NAN : calm.low,
		[COLUMN_CALM_HIGH].number = isnan(bursts) ? NAN : calm.high,
	}};
	return add_row(report, &row);
}

static int add_group(struct report *report, struct group *group)
{
	const struct settings *const settings = report->settings;
	size_t logs = 0;
	for (size_t i = 0; i < settings->input.runs; i++)
		logs += settings->input.run[i].logs;
	group->of_log = calloc(logs + 1, sizeof *group->of_log);
	double *const value = calloc(logs + 1, sizeof *value);
	int result = group->of_log && value ? measure(group, &settings->input, settings) : complain_about_memory();
	for (size_t i = 0; result == 0 && group->count > 0 && i < sizeof figures / sizeof *figures; i++)
		result = add_figure(report, group, &figures[i], value);
	free(value);
	free(group->of_log);
	return result;
}

static int make_repeats(struct report *report)
{
	const struct report_input *const input = &report->settings->input;
	for (size_t i = 0; i < input->runs; i++) {
		struct group group = {.label = label_of(&input->run[i])};
		size_t before = 0;
		while (before < i && strcmp(label_of(&input->run[before]), group.label) != 0)
			before++;
		if (before == i && add_group(report, &group) != 0)
			return -1;
	}
	if (report_table_rows(report->table) > 0)
		return 0;
	return complain("found iterations only, expected control logs (showstopper -o)");
}

const struct command command_repeats = {
	.bit = REPEATS,
	.name = "repeats",
	.argument = "LOG",
	.summary = "means of these figures over repeated runs, with 95 % confidence intervals",
	COLUMNS(list),
	.make = make_repeats,
};
