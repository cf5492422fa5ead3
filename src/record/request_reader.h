/* SPDX-License-Identifier: MIT */
/* Reader of request records (request_log.h) as CSV, a line at a time. */
#ifndef RECORD_REQUEST_READER_H
#define RECORD_REQUEST_READER_H

#include <stdbool.h>

#include "base/csv.h"
#include "record/request_log.h"

struct request_reader;

/* Whether a file with this header has request records. */
bool request_reader_fits(const struct csv *csv);

/* The file must fit; it stays the caller's, and must outlive the reader. NULL with errno. */
struct request_reader *request_reader_new(struct csv *csv);
/* Accepts NULL. */
void request_reader_free(struct request_reader *reader);

enum request_line {
	REQUEST_LINE_END,
	REQUEST_LINE_RECORD,
	REQUEST_LINE_MISSING, /* of records that are missing: planned_ns and end_ns alone are set */
};

/* Goes to the next line that says something of requests: an enum request_line, or -1 with a message (csv_error). */
int request_reader_next(struct request_reader *reader, struct request_record *record);

/*
 * Of a record that was answered: whether it counts as an error. A number is judged as one of HTTP, unless the file names the url and that doesn't
 * begin with http:// or https://, as a command.
 */
bool request_reader_is_error(const struct request_reader *reader, const struct request_record *record);

/* end_ns of the line on the wall clock, seconds since 1970; NaN where it isn't known. 0, or -1 with a message (csv_error). */
int request_reader_wall(struct request_reader *reader, double *wall);

#endif
