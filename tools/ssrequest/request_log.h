/* SPDX-License-Identifier: MIT */
/*
 * Request records: when each request was planned, arrived, was sent and ended, and how. CSV with a header, or a JSON object a line (jsonl),
 * one record a line, in the order in which the requests ended.
 *
 * Times are seconds of CLOCK_MONOTONIC, as of iterations; time_unix_s is end_s on the wall clock. A value that doesn't exist is empty, in
 * JSON null. response_s is end_s less planned_s, whatever the generator or the server did meanwhile; dropped requests have none. The status
 * is a number, of HTTP or of a command; the outcome is a word, and every one but `good` is an error.
 *
 * A line with the outcome `missing` has no number of a request: records could not be written, of requests of which the first was planned for
 * planned_s and the last ended at end_s.
 */
#ifndef RECORD_REQUEST_LOG_H
#define RECORD_REQUEST_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/output.h"

#define REQUEST_LOG_HEADER "request,url,planned_s,arrival_s,sent_s,end_s,response_s,status,outcome,bytes,time_unix_s"
/* URLs of one run. */
#define REQUEST_LOG_URLS_MAX 1000000

enum request_fate {
	REQUEST_GOOD,       /* answered as expected */
	REQUEST_WRONG,      /* answered, and the status is an error: 400 or more, of a command all but 0 */
	REQUEST_UNEXPECTED, /* answered, but not as the user expects, though the status is no error */
	REQUEST_TIMEOUT,    /* not answered in time */
	REQUEST_DROPPED,    /* never sent */
	REQUEST_REFUSED,    /* nothing accepts connections */
	REQUEST_FAILED,     /* no answer, or half of one */
	REQUEST_FATES,
};

/* Its word in records. */
const char *request_fate_word(enum request_fate fate);

/* A time that there isn't. */
#define REQUEST_LOG_NEVER INT64_MIN
/* … and as many bytes. */
#define REQUEST_LOG_UNKNOWN (-1)

struct request_record {
	uint64_t request;                                /* from 0, in the order of the schedule */
	unsigned url;                                    /* as request_log_name was told */
	int64_t planned_ns, arrival_ns, sent_ns, end_ns; /* CLOCK_MONOTONIC; sent_ns may be REQUEST_LOG_NEVER */
	enum request_fate fate;
	long status;   /* up to REQUEST_UNEXPECTED */
	int64_t bytes; /* of the answer's body, or REQUEST_LOG_UNKNOWN */
};

struct request_log;

enum request_log_format { REQUEST_LOG_CSV, REQUEST_LOG_JSONL };

/*
 * Creates the file, or empties the one there is, and writes the header of CSV. A reader of a pipe is waited for where `waits` says so; else
 * what it doesn't take in time is lost, and only the end waits for it, a second. NULL with errno.
 */
struct request_log *request_log_open(const char *path, enum request_log_format format, bool waits);

/* From now on times are of no clock that there is, and time_unix_s stays empty. */
void request_log_without_wall(struct request_log *log);

/* The text of the next URL or command, numbered from 0; all come before the first record. It is copied. 0, or -1 with errno. */
int request_log_name(struct request_log *log, const char *name);

/*
 * Adds a record. Whole lines are written, many at a time: when there are enough of them, or when request_log_flush says so. 0, or -1 with
 * errno: then records are lost, and the next one may be tried.
 */
int request_log_add(struct request_log *log, const struct request_record *record);
int request_log_flush(struct request_log *log);

/* Whether something waits for request_log_flush. */
bool request_log_is_pending(const struct request_log *log);

/* Writes what is left, and frees it. 0, or -1 with errno. Accepts NULL. */
int request_log_close(struct request_log *log);

#endif
