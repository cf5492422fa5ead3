/* SPDX-License-Identifier: MIT */
/*
 * The buffer holds a stretch of the file; a row is always whole in it. Fields are offsets into it. Most rows have no quotes, and
 * then a row costs one search for its end and one pass for its commas.
 *
 * A line of JSON becomes fields in the same way: its values are offsets, too.
 */
#include "base/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_line.h"
#include "base/units.h"

#define BUFFER_SIZE ((size_t)1 << 18)
/* How much of a field a message shows. */
#define SHOWN_MAX 40

struct field {
	size_t start, length;
};

struct csv {
	const char *name;
	int fd; /* -1: everything is in the buffer */
	char *buffer;
	size_t size, begin, end; /* bytes begin…end are not used up */
	bool is_at_end;          /* of the file */
	bool is_cut;
	bool is_json;     /* JSON Lines */
	bool is_over;     /* nothing can be read behind what was refused */
	bool is_too_long; /* the row at begin doesn't fit into the buffer */
	bool is_skipping; /* what comes up to the next newline belongs to a row that was refused */
	size_t line;      /* of the current row */
	size_t next_line; /* of the row after it */
	size_t row;       /* where the current row begins */
	size_t columns;   /* 0 while the header is read */
	char **column;
	struct field *field;
	size_t fields, field_capacity;
	char error[CSV_ERROR_MAX];
};

int csv_fail(char error[static CSV_ERROR_MAX], const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error, CSV_ERROR_MAX, format, arguments);
	va_end(arguments);
	return -1;
}

/* Text of a file for a message: printable characters only, and not too many. */
static void show(const char *text, size_t length, char shown[static SHOWN_MAX + 4])
{
	const size_t kept = length <= SHOWN_MAX ? length : SHOWN_MAX;
	for (size_t i = 0; i < kept; i++)
		shown[i] = (char)(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
	strcpy(shown + kept, length > kept ? "..." : "");
}

int csv_refuse(struct csv *csv, size_t column, const char *format, ...)
{
	char message[CSV_ERROR_MAX / 2];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	return csv_fail(csv->error, "%.200s:%zu:%zu: %.60s: %s", csv->name, csv->line, csv->field[column].start - csv->row + 1,
		csv->column[column], message);
}

int csv_refuse_line(struct csv *csv, size_t at, const char *format, ...)
{
	char message[CSV_ERROR_MAX / 2];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	return csv_fail(csv->error, "%.200s:%zu:%zu: %s", csv->name, csv->line, at + 1, message);
}

/* ---- Buffer ----------------------------------------------------------------------------------------------------------- */

/* Gets more of the file behind what there is. 1, 0 at the end of the file, or -1. Moves the buffer. */
static int refill(struct csv *csv)
{
	if (csv->is_at_end)
		return 0;
	if (csv->begin > 0) {
		memmove(csv->buffer, csv->buffer + csv->begin, csv->end - csv->begin);
		csv->end -= csv->begin;
		csv->begin = 0;
	}
	if (csv->end == csv->size) {
		csv->is_too_long = csv->size > CSV_ROW_MAX;
		if (csv->is_too_long)
			return csv_fail(
				csv->error, "%s:%zu: found a row of more than %zu bytes", csv->name, csv->next_line, CSV_ROW_MAX);
		char *const larger = realloc(csv->buffer, csv->size + BUFFER_SIZE);
		if (!larger)
			return csv_fail(csv->error, "%s: %s", csv->name, strerror(errno));
		csv->buffer = larger;
		csv->size += BUFFER_SIZE;
	}
	ssize_t got;
	do
		got = read(csv->fd, csv->buffer + csv->end, csv->size - csv->end);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return csv_fail(csv->error, "%s: %s", csv->name, strerror(errno));
	csv->end += (size_t)got;
	csv->is_at_end = got == 0;
	return got > 0;
}

/*
 * Finds the newline that ends the row at begin: one outside of quotes, where they count. 1 with its distance from begin and the number of
 * lines; 0 when the file ends first, or -1.
 */
static int find_end(struct csv *csv, bool has_quotes, size_t *length, size_t *lines)
{
	size_t at = 0;
	bool is_quoted = false;
	*lines = 1;
	for (;;) {
		const char *const start = csv->buffer + csv->begin + at;
		const size_t left = csv->end - csv->begin - at;
		const char *const newline = memchr(start, '\n', left);
		const size_t stretch = newline ? (size_t)(newline - start) : left;
		if (has_quotes)
			for (const char *quote = start; (quote = memchr(quote, '"', (size_t)(start + stretch - quote))); quote++)
				is_quoted = !is_quoted;
		at += stretch;
		if (newline && !is_quoted) {
			*length = at;
			return 1;
		}
		if (newline) {
			at++;
			++*lines;
			continue;
		}
		const int more = refill(csv);
		if (more == 0 && *lines > 1)
			return csv_fail(csv->error, "%s:%zu: found a quoted field without its end", csv->name, csv->next_line);
		if (more <= 0)
			return more;
	}
}

/* ---- Rows ------------------------------------------------------------------------------------------------------------- */

static int add_field(struct csv *csv, size_t start, size_t length)
{
	if (csv->fields == csv->field_capacity) {
		const size_t capacity = csv->field_capacity ? 2 * csv->field_capacity : 16;
		struct field *const larger = realloc(csv->field, capacity * sizeof *larger);
		if (!larger)
			return csv_fail(csv->error, "%s: %s", csv->name, strerror(errno));
		csv->field = larger;
		csv->field_capacity = capacity;
	}
	csv->field[csv->fields++] = (struct field){start, length};
	return 0;
}

/* A field that begins with a quote at *at; what is in it is moved together. Moves *at behind it. */
static int split_quoted(struct csv *csv, size_t *at, size_t end)
{
	char *const text = csv->buffer;
	const size_t start = *at;
	size_t to = start;
	size_t from = start + 1;
	while (from < end) {
		if (text[from] != '"') {
			text[to++] = text[from++];
		} else if (from + 1 < end && text[from + 1] == '"') {
			text[to++] = '"';
			from += 2;
		} else {
			break;
		}
	}
	if (from >= end)
		return csv_fail(csv->error, "%s:%zu:%zu: found a quoted field without its end", csv->name, csv->line,
			start - csv->row + 1);
	if (from + 1 < end && text[from + 1] != ',')
		return csv_fail(csv->error, "%s:%zu:%zu: found text behind a quoted field, expected a comma", csv->name,
			csv->line, from - csv->row + 2);
	*at = from + 1;
	return add_field(csv, start, to - start);
}

static int split(struct csv *csv, size_t length)
{
	const size_t end = csv->row + length;
	size_t at = csv->row;
	csv->fields = 0;
	for (;;) {
		if (at < end && csv->buffer[at] == '"') {
			if (split_quoted(csv, &at, end) != 0)
				return -1;
		} else {
			const char *const comma = memchr(csv->buffer + at, ',', end - at);
			const size_t stop = comma ? (size_t)(comma - csv->buffer) : end;
			if (add_field(csv, at, stop - at) != 0)
				return -1;
			at = stop;
		}
		if (at == end)
			return 0;
		at++;
	}
}

/* ---- JSON Lines ------------------------------------------------------------------------------------------------------- */

static int next_member(struct csv *csv, size_t length, size_t *at, struct json_member *member)
{
	const char *expected;
	const int found = json_line_next(csv->buffer + csv->row, length, at, member, &expected);
	if (found >= 0)
		return found;
	return csv_fail(csv->error, "%s:%zu:%zu: expected %s, in a line of JSON such as {\"a\":1,\"b\":null}", csv->name,
		csv->line, *at + 1, expected);
}

static int split_json(struct csv *csv, size_t length)
{
	struct json_member member;
	size_t at = 0;
	int found;
	csv->fields = 0;
	while ((found = next_member(csv, length, &at, &member)) > 0) {
		char *const text = csv->buffer + csv->row;
		const char *const expected = csv->fields < csv->columns ? csv->column[csv->fields] : "";
		if (strlen(expected) != member.name_length || memcmp(expected, text + member.name, member.name_length) != 0)
			return csv_fail(csv->error, "%s:%zu:%zu: expected the members of the first line, in their order",
				csv->name, csv->line, member.name + 1);
		if (member.has_escapes)
			member.value_length = json_line_unescape(text + member.value, member.value_length);
		if (add_field(csv, csv->row + member.value, member.value_length) != 0)
			return -1;
	}
	return found;
}

/* Where a row without quotes ends is known however long it is. Only who goes on reads up to there: it may be endless. */
static bool begin_skipping(struct csv *csv, bool has_quotes)
{
	const bool is_row = !has_quotes || !memchr(csv->buffer + csv->begin, '"', csv->end - csv->begin);
	csv->is_skipping = csv->is_too_long && is_row;
	if (csv->is_skipping)
		csv->begin = csv->end;
	return csv->is_skipping;
}

/* Leaves out the rest of a row that was too long. 1, 0 at the end of the file, or -1. */
static int skip_rest(struct csv *csv)
{
	while (csv->is_skipping) {
		const int more = refill(csv);
		if (more <= 0) {
			csv->is_cut = more == 0;
			return more;
		}
		const char *const newline = memchr(csv->buffer, '\n', csv->end);
		csv->begin = newline ? (size_t)(newline - csv->buffer) + 1 : csv->end;
		csv->is_skipping = !newline;
	}
	csv->next_line += csv->is_too_long;
	csv->is_too_long = false;
	return 1;
}

/* Goes to the next row as a whole: 1, 0 at the end, or -1 with a message. */
static int next_row(struct csv *csv, bool has_quotes, size_t *length)
{
	size_t lines = 0;
	const int rest = skip_rest(csv);
	csv->is_over = rest < 0;
	if (rest <= 0)
		return rest;
	const int found = find_end(csv, has_quotes, length, &lines);
	csv->is_over = found < 0 && !begin_skipping(csv, has_quotes);
	if (found <= 0) {
		csv->is_cut = found == 0 && csv->begin < csv->end;
		return found;
	}
	csv->row = csv->begin;
	csv->begin += *length + 1;
	csv->line = csv->next_line;
	csv->next_line += lines;
	if (*length > 0 && csv->buffer[csv->row + *length - 1] == '\r')
		--*length;
	if (*length > CSV_ROW_MAX)
		return csv_fail(csv->error, "%s:%zu: found a row of %zu bytes, expected at most %zu", csv->name, csv->line,
			*length, CSV_ROW_MAX);
	return 1;
}

int csv_next(struct csv *csv)
{
	size_t length = 0;
	const int found = next_row(csv, !csv->is_json, &length);
	if (found <= 0)
		return found;
	if ((csv->is_json ? split_json(csv, length) : split(csv, length)) != 0)
		return -1;
	if (csv->columns > 0 && csv->fields != csv->columns)
		return csv_fail(csv->error, "%s:%zu: found %zu field%s, expected %zu as in the header", csv->name, csv->line,
			csv->fields, csv->fields == 1 ? "" : "s", csv->columns);
	return 1;
}

int csv_next_line(struct csv *csv, const char **text, size_t *length)
{
	const int found = next_row(csv, false, length);
	*text = csv->buffer + csv->row;
	return found;
}

bool csv_can_go_on(const struct csv *csv)
{
	return !csv->is_over;
}

bool csv_is_cut(const struct csv *csv)
{
	return csv->is_cut;
}

size_t csv_line(const struct csv *csv)
{
	return csv->line;
}

/* ---- Header ----------------------------------------------------------------------------------------------------------- */

int csv_peek(struct csv *csv, const char **text, size_t *length)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t mark_length = sizeof mark - 1;
	int more = 1;
	while (more > 0 && csv->end - csv->begin <= mark_length)
		more = refill(csv);
	if (csv->begin == 0 && csv->next_line == 1 && csv->end >= mark_length && memcmp(csv->buffer, mark, mark_length) == 0)
		csv->begin = mark_length;
	while (more > 0 && !memchr(csv->buffer + csv->begin, '\n', csv->end - csv->begin))
		more = refill(csv);
	if (more < 0)
		return -1;
	*text = csv->buffer + csv->begin;
	*length = csv->end - csv->begin;
	return *length > 0;
}

/* A first row that is longer than this may be endless. */
#define PASSED_MAX ((size_t)64 << 20)

bool csv_pass_first(struct csv *csv)
{
	size_t passed = 0;
	bool is_passed = false;
	while (csv->is_too_long && !is_passed && passed <= PASSED_MAX) {
		passed += csv->end - csv->begin;
		csv->begin = csv->end;
		if (refill(csv) <= 0)
			return false;
		const char *const newline = memchr(csv->buffer, '\n', csv->end);
		is_passed = newline;
		csv->begin = newline ? (size_t)(newline - csv->buffer) + 1 : 0;
	}
	if (!is_passed)
		return false;
	csv->is_too_long = false;
	csv->next_line++;
	return true;
}

/* The fields of the row that was read are the names. */
static int name_columns(struct csv *csv)
{
	csv->column = calloc(csv->fields + 1, sizeof *csv->column);
	if (!csv->column)
		return csv_fail(csv->error, "%s: %s", csv->name, strerror(errno));
	csv->columns = csv->fields;
	for (size_t i = 0; i < csv->columns; i++) {
		csv->column[i] = strndup(csv->buffer + csv->field[i].start, csv->field[i].length);
		if (!csv->column[i])
			return csv_fail(csv->error, "%s: %s", csv->name, strerror(errno));
	}
	return 0;
}

/* The names of the members of the first line, which stays to be read. */
static int read_members(struct csv *csv)
{
	struct json_member member;
	size_t length = 0;
	size_t at = 0;
	int more;
	const size_t begin = csv->begin;
	const int found = next_row(csv, false, &length);
	if (found == 0)
		return csv_fail(csv->error, "%s:1: found a line that is cut off, expected a whole one", csv->name);
	if (found < 0)
		return -1;
	while ((more = next_member(csv, length, &at, &member)) > 0)
		if (add_field(csv, csv->row + member.name, member.name_length) != 0)
			return -1;
	if (more < 0)
		return -1;
	csv->begin = begin;
	csv->next_line = 1;
	csv->is_json = true;
	return name_columns(csv);
}

int csv_read_header(struct csv *csv)
{
	char shown[SHOWN_MAX + 4];
	const char *text;
	size_t length;
	const int is_there = csv_peek(csv, &text, &length);
	if (is_there < 0)
		return -1;
	if (is_there > 0 && *text == '{')
		return read_members(csv);
	if (is_there == 0)
		return csv_fail(csv->error, "%s: found an empty file, expected CSV with a header", csv->name);
	const int found = csv_next(csv);
	if (found < 0)
		return -1;
	length = found ? csv->begin - csv->row - 1 : csv->end - csv->begin;
	text = csv->buffer + (found ? csv->row : csv->begin);
	for (size_t i = 0; i < length; i++) {
		if (((unsigned char)text[i] < ' ' && !strchr("\t\r\n", text[i])) || text[i] == '\0') {
			show(text, length, shown);
			return csv_fail(csv->error, "%s:1:%zu: found '%s', expected a line of text with the names of columns",
				csv->name, i + 1, shown);
		}
	}
	if (!found)
		return csv_fail(csv->error, "%s:1: found a header that is cut off, expected a whole line", csv->name);
	csv->is_cut = false;
	return name_columns(csv);
}

static struct csv *make(int fd, const char *name, size_t size, char error[static CSV_ERROR_MAX])
{
	struct csv *const csv = calloc(1, sizeof *csv);
	char *const buffer = malloc(size);
	if (csv && buffer) {
		csv->name = name;
		csv->fd = fd;
		csv->buffer = buffer;
		csv->size = size;
		csv->next_line = 1;
		return csv;
	}
	csv_fail(error, "%.300s: %s", name, strerror(errno));
	free(csv);
	free(buffer);
	return NULL;
}

struct csv *csv_open_unread(const char *path, const char *name, char error[static CSV_ERROR_MAX])
{
	const int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
					      : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		csv_fail(error, "%.300s: %s", name, strerror(errno));
		return NULL;
	}
	posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	struct csv *const csv = make(fd, name, BUFFER_SIZE, error);
	if (!csv)
		close(fd);
	return csv;
}

struct csv *csv_open_text_unread(const char *text, size_t length, const char *name, char error[static CSV_ERROR_MAX])
{
	struct csv *const csv = make(-1, name, length + 1, error);
	if (!csv)
		return NULL;
	memcpy(csv->buffer, text, length);
	csv->end = length;
	csv->is_at_end = true;
	return csv;
}

static struct csv *begin(struct csv *csv, char error[static CSV_ERROR_MAX])
{
	if (!csv || csv_read_header(csv) == 0)
		return csv;
	memcpy(error, csv->error, CSV_ERROR_MAX);
	csv_close(csv);
	return NULL;
}

struct csv *csv_open(const char *path, const char *name, char error[static CSV_ERROR_MAX])
{
	return begin(csv_open_unread(path, name, error), error);
}

struct csv *csv_open_text(const char *text, size_t length, const char *name, char error[static CSV_ERROR_MAX])
{
	return begin(csv_open_text_unread(text, length, name, error), error);
}

void csv_close(struct csv *csv)
{
	if (!csv)
		return;
	if (csv->fd >= 0)
		close(csv->fd);
	for (size_t i = 0; i < csv->columns; i++)
		free(csv->column[i]);
	free(csv->column);
	free(csv->field);
	free(csv->buffer);
	free(csv);
}

size_t csv_columns(const struct csv *csv)
{
	return csv->columns;
}

const char *csv_column_name(const struct csv *csv, size_t column)
{
	return csv->column[column];
}

int csv_find(const struct csv *csv, const char *name)
{
	for (size_t i = 0; i < csv->columns; i++)
		if (strcmp(csv->column[i], name) == 0)
			return (int)i;
	return -1;
}

char *csv_print_columns(const struct csv *csv, char *text, size_t size)
{
	static const char rest[] = "...";
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = 0; i < csv->columns; i++) {
		char shown[SHOWN_MAX + 4];
		show(csv->column[i], strlen(csv->column[i]), shown);
		if (used + strlen(shown) + 1 + sizeof rest >= size) {
			snprintf(text + used, size - used, "%s", rest);
			break;
		}
		used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? "," : "", shown);
	}
	return text;
}

/* ---- Fields ----------------------------------------------------------------------------------------------------------- */

const char *csv_text(const struct csv *csv, size_t column, size_t *length)
{
	*length = csv->field[column].length;
	return csv->buffer + csv->field[column].start;
}

int csv_number(struct csv *csv, size_t column, double *value)
{
	const struct field field = csv->field[column];
	const char *const text = csv->buffer + field.start;
	char shown[SHOWN_MAX + 4];
	*value = NAN;
	if (field.length == 0 || units_parse_short(text, field.length, value) ||
		units_parse_real(text, field.length, value, NULL) == 0)
		return 0;
	show(text, field.length, shown);
	return csv_refuse(csv, column, "found '%s', expected a number", shown);
}

const char *csv_error(const struct csv *csv)
{
	return csv->error;
}
