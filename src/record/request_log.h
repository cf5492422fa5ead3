/* SPDX-License-Identifier: MIT */
/*
 * Request records: when each request was planned, arrived, was sent and ended, and how. CSV with a header, or a JSON object a line (jsonl),
 * one record a line, in the order in which the requests ended. Readers and writers agree through this header.
 *
 * Times are seconds of CLOCK_MONOTONIC, as of iterations; time_unix_s is end_s on the wall clock. What there is none of is empty, in JSON
 * null. The response time of a request is end_s less planned_s, whatever its generator or its server did meanwhile.
 *
 * The status is a number, of HTTP or that of a command, or one of the words below. A number is an error where it is 400 or more, of a
 * command where it isn't 0; a word always, but for `expected`.
 *
 * A line without a number of the request is no request. One with a url says what that number stands for, in place of the status; such lines
 * come first. One without says that records are missing, which could not be written: those of requests of which the first was planned for
 * planned_s and the last ended at end_s.
 */
#ifndef RECORD_REQUEST_LOG_H
#define RECORD_REQUEST_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/output.h"
#include "base/row_writer.h"

#define REQUEST_LOG_HEADER "request,url,planned_s,arrival_s,sent_s,end_s,status,bytes,time_unix_s"
/* Names of URLs in a file, numbered from 0. */
#define REQUEST_LOG_URLS_MAX 1000000

enum request_fate {
	REQUEST_ANSWERED,   /* the status is a number */
	REQUEST_EXPECTED,   /* the user expects just this number, which means an error otherwise */
	REQUEST_UNEXPECTED, /* the answer is not what the user expects, though its number means no error */
	REQUEST_TIMEOUT,    /* given up */
	REQUEST_DROPPED,    /* never sent */
	REQUEST_REFUSED,    /* there was nobody to connect to */
	REQUEST_FAILED,     /* no answer, or half of one */
	REQUEST_FATES,
};

/* The word that stands for it; NULL of REQUEST_ANSWERED. */
const char *request_fate_word(enum request_fate fate);

/* A time that there isn't. */
#define REQUEST_LOG_NEVER INT64_MIN
/* … and as many bytes. */
#define REQUEST_LOG_UNKNOWN (-1)

struct request_record {
	uint64_t request;                                /* from 0, in the order of the schedule */
	unsigned url;                                    /* from 0 */
	int64_t planned_ns, arrival_ns, sent_ns, end_ns; /* CLOCK_MONOTONIC; sent_ns may be REQUEST_LOG_NEVER */
	enum request_fate fate;
	long status;   /* where the fate has no word */
	int64_t bytes; /* of the answer's body, or REQUEST_LOG_UNKNOWN */
};

struct request_log;

/* Creates the file, or empties the one there is, and writes the header that the format has, CSV or JSONL. NULL with errno. */
struct request_log *request_log_open(const char *path, enum row_format format);

/*
 * From now on nothing here waits for the reader of a pipe or the like, but the end for a second; what the reader doesn't take in time is lost.
 */
void request_log_never_wait(struct request_log *log);

/* From now on times are of no clock that there is, and time_unix_s stays empty. */
void request_log_without_wall(struct request_log *log);

/* Says what the number of a url stands for. 0, or -1 with errno. */
int request_log_name(struct request_log *log, unsigned url, const char *name);

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
