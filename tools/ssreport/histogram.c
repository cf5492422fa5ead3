/* SPDX-License-Identifier: MIT */
/* How the values in a column of any CSV file are spread: of one file or of two, or of two columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "report/histogram.h"
#include "ssreport/parts.h"

enum { LABEL, LOW, HIGH, COUNT, SHARE, CELLS };

static bool has_label(const struct report_word *word)
{
	return word->label || word->path != word->text;
}

static int check_histogram(const struct settings *settings)
{
	if (settings->column_names == 0)
		return complain("expected the column whose values are counted: --column NAME");
	if (settings->column_names > 1 && (settings->input.words > 1 || has_label(settings->input.word)))
		return complain(
			"found two columns, expected one file, without a label: the histograms have the names of the columns");
	if (settings->width > 0 && settings->bins > 0)
		return complain("found --width and --bins, expected one of them");
	if (settings->axis && !settings_want_picture(settings))
		return complain("found --axis, but no picture (--output FILE.png, .svg or .pdf)");
	return 0;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

/* What is in a label, or the file's name; to be freed. NULL with errno. */
static char *label_of(const struct report_word *word)
{
	if (word->path != word->text)
		return strndup(word->text, (size_t)(word->path - word->text) - 1);
	return word->label ? strdup(word->label) : report_runs_name(word->path, true);
}

/* The series of that label, which is another one where it is new. NULL after a message. The label belongs to the report. */
static struct report_values *find_series(struct report *report, char *label)
{
	struct report_histogram *const histogram = &report->histogram;
	if (!label) {
		complain_about_memory();
		return NULL;
	}
	for (size_t i = 0; i < histogram->count; i++) {
		if (strcmp(histogram->label[i], label) == 0) {
			free(label);
			return &histogram->values[i];
		}
	}
	if (histogram->count == REPORT_HISTOGRAM_MOST) {
		diag("found %s besides %s and %s, expected at most two histograms: of two files or labels, or of two columns",
			label, histogram->label[0], histogram->label[1]);
		free(label);
		return NULL;
	}
	histogram->label[histogram->count] = label;
	return &histogram->values[histogram->count++];
}

static int read_column(struct report_values *values, struct csv *csv, const char *name, const char *column)
{
	char found[160];
	const int at = csv_find(csv, column);
	int more = 0;
	if (at < 0) {
		diag("%s:1: found the columns %s, expected %s as --column says", name,
			csv_print_columns(csv, found, sizeof found), column);
		return -1;
	}
	while ((more = csv_next(csv)) > 0) {
		double value;
		if (csv_number(csv, (size_t)at, &value) != 0)
			break;
		if (isfinite(value) && report_values_add(values, value) != 0)
			return complain_about_memory();
	}
	if (more != 0)
		return complain(csv_error(csv));
	if (csv_is_cut(csv))
		diag("%s: the last line is not whole and is left out", name);
	return 0;
}

static int read_series(struct report *report, const struct report_word *word, const char *column)
{
	const bool is_named_by_column = report->settings->column_names > 1;
	const char *const name = strcmp(word->path, "-") == 0 ? "standard input" : word->path;
	char error[CSV_ERROR_MAX];
	struct report_values *const values = find_series(report, is_named_by_column ? strdup(column) : label_of(word));
	if (!values)
		return -1;
	struct csv *const csv = csv_open(word->path, name, error);
	if (!csv)
		return complain(error);
	const int result = read_column(values, csv, name, column);
	csv_close(csv);
	return result;
}

static int read_all(struct report *report)
{
	const struct settings *const settings = report->settings;
	const struct report_histogram *const histogram = &report->histogram;
	for (size_t column = 0; column < settings->column_names; column++)
		for (size_t i = 0; i < settings->input.words; i++)
			if (read_series(report, &settings->input.word[i], settings->column_name[column]) != 0)
				return -1;
	for (size_t i = 0; i < histogram->count; i++) {
		if (histogram->values[i].count > 0)
			continue;
		diag("%s: found no number in the column %s", histogram->label[i],
			settings->column_name[settings->column_names > 1 ? i : 0]);
		return -1;
	}
	return 0;
}

/* ---- Counting --------------------------------------------------------------------------------------------------------- */

static int choose_bins(struct report_bins *bins, const struct settings *settings, double least, double most)
{
	if (settings->bins > 0 && report_bins_of_number(bins, least, most, (size_t)settings->bins) != 0) {
		diag("--bins: found no value but %g, expected --width for such a column", least);
		return -1;
	}
	if (settings->bins > 0)
		return 0;
	const double width = settings->width > 0 ? settings->width : report_bins_nice_width(least, most);
	if (report_bins_of_width(bins, least, most, width) == 0)
		return 0;
	diag("--width: found values from %g to %g, which make more than %d bins of %g, expected a greater width", least, most,
		REPORT_BINS_MOST, width);
	return -1;
}

static int count_values(struct report *report)
{
	struct report_histogram *const histogram = &report->histogram;
	double least = INFINITY;
	double most = -INFINITY;
	for (size_t i = 0; i < histogram->count; i++) {
		struct report_values *const values = &histogram->values[i];
		report_values_sort(values);
		least = fmin(least, values->item[0]);
		most = fmax(most, values->item[values->count - 1]);
	}
	if (choose_bins(&histogram->bins, report->settings, least, most) != 0)
		return -1;
	return report_histogram_count(histogram) == 0 ? 0 : complain_about_memory();
}

static int make_table(struct report *report)
{
	const struct report_histogram *const histogram = &report->histogram;
	const struct report_bins *const bins = &histogram->bins;
	const int decimals = report_bins_decimals(bins);
	if (own_columns(report, CELLS) != 0)
		return -1;
	report->column[LABEL] = columns[COLUMN_LABEL];
	report->column[LOW] = (struct report_column){"low", decimals, "above", decimals, 1, NULL};
	report->column[HIGH] = (struct report_column){"high", decimals, "up to", decimals, 1, NULL};
	report->column[COUNT] = (struct report_column){"count", 0, "values", 0, 1, NULL};
	report->column[SHARE] = (struct report_column){"share", 6, "share %", 1, 100, NULL};
	for (size_t series = 0; series < histogram->count; series++) {
		for (size_t i = 0; i < bins->count; i++) {
			const union report_cell cell[CELLS] = {
				[LABEL].text = histogram->label[series],
				[LOW].number = report_bins_edge(bins, i),
				[HIGH].number = report_bins_edge(bins, i + 1),
				[COUNT].number = (double)histogram->in[series][i],
				[SHARE].number = (double)histogram->in[series][i] / (double)histogram->values[series].count,
			};
			if (report_table_add(report->table, cell) != 0)
				return complain_about_memory();
		}
	}
	return 0;
}

static int make_histogram(struct report *report)
{
	return read_all(report) == 0 && count_values(report) == 0 ? make_table(report) : -1;
}

static struct report_size size_histogram(const struct report *report)
{
	return report_picture_size_histogram(&report->histogram);
}

static int draw_histogram(const struct report *report, struct plot *plot, const struct report_size *size)
{
	const struct settings *const settings = report->settings;
	return report_picture_histogram(plot, &report->histogram, size,
		settings->axis               ? settings->axis
		: settings->column_names > 1 ? ""
					     : settings->column_name[0]);
}

const struct command command_histogram = {
	.bit = HISTOGRAM,
	.name = "histogram",
	.argument = "FILE",
	.summary = "how many values of a column lie in each bin, of one CSV file or of two",
	.check = check_histogram,
	.make = make_histogram,
	.size = size_histogram,
	.draw = draw_histogram,
};
