/* SPDX-License-Identifier: MIT */
/*
 * HAProxy's log of HTTP (option httplog): in brackets when the request came, in local time with milliseconds; behind frontend and server five
 * times with slashes between them, of which the last is how long it took in all, in ms; then the status, and what is known of the end of the
 * session. What syslog puts before it is passed over.
 */
#include "record/client_formats.h"

#include <string.h>

#include "base/units.h"

#define TIMES 5

struct line {
	int64_t begin_ns, time_ns, status;
	char end; /* the first letter of how the session ended, or 0 */
};

/* TR/Tw/Tc/Tr/Ta: the last of five numbers, each of which may be -1, the last with a + before it. */
static bool read_times(const struct client_word *word, int64_t *last)
{
	size_t at = 0;
	for (int i = 0; i < TIMES; i++) {
		const char *const rest = word->text + at;
		const char *const slash = memchr(rest, '/', word->length - at);
		struct client_word number = {rest, slash ? (size_t)(slash - rest) : word->length - at};
		if ((slash == NULL) != (i == TIMES - 1))
			return false;
		at += number.length + 1;
		if (i == TIMES - 1 && number.length > 0 && *number.text == '+')
			number = (struct client_word){number.text + 1, number.length - 1};
		if (!client_word_number(&number, last) && !client_word_is(&number, "-1"))
			return false;
		if (i == TIMES - 1)
			return !client_word_is(&number, "-1") && *last < CLIENT_NS_MAX / NS_PER_MS;
	}
	return false;
}

static bool parse_from(const char *text, size_t length, struct line *line)
{
	bool has_zone;
	bool has_decimals;
	struct client_word word;
	size_t at = client_log_date(text, length, &line->begin_ns, &has_zone, &has_decimals);
	if (at == 0 || !has_decimals || has_zone || at >= length || text[at++] != ']')
		return false;
	/* Frontend, backend with server, and times. */
	for (int i = 0; i < 3; i++)
		if (!client_next_word(text, length, &at, &word))
			return false;
	if (!read_times(&word, &line->time_ns) || !client_next_word(text, length, &at, &word))
		return false;
	if (client_word_is(&word, "-1"))
		line->status = 0;
	else if (!client_word_number(&word, &line->status) || line->status > 999)
		return false;
	line->time_ns *= NS_PER_MS;
	line->end = '\0';
	/* Bytes, two cookies, and the end. */
	for (int i = 0; i < 4; i++)
		if (!client_next_word(text, length, &at, &word))
			return true;
	line->end = *word.text;
	return true;
}

static bool parse(const char *text, size_t length, struct line *line)
{
	size_t at = 0;
	while (client_next_bracket(text, length, &at))
		if (parse_from(text + at, length - at, line))
			return true;
	return false;
}

static int read_line(struct client_log *log, const char *text, size_t length, struct request_record *record)
{
	struct line line;
	(void)log;
	if (!parse(text, length, &line))
		return CLIENT_UNLIKE;
	client_set_times(record, line.begin_ns, line.begin_ns + line.time_ns);
	client_set_status(record, (long)line.status);
	/* A small letter: a time was over. */
	if (line.status == 0 && (line.end == 'c' || line.end == 's'))
		record->fate = REQUEST_TIMEOUT;
	return 1;
}

const struct client_format client_haproxy = {
	.program = "the log of HAProxy",
	.lacks_schedule = "a server knows when a request came, not when it was due",
	.has_wall = true,
	.looks = "a request such as … [22/Nov/2026:12:00:00.123] front back/server 0/0/1/2/3 200 …",
	.read_line = read_line,
};
