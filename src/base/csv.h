/* SPDX-License-Identifier: MIT */
/*
 * Reader of CSV files (RFC 4180) with a header, as Showstopper and its tools write them: a row at a time, files of any length,
 * also from a pipe. Accepts lines that end with CR LF, quoted fields and a byte order mark.
 *
 * JSON Lines are read the same way: where the first line is a JSON object, its members are the columns, all lines have them in the same order,
 * and null is an empty field. Values are numbers, texts, true and false.
 *
 * What is no CSV, such as the log of a server, can be read as lines of text.
 *
 * A file that its writer could not finish ends in half a line. That half is left out, and csv_is_cut tells.
 */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>

/* Longest message, with its NUL. */
#define CSV_ERROR_MAX 512
/* Longest row in bytes. */
#define CSV_ROW_MAX ((size_t)1 << 20)

/* Puts a message there (printf style). Returns -1. */
int csv_fail(char error[static CSV_ERROR_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));

struct csv;

/*
 * Opens a file ("-" is standard input) and reads its header. `name` is what messages call it, and must outlive the reader.
 * Returns NULL with a message in `error` when there is no such file, or it has no header.
 */
struct csv *csv_open(const char *path, const char *name, char error[static CSV_ERROR_MAX]);
/* The same for text in memory, which is copied. */
struct csv *csv_open_text(const char *text, size_t length, const char *name, char error[static CSV_ERROR_MAX]);
void csv_close(struct csv *csv);

/* The same before anything is read. What a file is may be seen with csv_peek; then csv_read_header or csv_next_line comes. */
struct csv *csv_open_unread(const char *path, const char *name, char error[static CSV_ERROR_MAX]);
struct csv *csv_open_text_unread(const char *text, size_t length, const char *name, char error[static CSV_ERROR_MAX]);
/* The first line of the file and what of others is at hand: 1, 0 when the file is empty, or -1 with a message. Valid until the next call. */
int csv_peek(struct csv *csv, const char **text, size_t *length);
/*
 * Passes over a first line for whose length csv_peek failed, so that it may look at what is behind it. False, with that message, when it failed
 * for something else or the line doesn't seem to end.
 */
bool csv_pass_first(struct csv *csv);
/* Reads the header. 0, or -1 with a message. */
int csv_read_header(struct csv *csv);
/* Goes to the next line of text, whatever is in it; without its end. As csv_next. */
int csv_next_line(struct csv *csv, const char **text, size_t *length);

/* Columns of the header. Names are NUL-terminated and valid until csv_close. */
size_t csv_columns(const struct csv *csv);
const char *csv_column_name(const struct csv *csv, size_t column);
/* The first column of that name, or -1. */
int csv_find(const struct csv *csv, const char *name);
/*
 * Puts the names in a text, for messages; what can't be printed becomes '?', and what is too long ends with "...". Returns text.
 */
char *csv_print_columns(const struct csv *csv, char *text, size_t size);

/* Goes to the next row: 1, 0 at the end, or -1 with a message (csv_error). */
int csv_next(struct csv *csv);
/* The last line of the file was not whole. Known when csv_next has returned 0. */
bool csv_is_cut(const struct csv *csv);
/* Number of the current row's first line, from 1. */
size_t csv_line(const struct csv *csv);

/* A field of the current row, valid until csv_next; not NUL-terminated. */
const char *csv_text(const struct csv *csv, size_t column, size_t *length);
/* A field as a number, NaN when it is empty. 0, or -1 with a message that says where, what was found and what was expected. */
int csv_number(struct csv *csv, size_t column, double *value);

/* Makes the message for a field of the current row: "FILE:LINE:CHARACTER: COLUMN: …" (printf style). Returns -1. */
int csv_refuse(struct csv *csv, size_t column, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for a line of text, at a character of it, from 0. */
int csv_refuse_line(struct csv *csv, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *csv_error(const struct csv *csv);
/*
 * Whether csv_next or csv_next_line goes on behind what it refused, at the next row; else the file can't be read any further. A row that is too long
 * is left out up to its newline, unless it has quotes, which may hold newlines.
 */
bool csv_can_go_on(const struct csv *csv);

#endif
