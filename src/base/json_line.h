/* SPDX-License-Identifier: MIT */
/* Objects of JSON without any inside them, as lines of records are: a member at a time, without memory of its own. */
#ifndef BASE_JSON_LINE_H
#define BASE_JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Places in the line. A text is without its quotes; a value that is null is empty. */
struct json_member {
	size_t name, name_length;
	size_t value, value_length;
	bool has_escapes; /* in the value; see json_line_unescape */
};

/*
 * Reads the member that begins at *at, or the first one where *at is 0, and moves *at behind it. 1, 0 when there is none left, or -1 where the
 * line is something else: then *expected says what, and *at where.
 */
int json_line_next(const char *line, size_t length, size_t *at, struct json_member *member, const char **expected);

/*
 * Takes the backslashes away before quotes, slashes and backslashes; what stands for other characters stays as it is. Returns the length that
 * is left.
 */
size_t json_line_unescape(char *text, size_t length);

#endif
