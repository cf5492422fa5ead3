/* SPDX-License-Identifier: MIT */
/* How far the load was from its target. */
#include <math.h>
#include <stdlib.h>

#include "ssreport/parts.h"

static const enum column list[] = {COLUMN_LABEL, COLUMN_FILE, COLUMN_LEVEL, COLUMN_SAMPLES, COLUMN_TIME, COLUMN_TARGET,
	COLUMN_LOAD, COLUMN_MEAN_ERROR, COLUMN_MSE, COLUMN_NEAR, COLUMN_BURSTS, COLUMN_CALM_MEAN_ERROR, COLUMN_CALM_MSE,
	COLUMN_CALM_NEAR};

static int add_accuracy(struct report *report, const char *label, const char *file, const struct report_accuracy *result)
{
	const struct accuracy *const accuracy = &result->accuracy;
	const struct accuracy *const calm = &result->calm;
	const struct row row = {{
		[COLUMN_LABEL].text = label,
		[COLUMN_FILE].text = file,
		[COLUMN_LEVEL].number = result->target,
		[COLUMN_SAMPLES].number = (double)accuracy->samples,
		[COLUMN_TIME].number = result->seconds,
		[COLUMN_TARGET].number = accuracy_mean_target(accuracy),
		[COLUMN_LOAD].number = accuracy_mean_load(accuracy),
		[COLUMN_MEAN_ERROR].number = accuracy_mean_error_pp(accuracy),
		[COLUMN_MSE].number = accuracy_mse_pp2(accuracy),
		[COLUMN_NEAR].number = accuracy_near(accuracy),
		[COLUMN_BURSTS].number = result->knows_background ? (double)(accuracy->samples - calm->samples) : NAN,
		[COLUMN_CALM_MEAN_ERROR].number = accuracy_mean_error_pp(calm),
		[COLUMN_CALM_MSE].number = accuracy_mse_pp2(calm),
		[COLUMN_CALM_NEAR].number = accuracy_near(calm),
	}};
	return add_row(report, &row);
}

static int accuracy_of_log(struct report *report, const struct report_run *run, const struct report_log *log)
{
	size_t count = 0;
	int result = 0;
	struct report_accuracy *const accuracy = measure_accuracy(report->settings, log, report->settings->per_target, &count);
	if (!accuracy)
		return -1;
	for (size_t i = 0; result == 0 && i < count; i++)
		if (i == 0 || accuracy[i].accuracy.samples > 0)
			result = add_accuracy(report, run->label, log->name, &accuracy[i]);
	free(accuracy);
	return result;
}

static int make_accuracy(struct report *report)
{
	const struct report_input *const input = &report->settings->input;
	for (size_t i = 0; i < input->runs; i++)
		for (size_t log = 0; log < input->run[i].logs; log++)
			if (accuracy_of_log(report, &input->run[i], &input->run[i].log[log]) != 0)
				return -1;
	if (report_table_rows(report->table) > 0)
		return 0;
	return complain("found iterations only, expected a control log (showstopper -o)");
}

const struct command command_accuracy = {
	.bit = ACCURACY,
	.name = "accuracy",
	.argument = "LOG",
	.summary = "mean error and mean squared error of the load",
	COLUMNS(list),
	.make = make_accuracy,
};
