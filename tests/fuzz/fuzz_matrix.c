/* SPDX-License-Identifier: MIT */
/* Any text is read as a table without a fault, becomes the script of a heat map, and what is refused has a message. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/matrix.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition)
{
	if (!condition)
		abort();
}

static void look(const struct report_matrix *matrix)
{
	check(matrix->rows > 0 && matrix->columns > 0 && matrix->rows <= REPORT_MATRIX_MOST);
	for (size_t i = 0; i < matrix->rows * matrix->columns; i++) {
		const struct report_matrix_cell *const cell = &matrix->cell[i];
		check(isnan(cell->number) == !cell->text);
		check(!cell->mark || (*cell->mark && *cell->mark != ' '));
	}
	const struct report_heat_range range = report_heat_range(matrix, NULL, 0);
	const struct report_size large = report_heat_size(matrix);
	check(large.width > 0 && large.height > 0);
	struct plot *const plot = plot_new(PLOT_SVG, large.width, large.height);
	check(plot && report_heat_draw(plot, matrix, &range, &large) == 0);
	plot_free(plot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char error[CSV_ERROR_MAX] = "";
	struct report_matrix matrix;
	bool is_cut;
	struct csv *const csv = csv_open_text((const char *)data, size, "f", error);
	check(csv || *error);
	if (!csv)
		return 0;
	if (report_matrix_take(&matrix, csv, "f", &is_cut, error) == 0)
		look(&matrix);
	else
		check(*error && strlen(error) < sizeof error);
	report_matrix_free(&matrix);
	csv_close(csv);
	return 0;
}
