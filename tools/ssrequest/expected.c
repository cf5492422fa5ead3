/* SPDX-License-Identifier: MIT */
#include "ssrequest/expected.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define HTTP_ERRORS_FROM 400
#define STATUS_MOST 999

/* Reads a number, or a class such as 2xx, and moves behind it. False where there is neither. */
static bool take_status(const char **at, long *from, long *to)
{
	char *end;
	if (!isdigit((unsigned char)**at))
		return false;
	*from = *to = strtol(*at, &end, 10);
	if (end == *at + 1 && strncasecmp(end, "xx", 2) == 0) {
		*from *= 100;
		*to = *from + 99;
		end += 2;
	}
	*at = end;
	return *to <= STATUS_MOST;
}

int expected_parse(const char *text, struct expected *expected)
{
	struct expected parsed = {.ranges = 0};
	for (const char *at = text;; at++) {
		long from, to, last;
		if (parsed.ranges == EXPECTED_RANGES_MAX || !take_status(&at, &from, &to))
			return -1;
		if (*at == '-') {
			at++;
			if (!take_status(&at, &last, &to) || to < from)
				return -1;
		}
		parsed.range[parsed.ranges].from = from;
		parsed.range[parsed.ranges++].to = to;
		if (!*at)
			break;
		if (*at != ',')
			return -1;
	}
	*expected = parsed;
	return 0;
}

enum request_fate expected_judge(const struct expected *expected, bool is_command, long status, bool fits)
{
	const bool means_error = is_command ? status != 0 : status >= HTTP_ERRORS_FROM;
	bool is_expected = expected->ranges == 0 && !means_error;
	for (size_t i = 0; i < expected->ranges; i++)
		if (status >= expected->range[i].from && status <= expected->range[i].to)
			is_expected = true;
	if (is_expected && fits)
		return REQUEST_GOOD;
	return means_error ? REQUEST_WRONG : REQUEST_UNEXPECTED;
}
