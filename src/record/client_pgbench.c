/* SPDX-License-Identifier: MIT */
/*
 * pgbench -l: a line for each transaction, `client transaction µs script seconds µs', of which the last two are when it ended; with --rate there
 * is one number more, by how much it began later than scheduled. The time that it took runs from the schedule, then; else from its begin. A
 * word in place of the time says that there was none: `skipped', or how it failed. With --max-tries the last number is that of retries; where it
 * is the only one more, it is a small one from the first line on, and a lag there is not, as clients have to connect.
 */
#include "record/client_formats.h"

#include "base/units.h"

enum { CLIENT, TRANSACTION, TIME, SCRIPT, SECONDS, MICROSECONDS, LAG, RETRIES, WORDS };
#define RETRIES_MOST 9
/* 1973: no sum or count of what --aggregate-interval writes stands there. */
#define EPOCH_LEAST 100000000

struct line {
	int64_t number[WORDS];
	struct client_word time;
	int words;
};

static bool parse(const char *text, size_t length, struct line *line)
{
	struct client_word word;
	size_t at = 0;
	for (line->words = 0; client_next_word(text, length, &at, &word); line->words++) {
		if (line->words == WORDS)
			return false;
		line->number[line->words] = REQUEST_LOG_UNKNOWN;
		if (line->words == TIME)
			line->time = word;
		if (!client_word_number(&word, &line->number[line->words]) && line->words != TIME)
			return false;
	}
	return line->words > MICROSECONDS && line->number[SECONDS] >= EPOCH_LEAST &&
	       line->number[SECONDS] < CLIENT_NS_MAX / NS_PER_S && line->number[MICROSECONDS] < 1000000 &&
	       line->number[TIME] < CLIENT_NS_MAX / NS_PER_US &&
	       (line->words <= LAG || line->number[LAG] < CLIENT_NS_MAX / NS_PER_US);
}

static bool is_word(const struct client_word *word)
{
	return client_word_is(word, "skipped") || client_word_is(word, "failed") || client_word_is(word, "serialization") ||
	       client_word_is(word, "deadlock");
}

static int read_line(struct client_log *log, const char *text, size_t length, struct request_record *record)
{
	struct line line;
	if (!parse(text, length, &line) || (line.number[TIME] < 0 && !is_word(&line.time)))
		return CLIENT_UNLIKE;
	const int64_t end_ns = line.number[SECONDS] * NS_PER_S + line.number[MICROSECONDS] * NS_PER_US;
	const int64_t time_ns = line.number[TIME] < 0 ? 0 : line.number[TIME] * NS_PER_US;
	client_set_times(record, end_ns - time_ns, end_ns);
	record->fate = line.number[TIME] >= 0 ? REQUEST_EXPECTED : REQUEST_FAILED;
	if (log->records == 0)
		log->has_schedule = line.words > RETRIES || client_word_is(&line.time, "skipped") ||
				    (line.words > LAG && line.number[LAG] > RETRIES_MOST);
	if (log->has_schedule && line.words > LAG) {
		record->sent_ns = record->planned_ns + line.number[LAG] * NS_PER_US;
		/* One that was skipped, or failed, has no time of its own to compare. */
		if (record->sent_ns > record->end_ns)
			record->sent_ns = record->end_ns;
	}
	if (client_word_is(&line.time, "skipped")) {
		record->fate = REQUEST_DROPPED;
		record->sent_ns = REQUEST_LOG_NEVER;
	}
	return 1;
}

const struct client_format client_pgbench = {
	.program = "the log of pgbench -l",
	.lacks_schedule = "pgbench without --rate begins a transaction when the one before it is done",
	.has_wall = true,
	.looks = "numbers such as 0 1 2345 0 1767225600 123456",
	.read_line = read_line,
};
