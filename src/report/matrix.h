/* SPDX-License-Identifier: MIT */
/*
 * A table of numbers with names of rows and columns, as CSV: the header has the names of the columns, the first field of each
 * line is the name of the row. Behind its number a cell may have a mark, after a blank ("44.2 p"). Empty cells are not known.
 */
#ifndef REPORT_MATRIX_H
#define REPORT_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "report/draw.h"
#include "report/plot.h"

/* Larger tables are refused: a picture of them can't be read. */
#define REPORT_MATRIX_MOST 100

struct report_matrix_cell {
	double number;    /* NaN: none */
	char *text;       /* as the file has it, with the mark; NULL: none */
	const char *mark; /* in text; NULL: none */
};

struct report_matrix {
	const char *name; /* the caller's */
	char *corner;     /* the first field of the header */
	char **column, **row;
	size_t columns, rows;
	struct report_matrix_cell *cell; /* row after row */
};

/*
 * Reads the file at a path ("-" is standard input), which messages call `name`. *is_cut: it ended in half a line, which was left
 * out. 0, or -1 with a message. Free in both cases.
 */
int report_matrix_read(
	struct report_matrix *matrix, const char *path, const char *name, bool *is_cut, char error[static CSV_ERROR_MAX]);
/* The same, from a reader that is at its header. */
int report_matrix_take(
	struct report_matrix *matrix, struct csv *csv, const char *name, bool *is_cut, char error[static CSV_ERROR_MAX]);
/*
 * Puts a number with a mark where a row and a column of these names meet; names that are not there yet become the last ones. Start
 * with {0}. 0, or -1 with errno: E2BIG, too many of either; EEXIST, that cell has a number. `decimals` are those of its text.
 */
int report_matrix_put(
	struct report_matrix *matrix, const char *row, const char *column, double number, int decimals, const char *mark);
/* Whether a row or a column has this name. */
bool report_matrix_has(const struct report_matrix *matrix, const char *name);
void report_matrix_free(struct report_matrix *matrix);

static inline const struct report_matrix_cell *report_matrix_at(const struct report_matrix *matrix, size_t row, size_t column)
{
	return &matrix->cell[row * matrix->columns + column];
}

/* Heat maps: a table as a picture, each cell with its text on a colour that its number has. The larger, the darker. */

/* The numbers that have the lightest and the darkest colour; what lies beyond has one of these. */
struct report_heat_range {
	double low, high;
};

/* The colour of a number in this range, as 0xRRGGBB. */
unsigned report_heat_color(double number, const struct report_heat_range *range);

/* Those of a table, without rows and columns of some names. */
struct report_heat_range report_heat_range(const struct report_matrix *matrix, const char *const *outlier, size_t outliers);

/* As large as the texts need. */
struct report_size report_heat_size(const struct report_matrix *matrix);

/* Writes the script of a picture of this size. 0, or -1 with errno. */
int report_heat_draw(struct plot *plot, const struct report_matrix *matrix, const struct report_heat_range *range,
	const struct report_size *size);

#endif
