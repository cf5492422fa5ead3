/* SPDX-License-Identifier: MIT */
/* How long iterations took: quantiles and box plots by label. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "report/boxes.h"
#include "ssreport/parts.h"

#define BEFORE 2 /* columns in front of the durations: label, iterations */
#define AROUND 3 /* durations beside the quantiles: the least, the greatest, the mean */
#define BEHIND 2 /* outliers, load */
#define SECONDS_DECIMALS 9
#define TITLE_DECIMALS 3

static int check_boxes(const struct settings *settings)
{
	if (settings->axis && !settings_want_picture(settings))
		return complain("found --axis, but no picture (--output FILE.png, .svg or .pdf)");
	return 0;
}

/* Durations in seconds, which people get in a unit that has them all at hand. */
static struct report_column duration(
	struct column_text *text, const char *name, const char *title, const struct report_unit *unit)
{
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
	for (size_t i = 0; i < boxes->count; i++)
		median = fmax(median, report_values_quantile(&boxes->item[i].seconds, 0.5));
	return report_duration_unit(median);
}

static int make_columns(struct report *report)
{
	const struct settings *const settings = report->settings;
	const struct report_unit unit = find_unit(&report->boxes);
	const size_t count = BEFORE + AROUND + settings->quantiles + BEHIND;
	if (own_columns(report, count) != 0)
		return -1;
	struct report_column *column = report->column;
	struct column_text *text = report->text;
	*column++ = columns[COLUMN_LABEL];
	*column++ = (struct report_column){"iterations", 0, "iterations", 0, 1, NULL};
	*column++ = duration(text++, "least", "least", &unit);
	for (size_t i = 0; i < settings->quantiles; i++)
		*column++ = quantile(text++, settings->quantile[i], &unit);
	*column++ = duration(text++, "most", "most", &unit);
	*column++ = duration(text++, "mean", "mean", &unit);
	*column++ = (struct report_column){"outliers", 0, "outliers", 0, 1, NULL};
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
	to->number = times->load;
	return report_table_add(report->table, cell) == 0 ? 0 : complain_about_memory();
}

/* On an axis of another name, but a load's, the number is of something else. */
static void warn_of_label(const struct report_times *times, const char *axis)
{
	if ((!axis || strcasestr(axis, "load")) && report_boxes_mislead(times))
		diag("warning: label %s: found a load of %.1f %%, not that of the label", times->label, 100 * times->load);
}

static int make_boxes(struct report *report)
{
	const struct settings *const settings = report->settings;
	char error[CSV_ERROR_MAX];
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
	.argument = "ITERATIONS|LOG",
	.summary = "how long iterations took, by label: quantiles, and box plots",
	.check = check_boxes,
	.make = make_boxes,
	.size = size_boxes,
	.draw = draw_boxes,
};
