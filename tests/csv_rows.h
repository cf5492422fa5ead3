/* SPDX-License-Identifier: MIT */
/* Rows of a CSV file that was just written: a header, and fields that are found by its names. No field holds a newline. */
#ifndef CSV_ROWS_H
#define CSV_ROWS_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CSV_COLUMNS_MOST 512

struct csv_line {
	char *text;
	size_t room, fields;
	const char *field[CSV_COLUMNS_MOST];
};

struct csv_rows {
	FILE *file;
	struct csv_line header, row;
};

/* The field that begins there, without quotes. Returns where the next one begins, or NULL. */
static inline char *csv_cut_field(char *from)
{
	char *to = from;
	bool quoted = false;
	for (; *from && (quoted || *from != ','); from++) {
		if (*from == '"' && quoted && from[1] == '"')
			*to++ = *++from;
		else if (*from == '"')
			quoted = !quoted;
		else
			*to++ = *from;
	}
	char *const next = *from ? from + 1 : NULL;
	*to = '\0';
	return next;
}

static inline bool csv_cut_line(struct csv_line *line, FILE *file)
{
	line->fields = 0;
	if (getline(&line->text, &line->room, file) < 0)
		return false;
	line->text[strcspn(line->text, "\n")] = '\0';
	for (char *at = line->text; at && line->fields < CSV_COLUMNS_MOST;) {
		line->field[line->fields++] = at;
		at = csv_cut_field(at);
	}
	return true;
}

/* Start with {0}. Whether it has a header. */
static inline bool csv_rows_open(struct csv_rows *csv, const char *path)
{
	csv->file = fopen(path, "re");
	return csv->file && csv_cut_line(&csv->header, csv->file);
}

static inline void csv_rows_close(struct csv_rows *csv)
{
	fclose(csv->file);
	free(csv->header.text);
	free(csv->row.text);
}

/* Goes to the next row. Whether there is one, with as many fields as the header has. */
static inline bool csv_rows_next(struct csv_rows *csv)
{
	return csv_cut_line(&csv->row, csv->file) && csv->row.fields == csv->header.fields;
}

/* The place of a column, or -1. */
static inline int csv_rows_find(const struct csv_rows *csv, const char *name)
{
	for (size_t i = 0; i < csv->header.fields; i++)
		if (strcmp(csv->header.field[i], name) == 0)
			return (int)i;
	return -1;
}

/* A field of the row; "" where there is no such column. */
static inline const char *csv_rows_text(const struct csv_rows *csv, const char *name)
{
	const int at = csv_rows_find(csv, name);
	return at < 0 ? "" : csv->row.field[at];
}

/* NaN where it is empty. */
static inline double csv_rows_number(const struct csv_rows *csv, const char *name)
{
	const char *const text = csv_rows_text(csv, name);
	return *text ? strtod(text, NULL) : NAN;
}

#endif
