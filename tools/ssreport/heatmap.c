/* SPDX-License-Identifier: MIT */
/* A table of numbers as a picture. */
#include <math.h>
#include <string.h>

#include "base/diag.h"
#include "ssreport/parts.h"

static const enum column list[] = {COLUMN_ROW, COLUMN_COLUMN, COLUMN_VALUE, COLUMN_MARK};

static int check_heatmap(const struct settings *settings)
{
	if (settings->outliers > 0 && !isnan(settings->range.low))
		return complain("found --range and --outlier, expected one of them");
	if (settings->input.words == 1)
		return 0;
	diag("found %zu files, expected one table", settings->input.words);
	return -1;
}

static int make_heatmap(struct report *report)
{
	const char *const path = report_input_text(&report->settings->input, 0);
	const char *const name = strcmp(path, "-") == 0 ? "standard input" : path;
	struct report_matrix *const matrix = &report->matrix;
	char error[CSV_ERROR_MAX];
	bool is_cut;
	if (report_matrix_read(matrix, path, name, &is_cut, error) != 0)
		return complain(error);
	if (is_cut)
		diag("%s: the last line is not whole and is left out", name);
	if (check_outliers(report) != 0)
		return -1;
	for (size_t row = 0; row < matrix->rows; row++) {
		for (size_t column = 0; column < matrix->columns; column++) {
			const struct report_matrix_cell *const cell = report_matrix_at(matrix, row, column);
			const struct row cells = {{
				[COLUMN_ROW].text = matrix->row[row],
				[COLUMN_COLUMN].text = matrix->column[column],
				[COLUMN_VALUE].number = cell->number,
				[COLUMN_MARK].text = cell->mark,
			}};
			if (add_row(report, &cells) != 0)
				return -1;
		}
	}
	return 0;
}

const struct command command_heatmap = {
	.bit = HEATMAP,
	.name = "heatmap",
	.argument = "TABLE",
	.summary = "a table of numbers as a picture",
	COLUMNS(list),
	.check = check_heatmap,
	.make = make_heatmap,
	.size = size_matrix,
	.draw = draw_matrix,
};
