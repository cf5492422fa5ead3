/* SPDX-License-Identifier: MIT */
/* Tables of results: aligned text for people, CSV, Markdown, JSON (an array with an object per row). */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stddef.h>
#include <stdio.h>

enum report_format { REPORT_TEXT, REPORT_CSV, REPORT_MARKDOWN, REPORT_JSON };

#define REPORT_IS_TEXT (-1)
/* As many digits as tell a number from all others, in CSV and JSON. */
#define REPORT_ALL_DIGITS (-2)
/* A probability: as REPORT_ALL_DIGITS, and for people with four decimals, or as <0.0001. */
#define REPORT_P (-3)

struct report_column {
	const char *name;   /* in CSV and JSON */
	int decimals;       /* there; REPORT_IS_TEXT for a column of texts, REPORT_ALL_DIGITS or REPORT_P */
	const char *title;  /* in text and Markdown; NULL, or no value in any row: the column doesn't appear there */
	int title_decimals; /* there */
	double scale;       /* what numbers are multiplied by there */
	const char *lack;   /* there, in place of a missing value, also of all; NULL: nothing */
};

union report_cell {
	double number;    /* what is not finite is no value: left empty, null in JSON */
	const char *text; /* NULL for none; must outlive the table; any bytes */
};

struct report_table;

/* The columns stay the caller's and must outlive the table. NULL with errno. */
struct report_table *report_table_new(const struct report_column *column, size_t columns);
void report_table_free(struct report_table *table);

/* Adds a row of a cell per column. 0, or -1 with errno. */
int report_table_add(struct report_table *table, const union report_cell *cell);
size_t report_table_rows(const struct report_table *table);

/* Figures of fewer samples than this tell nothing. */
#define REPORT_FEW 20

/*
 * People are told how many samples there are in place of a figure of few, in the column of that name. The column `of` says how many, less those
 * of the column `less`, if it isn't NULL. Columns that the table lacks are passed over. 0, or -1 with errno.
 */
int report_table_hide_few(struct report_table *table, const char *column, const char *of, const char *less);

/* Numbers have all their digits in CSV and JSON from now on. */
void report_table_use_all_digits(struct report_table *table);

/* 0, or -1 with errno; the stream's error indicator must be asked for too. */
int report_table_write(const struct report_table *table, enum report_format format, FILE *to);

/* Labels and file names, which may hold any bytes, on their way into a report. */

/*
 * Copies a text so that it is valid UTF-8 without control characters: what is no UTF-8 becomes U+FFFD, a control character '?'.
 * Returns text to be freed, or NULL with errno.
 */
char *report_text_clean(const char *text);

/* How many characters a valid UTF-8 text has. */
size_t report_text_width(const char *text);

/*
 * As report_text_clean, but of at most `width` characters (at least 1): what is too long ends with an ellipsis.
 */
char *report_text_shorten(const char *text, size_t width);

#endif
