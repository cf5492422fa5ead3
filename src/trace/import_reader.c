/* SPDX-License-Identifier: MIT */
/* Lines, fields, numbers and times of foreign files. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/instant.h"
#include "base/units.h"
#include "trace/import_reader.h"

#define BUFFER_SIZE ((size_t)1 << 18)
/* Sizes of numbers from which on they can't be seconds, milli- or microseconds: these are beyond the year 5000. */
#define LEAST_MS 1e11
#define LEAST_US 1e14
#define LEAST_NS 1e17
/* Seconds from which on a double has no nanoseconds. */
#define LEAST_ROUGH_S 4e6
/* Half of what fits, so that differences do, too. */
#define TIME_MAX_NS ((double)(INT64_MAX / 2))

int import_fill(struct import *import, size_t least)
{
	struct import_text *const text = &import->text;
	while (text->end - text->begin < least && !text->is_at_end) {
		if (text->begin > 0) {
			memmove(text->buffer, text->buffer + text->begin, text->end - text->begin);
			text->end -= text->begin;
			text->begin = 0;
		}
		if (text->end == text->size) {
			const size_t size = text->size ? 2 * text->size : BUFFER_SIZE;
			char *const larger = realloc(text->buffer, size);
			if (!larger)
				return import_refuse(import, "%s", strerror(errno));
			text->buffer = larger;
			text->size = size;
		}
		const ssize_t got = input_read(text->input, text->buffer + text->end, text->size - text->end);
		if (got < 0)
			return import_refuse(import, "%s", input_error(text->input));
		text->end += (size_t)got;
		text->is_at_end = got == 0;
	}
	return 0;
}

ssize_t import_next_block(struct import *import, const char **block)
{
	struct import_text *const text = &import->text;
	if (import_fill(import, 1) != 0)
		return -1;
	const size_t length = text->end - text->begin;
	*block = text->buffer + text->begin;
	text->begin = text->end;
	return (ssize_t)length;
}

int import_next_line(struct import *import)
{
	struct import_text *const text = &import->text;
	size_t looked = 0;
	for (;;) {
		const size_t have = text->end - text->begin;
		const char *const start = text->buffer + text->begin;
		const char *const newline = have > looked ? memchr(start + looked, '\n', have - looked) : NULL;
		if (!newline && have > IMPORT_LINE_MAX)
			return import_refuse(import, "line %llu: found more than %zu bytes", (unsigned long long)text->line + 1,
				IMPORT_LINE_MAX);
		if (newline || (text->is_at_end && have > 0)) {
			size_t length = newline ? (size_t)(newline - start) : have;
			text->begin += length + (newline != NULL);
			text->line++;
			if (length > 0 && start[length - 1] == '\r')
				length--;
			text->whole = (struct import_field){start, length};
			const size_t bom = strlen(IMPORT_BOM);
			if (text->line == 1 && import_begins(start, length, IMPORT_BOM))
				text->whole = (struct import_field){start + bom, length - bom};
			return 1;
		}
		if (text->is_at_end)
			return 0;
		looked = have;
		if (import_fill(import, have + 1) != 0)
			return -1;
	}
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

void import_split(struct import_text *text, char delimiter)
{
	const bool is_by_blanks = is_blank(delimiter);
	const char *at = text->whole.text;
	const char *const end = at + text->whole.length;
	text->fields = 0;
	while (text->fields < IMPORT_FIELDS_MAX) {
		while (at < end && is_blank(*at))
			at++;
		if (is_by_blanks && at == end)
			return;
		const char *stop;
		struct import_field *const field = &text->field[text->fields++];
		if (at < end && *at == '"' && (stop = memchr(at + 1, '"', (size_t)(end - at - 1)))) {
			*field = (struct import_field){at + 1, (size_t)(stop - at - 1)};
			at = stop + 1;
			while (at < end && *at != delimiter && !(is_by_blanks && is_blank(*at)))
				at++;
		} else {
			stop = at;
			if (is_by_blanks)
				while (stop < end && !is_blank(*stop))
					stop++;
			else if (!(stop = memchr(at, delimiter, (size_t)(end - at))))
				stop = end;
			*field = (struct import_field){at, (size_t)(stop - at)};
			while (field->length > 0 && is_blank(field->text[field->length - 1]))
				field->length--;
			at = stop;
		}
		if (at == end)
			return;
		at++;
	}
}

bool import_is(const struct import_field *field, const char *text)
{
	return field->length == strlen(text) && memcmp(field->text, text, field->length) == 0;
}

const char *import_show(const struct import_field *field, char text[static IMPORT_SHOWN_MAX])
{
	const size_t most = IMPORT_SHOWN_MAX - 4;
	const size_t kept = field->length < most ? field->length : most;
	for (size_t i = 0; i < kept; i++)
		text[i] = (char)(field->text[i] >= ' ' && field->text[i] <= '~' ? field->text[i] : '?');
	strcpy(text + kept, field->length > most ? "..." : "");
	return text;
}

bool import_number(const struct import_field *field, double *value)
{
	*value = NAN;
	return field->length == 0 || units_parse_short(field->text, field->length, value) ||
	       units_parse_real(field->text, field->length, value, NULL) == 0;
}

/* So many units of time. The whole ones and the rest: together they have more digits than a double. */
static bool to_ns(double number, int64_t unit_ns, int64_t *ns)
{
	if (!(fabs(number) * (double)unit_ns < TIME_MAX_NS))
		return false;
	const double whole = floor(number);
	/* What a double of that size makes of 0.1 is 0.1 only when rounded. */
	const int64_t digit_ns = unit_ns == NS_PER_S && fabs(number) >= LEAST_ROUGH_S ? NS_PER_US : 1;
	const int64_t digits = unit_ns / digit_ns;
	*ns = (int64_t)whole * unit_ns + llround((number - whole) * (double)digits) * digit_ns;
	return true;
}

bool import_seconds(double seconds, int64_t *ns)
{
	return to_ns(seconds, NS_PER_S, ns);
}

static bool parse_date(const struct import_field *field, int64_t *ns, bool *is_zoned)
{
	char text[48];
	size_t length = field->length;
	if (length < 16 || length >= sizeof text - 1 || memchr(field->text, '\0', length))
		return false;
	memcpy(text, field->text, length);
	if (length > 4 && memcmp(text + length - 4, " UTC", 4) == 0)
		length -= 3;
	text[length] = '\0';
	if (text[length - 1] == ' ')
		text[length - 1] = 'Z';
	*is_zoned = true;
	if (instant_parse_zoned(text, ns) == 0)
		return (double)*ns < TIME_MAX_NS;
	text[length] = 'Z';
	text[length + 1] = '\0';
	*is_zoned = false;
	return instant_parse_zoned(text, ns) == 0 && (double)*ns < TIME_MAX_NS;
}

bool import_time(const struct import_field *field, int64_t *ns, bool *is_zoned)
{
	double number;
	*is_zoned = true;
	if (field->length == 0)
		return false;
	if (!import_number(field, &number))
		return parse_date(field, ns, is_zoned);
	const double size = fabs(number);
	const int64_t unit_ns = size >= LEAST_NS ? 1 : size >= LEAST_US ? NS_PER_US : size >= LEAST_MS ? NS_PER_MS : NS_PER_S;
	return to_ns(number, unit_ns, ns);
}

bool import_contains(const char *start, size_t length, const char *text)
{
	return memmem(start, length, text, strlen(text)) != NULL;
}

bool import_begins(const char *start, size_t length, const char *text)
{
	return length >= strlen(text) && memcmp(start, text, strlen(text)) == 0;
}

bool import_json_begins(const char *start, size_t length)
{
	size_t i = 0;
	while (i < length && strchr(" \t\r\n", start[i]) && start[i])
		i++;
	return i < length && (start[i] == '{' || start[i] == '[');
}

/* ---- What comes of a line ---------------------------------------------------------------------------------------------- */

int import_refuse(struct import *import, const char *format, ...)
{
	const int used = snprintf(import->error, IMPORT_ERROR_MAX, "%.300s: ", import->name);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(import->error + used, IMPORT_ERROR_MAX - (size_t)used, format, arguments);
	va_end(arguments);
	return -1;
}

int import_wrong(struct import *import, const char *format, ...)
{
	char message[200];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	struct import_text *const text = &import->text;
	char byte[32] = "";
	if (text->place) {
		text->place(text->placer);
		snprintf(byte, sizeof byte, import->rules->strict ? ":%zu" : ", byte %zu", text->column);
	}
	if (import->rules->strict) {
		snprintf(import->error, IMPORT_ERROR_MAX, "%.300s:%llu%s: %s", import->name, (unsigned long long)text->line, byte,
			message);
		return -1;
	}
	if (import->counts.wrong++ == 0)
		snprintf(import->counts.first_wrong, sizeof import->counts.first_wrong, "line %llu%s%s%.100s: %s",
			(unsigned long long)text->line, byte, import->is_later ? " of " : "",
			import->is_later ? import->name : "", message);
	return 0;
}

enum import_stamp import_stamp_of(const struct import *import)
{
	return import->rules->stamp ? import->rules->stamp : import->format->stamp;
}

int import_add(struct import *import, const struct import_sample *sample)
{
	char error[IMPORT_ERROR_MAX];
	if (import_series_add(&import->series, import->rules, import->format->merge, import_stamp_of(import),
		    import->format->step_ns, sample, &import->counts, error) == 0)
		return 0;
	return import_refuse(import, "%.400s", error);
}
