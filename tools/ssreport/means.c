/* SPDX-License-Identifier: MIT */
/* What the numbers in a column of any CSV file come to, those of each label by themselves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "report/values.h"
#include "ssreport/parts.h"

enum { LABEL, COUNT, MEAN, HALF, MEDIAN, LEAST, MOST, SUM, ERROR, CELLS };

struct group {
	char *label;
	struct report_values values;
};

struct groups {
	struct group *item;
	size_t count;
};

static int check_means(const struct settings *settings)
{
	if (settings->column_names == 1)
		return 0;
	return complain("expected the column whose values are put together: --column NAME, once");
}

/* The group of that label, which is a new one where there is none. NULL after a message. */
static struct group *find_group(struct groups *groups, const char *label, size_t length)
{
	for (size_t i = 0; i < groups->count; i++)
		if (strlen(groups->item[i].label) == length && memcmp(groups->item[i].label, label, length) == 0)
			return &groups->item[i];
	struct group *const larger = realloc(groups->item, (groups->count + 1) * sizeof *larger);
	if (larger) {
		groups->item = larger;
		larger[groups->count] = (struct group){.label = strndup(label, length)};
		if (larger[groups->count].label)
			return &larger[groups->count++];
	}
	complain_about_memory();
	return NULL;
}

static int read_rows(struct groups *groups, struct csv *csv, const char *name, const char *column)
{
	char found[160];
	const int at = csv_find(csv, column);
	const int labels = csv_find(csv, "label");
	int more = 0;
	if (at < 0) {
		diag("%s:1: found the columns %s, expected %s as --column says", name,
			csv_print_columns(csv, found, sizeof found), column);
		return -1;
	}
	while ((more = csv_next(csv)) > 0) {
		size_t length = strlen(name);
		const char *const label = labels < 0 ? name : csv_text(csv, (size_t)labels, &length);
		struct group *const group = find_group(groups, label, length);
		double value;
		if (!group)
			return -1;
		if (csv_number(csv, (size_t)at, &value) != 0)
			break;
		if (isfinite(value) && report_values_add(&group->values, value) != 0)
			return complain_about_memory();
	}
	if (more != 0)
		return complain(csv_error(csv));
	if (csv_is_cut(csv))
		diag("%s: the last line is not whole and is left out", name);
	return 0;
}

static int read_table(struct groups *groups, const struct report_word *word, const char *column)
{
	const char *const name = strcmp(word->path, "-") == 0 ? "standard input" : word->path;
	char error[CSV_ERROR_MAX];
	struct csv *const csv = csv_open(word->path, name, error);
	if (!csv)
		return complain(error);
	const int result = read_rows(groups, csv, name, column);
	csv_close(csv);
	return result;
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
	struct groups groups = {0};
	int result = 0;
	for (size_t i = 0; result == 0 && i < settings->input.words; i++)
		result = read_table(&groups, &settings->input.word[i], settings->column_name[0]);
	if (result == 0)
		result = make_table(report, &groups);
	for (size_t i = 0; i < groups.count; i++) {
		free(groups.item[i].label);
		report_values_free(&groups.item[i].values);
	}
	free(groups.item);
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
