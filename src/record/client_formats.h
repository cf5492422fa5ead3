/* SPDX-License-Identifier: MIT */
/* The readers of client_log.h: one for each format, each in a file of its own. */
#ifndef RECORD_CLIENT_FORMATS_H
#define RECORD_CLIENT_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/client_columns.h"
#include "record/request_reader.h"

#define CLIENT_COLUMNS_MAX 8
/* Greatest moment, in 2087, and greatest duration: a sum of two has bits to spare. */
#define CLIENT_NS_MAX (INT64_MAX / 5 * 2)

struct client_log {
	struct csv *csv;
	const char *name;
	const struct client_columns *columns;
	const struct client_format *format; /* NULL: our own records, which `own` reads */
	struct request_reader *own;
	int column[CLIENT_COLUMNS_MAX]; /* places of those of the format; -1: there is none */
	double unit[CLIENT_COLUMNS_MAX];
	uint64_t records;
	bool has_schedule, has_wall, lacks_moments, is_coarse;
	size_t wrong;
	char first[CSV_ERROR_MAX]; /* message of the first wrong line */
	char error[CSV_ERROR_MAX];
};

/*
 * A format is either CSV with a header that has certain columns, or one whose lines look a certain way. A reader sets planned_ns, arrival_ns,
 * sent_ns, end_ns, fate and status of a record: 1, 0 where the row is of no request, or -1 with a message (csv_refuse). That of lines is
 * CLIENT_UNLIKE, without a message, where a line doesn't look that way; it is asked so whether a file is of its format, too.
 */
#define CLIENT_UNLIKE (-2)
struct client_format {
	const char *program;
	const char *lacks_schedule; /* see client_log.h */
	bool has_wall, lacks_day, lacks_status;
	const char *column[CLIENT_COLUMNS_MAX + 1];
	size_t needed; /* the first so many columns must be there */
	int (*read)(struct client_log *log, struct request_record *record);
	const char *looks; /* what a line looks like, as a part of a sentence */
	int (*read_line)(struct client_log *log, const char *line, size_t length, struct request_record *record);
};

extern const struct client_format client_pgbench, client_hey, client_jmeter, client_vegeta, client_k6, client_nginx,
	client_haproxy, client_any;

/* Of client_any: finds the columns that the user names, and their units. 0, or -1 with a message in log->error. */
int client_any_begin(struct client_log *log);

/* A number from 0 on of a column, in this unit, as ns; nothing is refused. 0, or -1 with a message. */
int client_number_ns(struct client_log *log, int column, double unit, int64_t *ns);
/* Whether the text of a column, which may be lacking, is this, contains it, or is empty. */
bool client_text_is(const struct client_log *log, int column, const char *text);
bool client_text_has(const struct client_log *log, int column, const char *text);

/* A time on the wall clock as a number since 1970, whose size tells s, ms, µs or ns, or in ISO 8601. 0, or -1 with a message. */
int client_moment_ns(struct client_log *log, int column, int64_t *ns);

/* The record of a request whose begin and end are known, and nothing of a schedule. */
void client_set_times(struct request_record *record, int64_t begin_ns, int64_t end_ns);
/* … answered with this status of HTTP; 0: not at all. */
void client_set_status(struct request_record *record, long status);

/* Words of a line: a word at *at and *at behind it. False where there is none. Words are separated by blanks; quotes stay. */
struct client_word {
	const char *text;
	size_t length;
};
bool client_next_word(const char *line, size_t length, size_t *at, struct client_word *word);
/* *at behind the next opening bracket, where a date may stand. False where there is none. */
bool client_next_bracket(const char *line, size_t length, size_t *at);
bool client_word_is(const struct client_word *word, const char *text);
/* Digits and nothing else. */
bool client_word_number(const struct client_word *word, int64_t *number);
/* Digits, perhaps with a point among them, in a unit as long as so many ns: exact, as a number since 1970 isn't in a double. */
bool client_word_ns(const struct client_word *word, int64_t unit_ns, int64_t *ns);

/* 22/Nov/2026:23:00:00, and .123 and a zone behind it where there are; without a zone it is local. *is_coarse: no decimals. Length, or 0. */
size_t client_log_date(const char *text, size_t length, int64_t *ns, bool *has_zone, bool *has_decimals);

#endif
