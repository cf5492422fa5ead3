/* SPDX-License-Identifier: MIT */
/* What the numbers in a column of any CSV file come to, those of each label by themselves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/values.h"
#include "ssreport/groups.h"
#include "ssreport/parts.h"

enum { LABEL, COUNT, MEAN, HALF, MEDIAN, LEAST, MOST, SUM, ERROR, CELLS };

static int check_means(const struct settings *settings)
{
	if (settings->column_names == 1)
		return 0;
	return complain("expected the column whose values are put together: --column NAME, once");
}

/* The standard error of the mean; NaN of fewer than two. */
static double error_of(const struct report_values *values, double mean)
{
	const double count = (double)values->count;
	double squares = 0;
	for (size_t i = 0; i < values->count; i++)
		squares += (values->item[i] - mean) * (values->item[i] - mean);
	return values->count < 2 ? NAN : sqrt(squares / (count - 1) / count);
}

/* The label becomes the report's. */
static int add_group(struct report *report, struct group *group)
{
	struct report_values *const values = &group->values;
	const struct report_interval mean = report_interval(values->item, values->count);
	union report_cell cell[CELLS] = {[COUNT].number = (double)values->count, [MEAN].number = mean.mean};
	cell[HALF].number = (mean.high - mean.low) / 2;
	cell[ERROR].number = error_of(values, mean.mean);
	cell[MEDIAN].number = cell[LEAST].number = cell[MOST].number = cell[SUM].number = NAN;
	if (values->count > 0) {
		cell[SUM].number = 0;
		for (size_t i = 0; i < values->count; i++)
			cell[SUM].number += values->item[i];
		report_values_sort(values);
		cell[MEDIAN].number = report_values_quantile(values, 0.5);
		cell[LEAST].number = values->item[0];
		cell[MOST].number = values->item[values->count - 1];
	}
	cell[LABEL].text = report_keep(report, group->label);
	group->label = NULL;
	return cell[LABEL].text && report_table_add(report->table, cell) == 0 ? 0 : complain_about_memory();
}

static int make_table(struct report *report, const struct groups *groups)
{
	static const char *const names[CELLS] = {[MEAN] = "mean",
		[HALF] = "half",
		[MEDIAN] = "median",
		[LEAST] = "least",
		[MOST] = "most",
		[SUM] = "sum",
		[ERROR] = "error"};
	if (own_columns(report, CELLS) != 0)
		return -1;
	report->column[LABEL] = columns[COLUMN_LABEL];
	report->column[COUNT] = (struct report_column){"count", 0, "values", 0, 1, NULL};
	for (int i = MEAN; i <= ERROR; i++)
		report->column[i] = (struct report_column){names[i], REPORT_ALL_DIGITS, i == HALF ? "±" : names[i], 4, 1, NULL};
	for (size_t i = 0; i < groups->count; i++)
		if (add_group(report, &groups->item[i]) != 0)
			return -1;
	return 0;
}

static int make_means(struct report *report)
{
	const struct settings *const settings = report->settings;
	struct groups groups = {.column = settings->column_name[0], .by = "label"};
	int result = 0;
	for (size_t i = 0; result == 0 && i < settings->input.words; i++)
		result = groups_read(&groups, settings->input.word[i].path, NULL);
	if (result == 0)
		result = make_table(report, &groups);
	groups_free(&groups);
	return result;
}

const struct command command_means = {
	.bit = MEANS,
	.name = "means",
	.argument = "FILE",
	.summary = "mean, 95 % confidence interval and median of a column of any CSV file, for each label in it",
	.check = check_means,
	.make = make_means,
};
