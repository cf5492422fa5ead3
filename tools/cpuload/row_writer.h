/* SPDX-License-Identifier: MIT */
/* Rows of numbers, written as CSV, JSON Lines or a table for people; each line with one system call. */
#ifndef CPULOAD_ROW_WRITER_H
#define CPULOAD_ROW_WRITER_H

#include <stddef.h>

enum row_format { ROW_CSV, ROW_JSONL, ROW_TABLE };

struct row_column {
	char name[64];  /* in CSV and JSON: letters, digits, underscores */
	int decimals;   /* there */
	char title[64]; /* in the table; "" leaves the column out of it */
	int table_decimals;
	double table_scale; /* what values are multiplied by in the table */
};

struct row_writer;

/* Both the descriptor and the columns stay the caller's and must outlive the writer. NULL with errno. */
struct row_writer *row_writer_new(int fd, enum row_format format, const struct row_column *column, size_t count);
void row_writer_free(struct row_writer *writer);

/*
 * Writes the header that the format has: names, or titles below the line `heading` (NULL for none). 0, or -1 with errno when it could not be
 * written whole.
 */
int row_writer_header(struct row_writer *writer, const char *heading);

/*
 * Writes a row: one value per column, NaN where there is none (CSV: nothing, JSON: null, table: n/a). `label` is the first cell of a
 * table's row. 0, or -1 with errno when it could not be written whole; a file is then cut back to its last whole line.
 */
int row_writer_row(struct row_writer *writer, const char *label, const double *value);

/* Writes a line as it is (without newline). */
int row_writer_line(struct row_writer *writer, const char *line);

#endif
