/* SPDX-License-Identifier: MIT */
#include "report/table.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Longest text of a number: the largest double with its decimals. */
#define NUMBER_MAX 400
/* Smaller probabilities are no more than that to people. */
#define LEAST_P 1e-4

struct report_table {
	const struct report_column *column;
	size_t columns;
	union report_cell *cell; /* row after row */
	size_t rows, capacity;
	bool all_digits;
	struct samples *samples; /* of each column, or NULL */
};

/* Columns with the number of samples of a figure; no place: none. */
struct samples {
	int of, less;
};
#define NO_PLACE (-1)

struct report_table *report_table_new(const struct report_column *column, size_t columns)
{
	struct report_table *const table = malloc(sizeof *table);
	if (table)
		*table = (struct report_table){.column = column, .columns = columns};
	return table;
}

void report_table_free(struct report_table *table)
{
	if (!table)
		return;
	free(table->cell);
	free(table->samples);
	free(table);
}

int report_table_add(struct report_table *table, const union report_cell *cell)
{
	if (table->rows == table->capacity) {
		const size_t capacity = table->capacity ? 2 * table->capacity : 64;
		union report_cell *const larger = realloc(table->cell, capacity * table->columns * sizeof *larger);
		if (!larger)
			return -1;
		table->cell = larger;
		table->capacity = capacity;
	}
	memcpy(table->cell + table->rows * table->columns, cell, table->columns * sizeof *cell);
	table->rows++;
	return 0;
}

size_t report_table_rows(const struct report_table *table)
{
	return table->rows;
}

void report_table_use_all_digits(struct report_table *table)
{
	table->all_digits = true;
}

static int place_of(const struct report_table *table, const char *name)
{
	for (size_t i = 0; name && i < table->columns; i++)
		if (strcmp(table->column[i].name, name) == 0)
			return (int)i;
	return NO_PLACE;
}

int report_table_hide_few(struct report_table *table, const char *column, const char *of, const char *less)
{
	const int place = place_of(table, column);
	if (!table->samples) {
		table->samples = malloc(table->columns * sizeof *table->samples);
		if (!table->samples)
			return -1;
		for (size_t i = 0; i < table->columns; i++)
			table->samples[i] = (struct samples){NO_PLACE, NO_PLACE};
	}
	if (place != NO_PLACE)
		table->samples[place] = (struct samples){place_of(table, of), place_of(table, less)};
	return 0;
}

static int decimals_of(const struct report_table *table, const struct report_column *column)
{
	return table->all_digits ? REPORT_ALL_DIGITS : column->decimals;
}

static const union report_cell *cell_at(const struct report_table *table, size_t row, size_t column)
{
	return &table->cell[row * table->columns + column];
}

static bool is_text(const struct report_column *column)
{
	return column->decimals == REPORT_IS_TEXT;
}

static bool has_value(const struct report_column *column, const union report_cell *cell)
{
	return is_text(column) ? cell->text != NULL : isfinite(cell->number);
}

/* A number without the sign of a zero, which rounding may make. */
static char *print_number(double number, int decimals, char text[static NUMBER_MAX])
{
	if (decimals == REPORT_ALL_DIGITS || decimals == REPORT_P)
		snprintf(text, NUMBER_MAX, "%.17g", number);
	else
		snprintf(text, NUMBER_MAX, "%.*f", decimals, number);
	return text[0] == '-' && strspn(text + 1, "0.") == strlen(text + 1) ? text + 1 : text;
}

/* ---- For programs ----------------------------------------------------------------------------------------------------- */

static void write_csv_text(const char *text, FILE *to)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, to);
		return;
	}
	fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	fputc('"', to);
}

static void write_csv(const struct report_table *table, FILE *to)
{
	char number[NUMBER_MAX];
	for (size_t i = 0; i < table->columns; i++) {
		if (i > 0)
			fputc(',', to);
		write_csv_text(table->column[i].name, to);
	}
	fputc('\n', to);
	for (size_t row = 0; row < table->rows; row++) {
		for (size_t i = 0; i < table->columns; i++) {
			const struct report_column *const column = &table->column[i];
			const union report_cell *const cell = cell_at(table, row, i);
			if (i > 0)
				fputc(',', to);
			if (!has_value(column, cell))
				continue;
			if (is_text(column))
				write_csv_text(cell->text, to);
			else
				fputs(print_number(cell->number, decimals_of(table, column), number), to);
		}
		fputc('\n', to);
	}
}

static int write_json_text(const char *text, FILE *to)
{
	char *const clean = report_text_clean(text);
	if (!clean)
		return -1;
	fputc('"', to);
	for (const char *at = clean; *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', to);
		fputc(*at, to);
	}
	fputc('"', to);
	free(clean);
	return 0;
}

static int write_json(const struct report_table *table, FILE *to)
{
	char number[NUMBER_MAX];
	fputs("[", to);
	for (size_t row = 0; row < table->rows; row++) {
		fputs(row > 0 ? ",\n{" : "\n{", to);
		for (size_t i = 0; i < table->columns; i++) {
			const struct report_column *const column = &table->column[i];
			const union report_cell *const cell = cell_at(table, row, i);
			if (i > 0)
				fputc(',', to);
			if (write_json_text(column->name, to) != 0)
				return -1;
			fputc(':', to);
			if (!has_value(column, cell))
				fputs("null", to);
			else if (!is_text(column))
				fputs(print_number(cell->number, decimals_of(table, column), number), to);
			else if (write_json_text(cell->text, to) != 0)
				return -1;
		}
		fputc('}', to);
	}
	fputs("\n]\n", to);
	return 0;
}

/* ---- For people ------------------------------------------------------------------------------------------------------- */

/* How many samples a figure is of; NaN where that isn't known. */
static double samples_of(const struct report_table *table, size_t row, size_t column)
{
	const struct samples *const samples = table->samples ? &table->samples[column] : NULL;
	if (!samples || samples->of == NO_PLACE)
		return NAN;
	const double less = samples->less == NO_PLACE ? 0 : cell_at(table, row, (size_t)samples->less)->number;
	return cell_at(table, row, (size_t)samples->of)->number - (isfinite(less) ? less : 0);
}

/* A cell as people get it: text to be freed, or NULL with errno. */
static char *print_cell(const struct report_table *table, size_t row, size_t place)
{
	const struct report_column *const column = &table->column[place];
	const union report_cell *const cell = cell_at(table, row, place);
	const double samples = samples_of(table, row, place);
	char number[NUMBER_MAX];
	if (!has_value(column, cell))
		return strdup(column->lack ? column->lack : "");
	if (is_text(column))
		return report_text_clean(cell->text);
	if (samples < REPORT_FEW) {
		snprintf(number, sizeof number, "%.0f sample%s", samples, samples == 1 ? "" : "s");
		return strdup(number);
	}
	if (column->decimals == REPORT_P && cell->number < LEAST_P)
		return strdup("<0.0001");
	return strdup(print_number(cell->number * column->scale, column->title_decimals, number));
}

/* What would end a cell of Markdown, or begin a tag. */
static void write_escaped(const char *text, FILE *to)
{
	for (; *text; text++) {
		if (strchr("\\|<>`*_[]", *text))
			fputc('\\', to);
		fputc(*text, to);
	}
}

/* A cell in a line; numbers are at the right of their columns, texts at the left. */
static void write_text(const char *text, size_t width, bool is_number, bool is_first, FILE *to)
{
	const int space = (int)(width - report_text_width(text));
	fprintf(to, "%s%*s%s%*s", is_first ? "" : "  ", is_number ? space : 0, "", text, is_number ? 0 : space, "");
}

/* A line of the table: a row, or, behind the last one, the titles. */
static int write_line(const struct report_table *table, size_t row, const size_t *width, bool is_markdown, FILE *to)
{
	bool is_first = true;
	for (size_t i = 0; i < table->columns; i++) {
		const struct report_column *const column = &table->column[i];
		if (width[i] == 0)
			continue;
		char *const text = row < table->rows ? print_cell(table, row, i) : strdup(column->title);
		if (!text)
			return -1;
		if (is_markdown) {
			fputs("| ", to);
			write_escaped(text, to);
			fputc(' ', to);
		} else {
			write_text(text, width[i], !is_text(column), is_first, to);
		}
		is_first = false;
		free(text);
	}
	fputs(is_markdown ? "|\n" : "\n", to);
	return 0;
}

static int write_for_people(const struct report_table *table, bool is_markdown, FILE *to)
{
	int result = -1;
	size_t *const width = calloc(table->columns, sizeof *width);
	if (!width)
		return -1;
	for (size_t row = 0; row < table->rows; row++) {
		for (size_t i = 0; i < table->columns; i++) {
			const struct report_column *const column = &table->column[i];
			if (!column->title || (!column->lack && !has_value(column, cell_at(table, row, i))))
				continue;
			char *const text = print_cell(table, row, i);
			if (!text)
				goto out;
			const size_t needed = report_text_width(text);
			const size_t title = report_text_width(column->title);
			if (title > width[i])
				width[i] = title;
			if (needed > width[i])
				width[i] = needed;
			free(text);
		}
	}
	result = write_line(table, table->rows, width, is_markdown, to);
	for (size_t i = 0; is_markdown && i < table->columns; i++)
		if (width[i] > 0)
			fputs(is_text(&table->column[i]) ? "| --- " : "| ---: ", to);
	if (is_markdown)
		fputs("|\n", to);
	for (size_t row = 0; result == 0 && row < table->rows; row++)
		result = write_line(table, row, width, is_markdown, to);
out:
	free(width);
	return result;
}

int report_table_write(const struct report_table *table, enum report_format format, FILE *to)
{
	switch (format) {
	case REPORT_TEXT:
	case REPORT_MARKDOWN:
		return write_for_people(table, format == REPORT_MARKDOWN, to);
	case REPORT_CSV:
		write_csv(table, to);
		return 0;
	case REPORT_JSON:
		return write_json(table, to);
	}
	errno = EINVAL;
	return -1;
}

/* ---- Text -------------------------------------------------------------------------------------------------------------- */

static const char replacement[] = "\xef\xbf\xbd";

/* Length in bytes of the UTF-8 character at `at`; 0 when there is none (overlong, surrogate, too large, cut off). */
static size_t character(const unsigned char *at)
{
	static const struct {
		unsigned char least, most; /* first byte */
		unsigned char second[2];   /* bounds of the second byte; others are 0x80 to 0xbf */
		size_t length;
	} forms[] = {
		{0x01, 0x7f, {0}, 1},
		{0xc2, 0xdf, {0x80, 0xbf}, 2},
		{0xe0, 0xe0, {0xa0, 0xbf}, 3},
		{0xe1, 0xec, {0x80, 0xbf}, 3},
		{0xed, 0xed, {0x80, 0x9f}, 3},
		{0xee, 0xef, {0x80, 0xbf}, 3},
		{0xf0, 0xf0, {0x90, 0xbf}, 4},
		{0xf1, 0xf3, {0x80, 0xbf}, 4},
		{0xf4, 0xf4, {0x80, 0x8f}, 4},
	};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (at[0] < forms[i].least || at[0] > forms[i].most)
			continue;
		for (size_t next = 1; next < forms[i].length; next++) {
			const unsigned char least = next == 1 ? forms[i].second[0] : 0x80;
			const unsigned char most = next == 1 ? forms[i].second[1] : 0xbf;
			if (at[next] < least || at[next] > most)
				return 0;
		}
		return forms[i].length;
	}
	return 0;
}

/* C0, DEL, and C1 (U+0080 to U+009F). */
static int is_control(const unsigned char *at)
{
	return at[0] < 0x20 || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

char *report_text_clean(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	char *const clean = malloc((sizeof replacement - 1) * strlen(text) + 1);
	char *to = clean;
	if (!clean)
		return NULL;
	while (*at) {
		const size_t length = character(at);
		if (length == 0) {
			memcpy(to, replacement, sizeof replacement - 1);
			to += sizeof replacement - 1;
		} else if (is_control(at)) {
			*to++ = '?';
		} else {
			memcpy(to, at, length);
			to += length;
		}
		at += length ? length : 1;
	}
	*to = '\0';
	return clean;
}

size_t report_text_width(const char *text)
{
	size_t width = 0;
	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80;
	return width;
}

char *report_text_shorten(const char *text, size_t width)
{
	static const char ellipsis[] = "\xe2\x80\xa6";
	char *const clean = report_text_clean(text);
	if (!clean || report_text_width(clean) <= width)
		return clean;
	size_t length = 0;
	for (size_t kept = 0; kept + 1 < width; kept++)
		length += character((const unsigned char *)clean + length);
	char *const shorter = malloc(length + sizeof ellipsis);
	if (shorter) {
		memcpy(shorter, clean, length);
		memcpy(shorter + length, ellipsis, sizeof ellipsis);
	}
	free(clean);
	return shorter;
}
