/* SPDX-License-Identifier: MIT */
#include "base/json_line.h"

#include <string.h>

struct line {
	const char *text;
	size_t length, at;
	const char *expected;
};

static int refuse(struct line *line, const char *expected)
{
	line->expected = expected;
	return -1;
}

static bool is_at(const struct line *line, char wanted)
{
	return line->at < line->length && line->text[line->at] == wanted;
}

static void skip_blanks(struct line *line)
{
	while (is_at(line, ' ') || is_at(line, '\t'))
		line->at++;
}

static int read_text(struct line *line, size_t *text, size_t *length, bool *has_escapes)
{
	*has_escapes = false;
	if (!is_at(line, '"'))
		return refuse(line, "a quote");
	*text = ++line->at;
	for (; line->at < line->length; line->at++) {
		if (is_at(line, '"')) {
			*length = line->at++ - *text;
			return 0;
		}
		if (is_at(line, '\\')) {
			*has_escapes = true;
			line->at++;
		}
	}
	line->at = line->length;
	return refuse(line, "the end of a text");
}

static int read_value(struct line *line, struct json_member *member)
{
	const size_t start = line->at;
	if (is_at(line, '"'))
		return read_text(line, &member->value, &member->value_length, &member->has_escapes);
	while (line->at < line->length && line->text[line->at] && !strchr(",:{}[] \t\"", line->text[line->at]))
		line->at++;
	const size_t length = line->at - start;
	if (length == 0)
		return refuse(line, "a number, a text or null");
	const bool is_null = length == 4 && memcmp(line->text + start, "null", 4) == 0;
	member->value = start;
	member->value_length = is_null ? 0 : length;
	member->has_escapes = false;
	return 0;
}

static int read_member(struct line *line, struct json_member *member)
{
	bool has_escapes;
	skip_blanks(line);
	if (read_text(line, &member->name, &member->name_length, &has_escapes) != 0)
		return -1;
	skip_blanks(line);
	if (!is_at(line, ':'))
		return refuse(line, "a colon");
	line->at++;
	skip_blanks(line);
	if (read_value(line, member) != 0)
		return -1;
	skip_blanks(line);
	return is_at(line, ',') || is_at(line, '}') ? 0 : refuse(line, "a comma, or the end of the object");
}

static int next(struct line *line, struct json_member *member)
{
	if (line->at == 0) {
		skip_blanks(line);
		if (!is_at(line, '{'))
			return refuse(line, "a bracket {");
	} else if (is_at(line, '}')) {
		line->at++;
		skip_blanks(line);
		return line->at == line->length ? 0 : refuse(line, "the end of the line");
	}
	line->at++;
	return read_member(line, member) == 0 ? 1 : -1;
}

int json_line_next(const char *text, size_t length, size_t *at, struct json_member *member, const char **expected)
{
	struct line line = {.text = text, .length = length, .at = *at};
	const int result = next(&line, member);
	*at = line.at;
	*expected = line.expected;
	return result;
}

size_t json_line_unescape(char *text, size_t length)
{
	size_t to = 0;
	for (size_t from = 0; from < length; from++) {
		if (text[from] == '\\' && from + 1 < length &&
			(text[from + 1] == '"' || text[from + 1] == '\\' || text[from + 1] == '/'))
			from++;
		text[to++] = text[from];
	}
	return to;
}
