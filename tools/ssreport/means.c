/* SPDX-License-Identifier: MIT */
/* What the numbers in a column of any CSV file come to, those of each label by themselves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "report/hypothesis.h"
#include "report/values.h"
#include "ssreport/groups.h"
#include "ssreport/parts.h"

enum { LABEL, COUNT, MEAN, HALF, MEDIAN, LEAST, MOST, SUM, ERROR, LOW, HIGH, PLACE, P, P_HOLM, NEEDED, CELLS };

static bool has_bounds(const struct settings *settings)
{
	return !isnan(settings->within.low);
}

static int check_means(const struct settings *settings)
{
	if (settings->column_names != 1)
		return complain("expected the column whose values are put together: --column NAME, once");
	if (has_bounds(settings) && settings->precision > 0)
		return complain("found --within and --precision, expected one of them");
	return settings->shares && !has_bounds(settings) ? complain("found --shares without --within") : 0;
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

/* The distance from a mean to the nearer bound, which has to be known to tell on which side it lies. */
static double to_bound(double mean, const struct report_heat_range *within)
{
	return fmin(fabs(mean - within->low), fabs(mean - within->high));
}

static int check_shares(const struct group *group)
{
	for (size_t i = 0; i < group->values.count; i++)
		if (group->values.item[i] != 0 && group->values.item[i] != 1) {
			diag("--shares: found the value %g of %s, expected 0 or 1", group->values.item[i], group->label);
			return -1;
		}
	return 0;
}

/* p is two-sided: either side may be the one that shows. */
static int put_place(const struct report *report, const struct group *group, union report_cell *cell)
{
	const struct settings *const settings = report->settings;
	const struct report_heat_range *const within = &settings->within;
	if (settings->shares && check_shares(group) != 0)
		return -1;
	const struct report_bounded place = settings->shares ? report_share_within(&group->values, within->low, within->high)
							     : report_mean_within(&group->values, within->low, within->high);
	cell[LOW].number = place.low;
	cell[HIGH].number = place.high;
	cell[P].number = isnan(place.inside) ? NAN : fmin(1, 2 * fmin(place.inside, place.outside));
	cell[PLACE].text = isnan(place.inside) ? NULL : place.inside < place.outside ? "inside" : "outside";
	cell[NEEDED].number = settings->shares ? report_shares_needed(&group->values, within->low, within->high)
					       : report_needed(&group->values, to_bound(cell[MEAN].number, within));
	return 0;
}

static int put_group(const struct report *report, struct group *group, union report_cell *cell)
{
	struct report_values *const values = &group->values;
	const struct report_interval mean = report_interval(values->item, values->count);
	for (int i = COUNT; i < CELLS; i++)
		cell[i].number = NAN;
	cell[PLACE].text = NULL;
	cell[COUNT].number = (double)values->count;
	cell[MEAN].number = mean.mean;
	cell[HALF].number = (mean.high - mean.low) / 2;
	cell[ERROR].number = error_of(values, mean.mean);
	if (values->count > 0) {
		cell[SUM].number = 0;
		for (size_t i = 0; i < values->count; i++)
			cell[SUM].number += values->item[i];
		report_values_sort(values);
		cell[MEDIAN].number = report_values_quantile(values, 0.5);
		cell[LEAST].number = values->item[0];
		cell[MOST].number = values->item[values->count - 1];
	}
	if (has_bounds(report->settings))
		return put_place(report, group, cell);
	if (report->settings->precision > 0)
		cell[NEEDED].number = report_needed(values, report->settings->precision * fabs(mean.mean));
	return 0;
}

static int make_columns(struct report *report, int *count)
{
	static const struct report_column own[CELLS] = {[COUNT] = {"count", 0, "values", 0, 1, NULL},
		[MEAN] = {"mean", REPORT_ALL_DIGITS, "mean", 4, 1, NULL},
		[HALF] = {"half", REPORT_ALL_DIGITS, "±", 4, 1, NULL},
		[MEDIAN] = {"median", REPORT_ALL_DIGITS, "median", 4, 1, NULL},
		[LEAST] = {"least", REPORT_ALL_DIGITS, "least", 4, 1, NULL},
		[MOST] = {"most", REPORT_ALL_DIGITS, "most", 4, 1, NULL},
		[SUM] = {"sum", REPORT_ALL_DIGITS, "sum", 4, 1, NULL},
		[ERROR] = {"error", REPORT_ALL_DIGITS, "error", 4, 1, NULL},
		[LOW] = {"low", REPORT_ALL_DIGITS, "95 % from", 4, 1, NULL},
		[HIGH] = {"high", REPORT_ALL_DIGITS, "to", 4, 1, NULL},
		[PLACE] = {"place", REPORT_IS_TEXT, "place", 0, 1, NULL},
		[P] = {"p", REPORT_P, "p", 4, 1, NULL},
		[P_HOLM] = {"p_holm", REPORT_P, "p (Holm)", 4, 1, NULL},
		[NEEDED] = {"needed", 0, "needed", 0, 1, NULL}};
	const bool is_short = report->settings->precision > 0;
	*count = has_bounds(report->settings) ? CELLS : is_short ? LOW + 1 : LOW;
	if (own_columns(report, (size_t)*count) != 0)
		return -1;
	memcpy(report->column, own, (size_t)*count * sizeof *own);
	report->column[LABEL] = columns[COLUMN_LABEL];
	if (is_short)
		report->column[LOW] = own[NEEDED];
	return 0;
}

/* The labels become the report's. */
static int make_table(struct report *report, const struct groups *groups)
{
	union report_cell(*const cells)[CELLS] = calloc(groups->count + 1, sizeof *cells);
	double *const p = calloc(groups->count + 1, sizeof *p);
	int count = 0;
	if (!cells || !p) {
		free(cells);
		free(p);
		return complain_about_memory();
	}
	int result = make_columns(report, &count);
	for (size_t i = 0; result == 0 && i < groups->count; i++) {
		result = put_group(report, &groups->item[i], cells[i]);
		p[i] = cells[i][P].number;
	}
	if (result == 0 && report_holm(p, groups->count) != 0)
		result = complain_about_memory();
	for (size_t i = 0; result == 0 && i < groups->count; i++) {
		cells[i][P_HOLM].number = p[i];
		cells[i][LABEL].text = report_keep(report, groups->item[i].label);
		groups->item[i].label = NULL;
		if (count == LOW + 1)
			cells[i][LOW] = cells[i][NEEDED];
		if (!cells[i][LABEL].text || report_table_add(report->table, cells[i]) != 0)
			result = complain_about_memory();
	}
	free(cells);
	free(p);
	return result;
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
