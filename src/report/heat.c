/* SPDX-License-Identifier: MIT */
#include "report/heat.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/text.h"

#define CHARACTER_CM 0.155 /* width of a character, a little more than the mean */
#define SPACE_CM 0.3       /* beside a text */
#define EDGE_CM 0.15
#define HEAD_CM 0.55 /* the row with the names of columns */
#define CELL_CM 0.65 /* height of a row */
#define CELL_LEAST_CM 1.1
#define CELL_MOST_CM 3.0
#define NAME_MOST_CM 6.0 /* room for the names of rows */
#define GAP 0.02         /* of a cell, between cells */

/* From light to dark in steps that look alike (ColorBrewer's Blues). */
#define RAMP 9
static const unsigned char ramp[RAMP][3] = {
	{247, 251, 255},
	{222, 235, 247},
	{198, 219, 239},
	{158, 202, 225},
	{107, 174, 214},
	{66, 146, 198},
	{33, 113, 181},
	{8, 81, 156},
	{8, 48, 107},
};
#define COLOR_UNKNOWN 0xeeeeee

static double text_cm(const char *text)
{
	char *const clean = text ? report_text_clean(text) : NULL;
	const double width = clean ? (double)report_text_width(clean) * CHARACTER_CM + SPACE_CM : 0;
	free(clean);
	return width;
}

/* Room for the names of rows. */
static double names_cm(const struct report_matrix *matrix)
{
	double most = text_cm(matrix->corner);
	for (size_t i = 0; i < matrix->rows; i++)
		most = fmax(most, text_cm(matrix->row[i]));
	return fmin(most, NAME_MOST_CM);
}

struct report_size report_heat_size(const struct report_matrix *matrix)
{
	double most = CELL_LEAST_CM;
	for (size_t i = 0; i < matrix->columns; i++)
		most = fmax(most, text_cm(matrix->column[i]));
	for (size_t i = 0; i < matrix->rows * matrix->columns; i++)
		most = fmax(most, text_cm(matrix->cell[i].text));
	return (struct report_size){.width = names_cm(matrix) + fmin(most, CELL_MOST_CM) * (double)matrix->columns + 2 * EDGE_CM,
		.height = HEAD_CM + CELL_CM * (double)matrix->rows + 2 * EDGE_CM};
}

static bool is_outlier(const char *name, const char *const *outlier, size_t outliers)
{
	for (size_t i = 0; i < outliers; i++)
		if (strcmp(name, outlier[i]) == 0)
			return true;
	return false;
}

struct report_heat_range report_heat_range(const struct report_matrix *matrix, const char *const *outlier, size_t outliers)
{
	struct report_heat_range range = {INFINITY, -INFINITY};
	for (size_t row = 0; row < matrix->rows; row++) {
		if (is_outlier(matrix->row[row], outlier, outliers))
			continue;
		for (size_t column = 0; column < matrix->columns; column++) {
			const double number = report_matrix_at(matrix, row, column)->number;
			if (isnan(number) || is_outlier(matrix->column[column], outlier, outliers))
				continue;
			range.low = fmin(range.low, number);
			range.high = fmax(range.high, number);
		}
	}
	return range;
}

unsigned report_heat_color(double number, const struct report_heat_range *range)
{
	const double span = range->high - range->low;
	const double share = span > 0 ? fmin(fmax((number - range->low) / span, 0), 1) : 0.5;
	const double place = share * (RAMP - 1);
	const size_t below = place < RAMP - 1 ? (size_t)place : RAMP - 2;
	unsigned color = 0;
	for (size_t i = 0; i < 3; i++) {
		const double part = ramp[below][i] + (place - (double)below) * (ramp[below + 1][i] - ramp[below][i]);
		color = color << 8 | (unsigned)lround(part);
	}
	return color;
}

/* White is easier to read than black on it. */
static int is_dark(unsigned color)
{
	return 0.299 * (double)(color >> 16) + 0.587 * (double)(color >> 8 & 0xff) + 0.114 * (double)(color & 0xff) < 140;
}

static int write_text(struct plot *plot, const char *text, double room)
{
	char *const shown = report_text_shorten(text, room > 2 * CHARACTER_CM ? (size_t)(room / CHARACTER_CM) : 2);
	const int result = shown ? plot_quote(plot, shown) : -1;
	free(shown);
	return result;
}

/* A text at the left of a row, which are counted from 0. */
static int write_row_name(struct plot *plot, const char *text, double row, double room)
{
	fputs("set label ", plot_script(plot));
	const int result = write_text(plot, text, room);
	fprintf(plot_script(plot), " at first 0,%g right offset character -0.6,0\n", row + 0.5);
	return result;
}

/* `head`: how far above the table the names of columns are, in rows. */
static int write_names(struct plot *plot, const struct report_matrix *matrix, double names, double cell, double head)
{
	FILE *const to = plot_script(plot);
	if (*matrix->corner && write_row_name(plot, matrix->corner, -head - 0.5, names) != 0)
		return -1;
	for (size_t i = 0; i < matrix->rows; i++)
		if (write_row_name(plot, matrix->row[i], (double)i, names) != 0)
			return -1;
	for (size_t i = 0; i < matrix->columns; i++) {
		fputs("set label ", to);
		if (write_text(plot, matrix->column[i], cell) != 0)
			return -1;
		fprintf(to, " at first %g,%g center\n", (double)i + 0.5, -head);
	}
	return 0;
}

int report_heat_draw(struct plot *plot, const struct report_matrix *matrix, const struct report_heat_range *range,
	const struct report_size *size)
{
	FILE *const to = plot_script(plot);
	const struct report_margins margins = {
		.left = names_cm(matrix) + EDGE_CM, .right = EDGE_CM, .top = HEAD_CM + EDGE_CM, .bottom = EDGE_CM};
	const double cell = (size->width - margins.left - margins.right) / (double)matrix->columns;
	const double row_cm = (size->height - margins.top - margins.bottom) / (double)matrix->rows;
	report_margins_write(plot, &margins, size);
	fprintf(to, "unset key\nunset border\nunset tics\nset xrange [0:%zu]\nset yrange [%zu:0]\n", matrix->columns,
		matrix->rows);
	if (write_names(plot, matrix, margins.left - EDGE_CM, cell, HEAD_CM / 2 / row_cm) != 0)
		return -1;
	fputs("$cell << END\n", to);
	for (size_t row = 0; row < matrix->rows; row++) {
		for (size_t column = 0; column < matrix->columns; column++) {
			const double number = report_matrix_at(matrix, row, column)->number;
			const double x = (double)column;
			const double y = (double)row;
			fprintf(to, "%g %g %g %g %g %g %u\n", x + 0.5, y + 0.5, x + GAP, x + 1 - GAP, y + GAP, y + 1 - GAP,
				isnan(number) ? COLOR_UNKNOWN : report_heat_color(number, range));
		}
	}
	fputs("END\n", to);
	for (size_t row = 0; row < matrix->rows; row++) {
		for (size_t column = 0; column < matrix->columns; column++) {
			const struct report_matrix_cell *const at = report_matrix_at(matrix, row, column);
			if (!at->text)
				continue;
			fputs("set label ", to);
			if (write_text(plot, at->text, cell) != 0)
				return -1;
			fprintf(to, " at first %g,%g center front textcolor rgb '%s'\n", (double)column + 0.5, (double)row + 0.5,
				is_dark(report_heat_color(at->number, range)) ? "#ffffff" : "#000000");
		}
	}
	fputs("plot $cell using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid 1 noborder linecolor rgb variable\n", to);
	return 0;
}
