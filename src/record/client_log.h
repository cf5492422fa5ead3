/* SPDX-License-Identifier: MIT */
/*
 * What clients and servers write of requests, found by what the file contains: our own records (request_log.h), the logs of pgbench, hey,
 * JMeter, vegeta, k6, nginx and HAProxy, and any CSV whose columns are named. Each becomes request records.
 *
 * A wrong line of our own records is refused. One of another program's is passed over and counted: those logs grow while machines crash and
 * disks fill up, and who wrote them can't be asked again.
 */
#ifndef RECORD_CLIENT_LOG_H
#define RECORD_CLIENT_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "record/client_columns.h"
#include "record/request_reader.h"

struct client_log;

/*
 * `csv` is one of which nothing has been read; it, its name and the columns stay the caller's, and must outlive this. NULL with a message where
 * the file is none of these.
 */
struct client_log *client_log_new(
	struct csv *csv, const char *name, const struct client_columns *columns, char error[static CSV_ERROR_MAX]);
/* Accepts NULL. */
void client_log_free(struct client_log *log);

/* As request_reader_next; a message is client_log_error's. Times are of CLOCK_MONOTONIC, since 1970, or since anything: see below. */
int client_log_next(struct client_log *log, struct request_record *record);
const char *client_log_error(const struct client_log *log);
/* As request_reader_is_error and request_reader_wall. */
bool client_log_is_error(const struct client_log *log, const struct request_record *record);
int client_log_wall(struct client_log *log, const struct request_record *record, double *wall);

/* What it is, such as `the log of pgbench -l'; NULL: our own records. */
const char *client_log_program(const struct client_log *log);
/* Why there is no schedule, as a part of a sentence; NULL: planned_ns is one. Known when there was a record. */
const char *client_log_lacks_schedule(const struct client_log *log);
/* Its times are no moments: only how long requests took is known, and they stand a second apart. */
bool client_log_lacks_moments(const struct client_log *log);
/* … can't be those of any other file. */
bool client_log_lacks_day(const struct client_log *log);
/* … are since 1970. */
bool client_log_has_wall(const struct client_log *log);
/* … are known to a second only. Known behind the last record. */
bool client_log_is_coarse(const struct client_log *log);
/* … and whether it says how requests ended. */
bool client_log_lacks_status(const struct client_log *log);

/* How many lines were passed over, and the message of the first, or NULL. */
size_t client_log_wrong(const struct client_log *log, const char **first);

#endif
