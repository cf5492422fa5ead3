/* SPDX-License-Identifier: MIT */
/* The throughput of each pair of workloads in one environment as a share of that in another. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ssreport/parts.h"

#define DECIMALS 3

static int check_ratio(const struct settings *settings)
{
	if (settings->outliers > 0 && !isnan(settings->range.low))
		return complain("found --range and --outlier, expected one of them");
	if (settings->matrix)
		return 0;
	for (size_t i = 0; i < settings->outputs; i++)
		if (plot_format_of(settings->output[i]) >= 0) {
			diag("--output: found %s, but ratio has no picture without --matrix, expected a table (.txt .csv .md "
			     ".json)",
				settings->output[i]);
			return -1;
		}
	if (!isnan(settings->range.low))
		return complain("found --range without --matrix");
	return settings->outliers > 0 ? complain("found --outlier without --matrix") : 0;
}

static int add_ratio(struct report *report, const struct report_colocated *run, const struct report_colocated *reference,
	const struct report_ratio *ratio)
{
	const struct row row = {{
		[COLUMN_LABEL].text = run->label,
		[COLUMN_FILE_UNTITLED].text = run->file,
		[COLUMN_REFERENCE].text = reference->file,
		[COLUMN_STEPS].number = (double)ratio->steps,
		[COLUMN_LEAST].number = ratio->least,
		[COLUMN_MEDIAN].number = ratio->median,
		[COLUMN_MOST].number = ratio->most,
	}};
	return add_row(report, &row);
}

/* Where the label's two workloads meet. */
static int put_ratio(struct report *report, const char *label, const struct report_ratio *ratio)
{
	const char *const slash = strchr(label, '/');
	char mark[64];
	if (!slash || slash == label || !slash[1]) {
		diag("%s: found this label, expected one such as fop/h2 for --matrix: foreground and background", label);
		return -1;
	}
	char *const foreground = strndup(label, (size_t)(slash - label));
	if (!foreground)
		return complain_about_memory();
	snprintf(mark, sizeof mark, "%.*f..%.*f", DECIMALS, ratio->least, DECIMALS, ratio->most);
	const int result = report_matrix_put(&report->matrix, foreground, slash + 1, ratio->median, DECIMALS, mark);
	free(foreground);
	if (result == 0)
		return 0;
	if (errno != E2BIG)
		return complain_about_memory();
	diag("%s: found more workloads, expected at most %d in a matrix", label, REPORT_MATRIX_MOST);
	return -1;
}

/* Each label has two runs; the first one is compared with the second. */
static int ratio_of_label(struct report *report, const struct report_colocation *colocation, size_t at)
{
	const struct report_colocated *const run = &colocation->item[at];
	const struct report_colocated *reference = NULL;
	struct report_ratio ratio;
	char error[CSV_ERROR_MAX];
	size_t before = 0;
	size_t after = 0;
	for (size_t other = 0; other < colocation->count; other++) {
		if (other == at || strcmp(colocation->item[other].label, run->label) != 0)
			continue;
		before += other < at;
		after += other > at;
		reference = &colocation->item[other];
	}
	if (before + after != 1) {
		diag("%s: found %zu run%s of this label, expected two: the first is compared with the second", run->label,
			before + after + 1, before + after ? "s" : "");
		return -1;
	}
	if (before > 0)
		return 0;
	if (report_ratio(run, reference, &ratio, error) != 0)
		return complain(error);
	return report->settings->matrix ? put_ratio(report, run->label, &ratio) : add_ratio(report, run, reference, &ratio);
}

/* A table with the columns of the matrix. */
static int show_matrix(struct report *report)
{
	struct report_matrix *const matrix = &report->matrix;
	const size_t count = matrix->columns + 1;
	union report_cell *const cell = calloc(count, sizeof *cell);
	if (!cell)
		return complain_about_memory();
	int result = own_columns(report, count);
	for (size_t i = 0; result == 0 && i < count; i++) {
		const char *const name = i == 0 ? "foreground" : matrix->column[i - 1];
		report->column[i] = (struct report_column){.name = name, .decimals = REPORT_IS_TEXT, .title = name, .scale = 1};
	}
	for (size_t row = 0; result == 0 && row < matrix->rows; row++) {
		cell[0].text = matrix->row[row];
		for (size_t i = 1; i < count; i++)
			cell[i].text = report_matrix_at(matrix, row, i - 1)->text;
		if (report_table_add(report->table, cell) != 0)
			result = complain_about_memory();
	}
	free(cell);
	return result;
}

static int ratio_of_labels(struct report *report, const struct report_colocation *colocation)
{
	for (size_t i = 0; i < colocation->count; i++)
		if (ratio_of_label(report, colocation, i) != 0)
			return -1;
	if (!report->settings->matrix)
		return 0;
	return check_outliers(report) == 0 ? show_matrix(report) : -1;
}

static int make_ratio(struct report *report)
{
	return make_colocation(report, ratio_of_labels);
}

static const enum column list[] = {
	COLUMN_LABEL, COLUMN_FILE_UNTITLED, COLUMN_REFERENCE, COLUMN_STEPS, COLUMN_LEAST, COLUMN_MEDIAN, COLUMN_MOST};

const struct command command_ratio = {
	.bit = RATIO,
	.name = "ratio",
	.argument = "LOG|ITERATIONS",
	.summary = "throughput of the first run of each label as a share of that of its second",
	COLUMNS(list),
	.check = check_ratio,
	.make = make_ratio,
	.size = size_matrix,
	.draw = draw_matrix,
};
