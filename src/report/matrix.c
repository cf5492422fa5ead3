/* SPDX-License-Identifier: MIT */
#include "report/matrix.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/table.h"

/* Longest text of a cell in a message, with its NUL. */
#define SHOWN_MAX 41

static int read_header(struct report_matrix *matrix, const struct csv *csv, char error[static CSV_ERROR_MAX])
{
	const size_t columns = csv_columns(csv) - 1;
	if (columns == 0 || columns > REPORT_MATRIX_MOST)
		return csv_fail(error, "%.300s:1: found %zu columns behind the names of rows, expected 1 to %d", matrix->name,
			columns, REPORT_MATRIX_MOST);
	matrix->column = calloc(columns, sizeof *matrix->column);
	matrix->corner = strdup(csv_column_name(csv, 0));
	if (!matrix->column || !matrix->corner)
		return csv_fail(error, "%.300s: %s", matrix->name, strerror(errno));
	for (; matrix->columns < columns; matrix->columns++) {
		matrix->column[matrix->columns] = strdup(csv_column_name(csv, matrix->columns + 1));
		if (!matrix->column[matrix->columns])
			return csv_fail(error, "%.300s: %s", matrix->name, strerror(errno));
	}
	return 0;
}

/* Text of the file for a message: printable, and not too long. */
static void show(const char *text, char shown[static SHOWN_MAX])
{
	snprintf(shown, SHOWN_MAX, "%s", text);
	for (char *at = shown; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
}

static int read_cell(struct report_matrix_cell *cell, struct csv *csv, size_t column)
{
	size_t length;
	const char *const text = csv_text(csv, column, &length);
	cell->number = NAN;
	if (length == 0)
		return 0;
	cell->text = strndup(text, length);
	if (!cell->text)
		return -1;
	const size_t digits = strcspn(cell->text, " ");
	if (units_parse_real(cell->text, digits, &cell->number, NULL) != 0) {
		char shown[SHOWN_MAX];
		show(cell->text, shown);
		return csv_refuse(csv, column, "found '%s', expected a number, with a blank before what follows", shown);
	}
	const char *const mark = cell->text + digits + strspn(cell->text + digits, " ");
	cell->mark = *mark ? mark : NULL;
	return 0;
}

static int read_row(struct report_matrix *matrix, struct csv *csv)
{
	size_t length;
	const size_t row = matrix->rows;
	if (row == REPORT_MATRIX_MOST)
		return csv_refuse(csv, 0, "found more rows, expected at most %d", REPORT_MATRIX_MOST);
	char **const rows = realloc(matrix->row, (row + 1) * sizeof *rows);
	if (!rows)
		return -1;
	matrix->row = rows;
	struct report_matrix_cell *const cells = realloc(matrix->cell, (row + 1) * matrix->columns * sizeof *cells);
	if (!cells)
		return -1;
	matrix->cell = cells;
	memset(cells + row * matrix->columns, 0, matrix->columns * sizeof *cells);
	const char *const name = csv_text(csv, 0, &length);
	rows[row] = strndup(name, length);
	if (!rows[row])
		return -1;
	matrix->rows++;
	for (size_t i = 0; i < matrix->columns; i++)
		if (read_cell(&cells[row * matrix->columns + i], csv, i + 1) != 0)
			return -1;
	return 0;
}

int report_matrix_take(
	struct report_matrix *matrix, struct csv *csv, const char *name, bool *is_cut, char error[static CSV_ERROR_MAX])
{
	int more = 0;
	*matrix = (struct report_matrix){.name = name};
	*is_cut = false;
	if (read_header(matrix, csv, error) != 0)
		return -1;
	while ((more = csv_next(csv)) > 0) {
		if (read_row(matrix, csv) == 0)
			continue;
		more = -1;
		break;
	}
	if (more != 0) {
		if (!*csv_error(csv))
			return csv_fail(error, "%.300s: %s", name, strerror(errno));
		return csv_fail(error, "%s", csv_error(csv));
	}
	*is_cut = csv_is_cut(csv);
	if (matrix->rows > 0)
		return 0;
	return csv_fail(error, "%.300s: found no whole row after the header", name);
}

int report_matrix_read(
	struct report_matrix *matrix, const char *path, const char *name, bool *is_cut, char error[static CSV_ERROR_MAX])
{
	*matrix = (struct report_matrix){.name = name};
	struct csv *const csv = csv_open(path, name, error);
	if (!csv)
		return -1;
	const int result = report_matrix_take(matrix, csv, name, is_cut, error);
	csv_close(csv);
	return result;
}

/* ---- Putting together ------------------------------------------------------------------------------------------------- */

/* The place of a name, which is the last one when it is new. Or REPORT_MATRIX_MOST, with errno. */
static size_t place_of(char ***list, size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++)
		if (strcmp((*list)[i], name) == 0)
			return i;
	errno = E2BIG;
	if (*count == REPORT_MATRIX_MOST)
		return REPORT_MATRIX_MOST;
	char **const larger = realloc(*list, (*count + 1) * sizeof *larger);
	if (!larger)
		return REPORT_MATRIX_MOST;
	*list = larger;
	larger[*count] = strdup(name);
	return larger[*count] ? (*count)++ : REPORT_MATRIX_MOST;
}

/* Cells for as many rows and columns as there are names now. */
static int spread(struct report_matrix *matrix, size_t rows, size_t columns)
{
	struct report_matrix_cell *const cell = calloc(matrix->rows * matrix->columns, sizeof *cell);
	if (!cell)
		return -1;
	for (size_t i = 0; i < matrix->rows * matrix->columns; i++)
		cell[i].number = NAN;
	for (size_t row = 0; row < rows; row++)
		for (size_t column = 0; column < columns; column++)
			cell[row * matrix->columns + column] = matrix->cell[row * columns + column];
	free(matrix->cell);
	matrix->cell = cell;
	return 0;
}

int report_matrix_put(
	struct report_matrix *matrix, const char *row, const char *column, double number, int decimals, const char *mark)
{
	const size_t rows = matrix->rows;
	const size_t columns = matrix->columns;
	char text[400];
	if (!matrix->corner && !(matrix->corner = strdup("")))
		return -1;
	const size_t at_row = place_of(&matrix->row, &matrix->rows, row);
	const size_t at_column =
		at_row < REPORT_MATRIX_MOST ? place_of(&matrix->column, &matrix->columns, column) : REPORT_MATRIX_MOST;
	const int error = errno;
	if ((matrix->rows != rows || matrix->columns != columns) && spread(matrix, rows, columns) != 0) {
		/* No cell is there for the new names. */
		while (matrix->rows > rows)
			free(matrix->row[--matrix->rows]);
		while (matrix->columns > columns)
			free(matrix->column[--matrix->columns]);
		return -1;
	}
	if (at_column == REPORT_MATRIX_MOST) {
		errno = error;
		return -1;
	}
	struct report_matrix_cell *const cell = &matrix->cell[at_row * matrix->columns + at_column];
	errno = EEXIST;
	if (cell->text)
		return -1;
	const int length = snprintf(text, sizeof text, "%.*f", decimals, number);
	snprintf(text + length, sizeof text - (size_t)length, " %s", mark);
	cell->text = strdup(text);
	if (!cell->text)
		return -1;
	cell->number = number;
	cell->mark = cell->text + length + 1;
	return 0;
}

bool report_matrix_has(const struct report_matrix *matrix, const char *name)
{
	for (size_t i = 0; i < matrix->rows; i++)
		if (strcmp(matrix->row[i], name) == 0)
			return true;
	for (size_t i = 0; i < matrix->columns; i++)
		if (strcmp(matrix->column[i], name) == 0)
			return true;
	return false;
}

void report_matrix_free(struct report_matrix *matrix)
{
	for (size_t i = 0; i < matrix->columns; i++)
		free(matrix->column[i]);
	for (size_t i = 0; i < matrix->rows; i++)
		free(matrix->row[i]);
	for (size_t i = 0; i < matrix->rows * matrix->columns; i++)
		free(matrix->cell[i].text);
	free(matrix->column);
	free(matrix->row);
	free(matrix->cell);
	free(matrix->corner);
	*matrix = (struct report_matrix){0};
}

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
	return plot_quote_short(plot, text, room > 2 * CHARACTER_CM ? (size_t)(room / CHARACTER_CM) : 2);
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
