/* SPDX-License-Identifier: MIT */
#include "report/matrix.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

/* Longest text of a cell in a message, with its NUL. */
#define SHOWN_MAX 41

static int no_memory(const char *name, char error[static CSV_ERROR_MAX])
{
	snprintf(error, CSV_ERROR_MAX, "%.300s: %s", name, strerror(errno));
	return -1;
}

static int read_header(struct report_matrix *matrix, const struct csv *csv, char error[static CSV_ERROR_MAX])
{
	const size_t columns = csv_columns(csv) - 1;
	if (columns == 0 || columns > REPORT_MATRIX_MOST) {
		snprintf(error, CSV_ERROR_MAX, "%.300s:1: found %zu columns behind the names of rows, expected 1 to %d",
			matrix->name, columns, REPORT_MATRIX_MOST);
		return -1;
	}
	matrix->column = calloc(columns, sizeof *matrix->column);
	matrix->corner = strdup(csv_column_name(csv, 0));
	if (!matrix->column || !matrix->corner)
		return no_memory(matrix->name, error);
	for (; matrix->columns < columns; matrix->columns++) {
		matrix->column[matrix->columns] = strdup(csv_column_name(csv, matrix->columns + 1));
		if (!matrix->column[matrix->columns])
			return no_memory(matrix->name, error);
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
			return no_memory(name, error);
		memcpy(error, csv_error(csv), CSV_ERROR_MAX);
		return -1;
	}
	*is_cut = csv_is_cut(csv);
	if (matrix->rows > 0)
		return 0;
	snprintf(error, CSV_ERROR_MAX, "%.300s: found no whole row after the header", name);
	return -1;
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
