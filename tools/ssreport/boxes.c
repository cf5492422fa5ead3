/* SPDX-License-Identifier: MIT */
/* How long iterations took, or what a column of any CSV file has: quantiles and box plots by label. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "report/boxes.h"
#include "ssreport/groups.h"
#include "ssreport/parts.h"

#define BEFORE 2 /* columns in front of the durations: label, iterations */
#define AROUND 3 /* durations beside the quantiles: the least, the greatest, the mean */
#define BEHIND 2 /* outliers, load */
#define SECONDS_DECIMALS 9
#define TITLE_DECIMALS 3
#define VALUE_DECIMALS 4

static int check_boxes(const struct settings *settings)
{
	if (settings->axis && !settings_want_picture(settings))
		return complain("found --axis, but no picture (--output FILE.png, .svg or .pdf)");
	if (settings->column_names > 1)
		return complain("found two columns, expected one: --column NAME");
	if (settings->by && settings->column_names == 0)
		return complain("found --by, but no column whose values it tells apart: --column NAME");
	if (settings->with_warmup && settings->column_names > 0)
		return complain("found --warmup and --column, expected one of them: a column has no warm-up");
	if (settings->column_names > 0 && (settings->input.join != REPORT_JOIN_AUTO || settings->input.offsets > 0))
		return complain("found --join or --offset beside --column, which has no clock to join");
	return check_by(settings);
}

/* Durations in seconds, which people get in a unit that has them all at hand; values of a column as they are, without a unit. */
static struct report_column duration(
	struct column_text *text, const char *name, const char *title, const struct report_unit *unit)
{
	if (!unit->name) {
		snprintf(text->name, sizeof text->name, "%s", name);
		snprintf(text->title, sizeof text->title, "%s", title);
		return (struct report_column){text->name, REPORT_ALL_DIGITS, text->title, VALUE_DECIMALS, 1, NULL};
	}
	snprintf(text->name, sizeof text->name, "%s_s", name);
	snprintf(text->title, sizeof text->title, "%s %s", title, unit->name);
	return (struct report_column){text->name, SECONDS_DECIMALS, text->title, TITLE_DECIMALS, unit->factor, NULL};
}

static struct report_column quantile(struct column_text *text, double share, const struct report_unit *unit)
{
	char name[COLUMN_TEXT_MAX / 2];
	char title[COLUMN_TEXT_MAX / 2];
	snprintf(name, sizeof name, "q%.10g", 100 * share);
	snprintf(title, sizeof title, "%.10g %%", 100 * share);
	return duration(text, name, title, unit);
}

static struct report_unit find_unit(const struct report_boxes *boxes)
{
	double median = 0;
	if (boxes->column)
		return (struct report_unit){.factor = 1};
	for (size_t i = 0; i < boxes->count; i++)
		median = fmax(median, report_values_quantile(&boxes->item[i].seconds, 0.5));
	return report_duration_unit(median);
}

static int make_columns(struct report *report)
{
	const struct settings *const settings = report->settings;
	const struct report_unit unit = find_unit(&report->boxes);
	const bool is_of_column = report->boxes.column;
	const size_t count = BEFORE + AROUND + settings->quantiles + BEHIND - is_of_column;
	if (own_columns(report, count) != 0)
		return -1;
	struct report_column *column = report->column;
	struct column_text *text = report->text;
	*column++ = columns[COLUMN_LABEL];
	*column++ = is_of_column ? (struct report_column){"count", 0, "values", 0, 1, NULL}
				 : (struct report_column){"iterations", 0, "iterations", 0, 1, NULL};
	*column++ = duration(text++, "least", "least", &unit);
	for (size_t i = 0; i < settings->quantiles; i++)
		*column++ = quantile(text++, settings->quantile[i], &unit);
	*column++ = duration(text++, "most", "most", &unit);
	*column++ = duration(text++, "mean", "mean", &unit);
	*column++ = (struct report_column){"outliers", 0, "outliers", 0, 1, NULL};
	if (!is_of_column)
		*column = columns[COLUMN_LOAD];
	return 0;
}

static int add_times(struct report *report, const struct report_times *times)
{
	const struct settings *const settings = report->settings;
	const struct report_values *const seconds = &times->seconds;
	const struct report_box box = report_values_box(seconds);
	union report_cell cell[BEFORE + AROUND + QUANTILES_MOST + BEHIND];
	union report_cell *to = cell;
	(to++)->text = times->label;
	(to++)->number = (double)seconds->count;
	(to++)->number = seconds->item[0];
	for (size_t i = 0; i < settings->quantiles; i++)
		(to++)->number = report_values_quantile(seconds, settings->quantile[i]);
	(to++)->number = seconds->item[seconds->count - 1];
	(to++)->number = report_values_mean(seconds);
	(to++)->number = (double)(box.below + box.above);
	if (!report->boxes.column)
		to->number = times->load;
	return report_table_add(report->table, cell) == 0 ? 0 : complain_about_memory();
}

/* On an axis of another name, but a load's, the number is of something else. */
static void warn_of_label(const struct report_times *times, const char *axis)
{
	if ((!axis || strcasestr(axis, "load")) && report_boxes_mislead(times))
		diag("warning: label %s: found a load of %.1f %%, not that of the label", times->label, 100 * times->load);
}

/* The groups' labels and values become the report's. */
static int take_groups(struct report *report, struct groups *groups)
{
	struct report_boxes *const boxes = &report->boxes;
	boxes->item = calloc(groups->count + 1, sizeof *boxes->item);
	if (!boxes->item)
		return complain_about_memory();
	for (size_t i = 0; i < groups->count; i++) {
		struct group *const group = &groups->item[i];
		if (group->values.count == 0)
			continue;
		const char *const label = report_keep(report, group->label);
		group->label = NULL;
		if (!label)
			return complain_about_memory();
		report_values_sort(&group->values);
		boxes->item[boxes->count++] = (struct report_times){.label = label, .seconds = group->values, .load = NAN};
		group->values = (struct report_values){0};
	}
	return boxes->count > 0 ? 0 : complain("found no value");
}

static int make_boxes_of_column(struct report *report)
{
	const struct settings *const settings = report->settings;
	struct groups groups = {
		.by = settings->by ? settings->by : "label", .needs_by = settings->by, .column = settings->column_name[0]};
	report->boxes.column = settings->column_name[0];
	int result = groups_read_words(&groups, &settings->input);
	if (result == 0)
		result = take_groups(report, &groups);
	groups_free(&groups);
	if (result == 0)
		result = make_columns(report);
	for (size_t i = 0; result == 0 && i < report->boxes.count; i++)
		result = add_times(report, &report->boxes.item[i]);
	return result;
}

static int make_boxes(struct report *report)
{
	const struct settings *const settings = report->settings;
	char error[CSV_ERROR_MAX];
	if (settings->column_names > 0)
		return make_boxes_of_column(report);
	if (report_boxes_make(&report->boxes, &settings->input, settings->with_warmup, error) != 0)
		return complain(error);
	if (make_columns(report) != 0)
		return -1;
	for (size_t i = 0; i < report->boxes.count; i++) {
		warn_of_label(&report->boxes.item[i], settings->axis);
		if (add_times(report, &report->boxes.item[i]) != 0)
			return -1;
	}
	return 0;
}

static struct report_size size_boxes(const struct report *report)
{
	return report_picture_size_boxes(&report->boxes, report->settings->axis);
}

static int draw_boxes(const struct report *report, struct plot *plot, const struct report_size *size)
{
	return report_picture_boxes(plot, &report->boxes, size, report->settings->axis);
}

const struct command command_boxes = {
	.bit = BOXES,
	.name = "boxes",
	.argument = "ITERATIONS|LOG|FILE",
	.summary = "how long iterations took, or --column of any CSV file, by label: quantiles, and box plots",
	.check = check_boxes,
	.make = make_boxes,
	.size = size_boxes,
	.draw = draw_boxes,
};
