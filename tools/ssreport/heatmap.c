/* SPDX-License-Identifier: MIT */
/* A table of numbers as a picture. */
#include <string.h>

#include "base/diag.h"
#include "ssreport/parts.h"

static const enum column list[] = {COLUMN_ROW, COLUMN_COLUMN, COLUMN_VALUE, COLUMN_MARK};

static int check_heatmap(const struct settings *settings)
{
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

static struct report_size size_heatmap(const struct report *report)
{
	return report_heat_size(&report->matrix);
}

static int draw_heatmap(const struct report *report, struct plot *plot, const struct report_size *size)
{
	return report_heat_draw(plot, &report->matrix, &report->settings->range, size);
}

const struct command command_heatmap = {
	.bit = HEATMAP,
	.name = "heatmap",
	.argument = "TABLE",
	.summary = "a table of numbers as a picture",
	COLUMNS(list),
	.check = check_heatmap,
	.make = make_heatmap,
	.size = size_heatmap,
	.draw = draw_heatmap,
};
