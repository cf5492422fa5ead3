/* SPDX-License-Identifier: MIT */
/*
 * vegeta encode --to csv: no header; when a request was sent, in ns since 1970, its status of HTTP (0 without an answer), the ns that it took,
 * bytes sent and received, an error as text, and more, which has become longer from version to version.
 */
#include "record/client_formats.h"

#include <string.h>

enum { BEGIN, STATUS, TIME, BYTES_OUT, BYTES_IN, NUMBERS };
#define STATUS_MOST 999
/* 1973 in ns. */
#define BEGIN_LEAST INT64_C(100000000000000000)

/* The numbers that begin a line; *rest is what is behind them. */
static bool parse(const char *line, size_t length, int64_t number[static NUMBERS], struct client_word *rest)
{
	size_t at = 0;
	for (int i = 0; i < NUMBERS; i++) {
		const char *const comma = at < length ? memchr(line + at, ',', length - at) : NULL;
		if (!comma)
			return false;
		const struct client_word word = {line + at, (size_t)(comma - line) - at};
		if (!client_word_number(&word, &number[i]))
			return false;
		at += word.length + 1;
	}
	*rest = (struct client_word){line + at, length - at};
	return number[BEGIN] >= BEGIN_LEAST && number[STATUS] <= STATUS_MOST;
}

static bool has(const struct client_word *word, const char *text)
{
	return memmem(word->text, word->length, text, strlen(text)) != NULL;
}

static int read_line(struct client_log *log, const char *line, size_t length, struct request_record *record)
{
	int64_t number[NUMBERS];
	struct client_word rest;
	(void)log;
	if (!parse(line, length, number, &rest))
		return CLIENT_UNLIKE;
	client_set_times(record, number[BEGIN], number[BEGIN] + number[TIME]);
	client_set_status(record, (long)number[STATUS]);
	record->bytes = number[BYTES_IN];
	if (number[STATUS] == 0 && (has(&rest, "Timeout") || has(&rest, "timeout") || has(&rest, "deadline exceeded")))
		record->fate = REQUEST_TIMEOUT;
	else if (number[STATUS] == 0 && has(&rest, "connection refused"))
		record->fate = REQUEST_REFUSED;
	return 1;
}

const struct client_format client_vegeta = {
	.program = "the CSV of vegeta",
	.lacks_schedule = "vegeta says when a request was sent, not when it was due",
	.has_wall = true,
	.looks = "numbers such as 1767225600123456789,200,2345678,0,612,",
	.read_line = read_line,
};
