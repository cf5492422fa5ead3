/* SPDX-License-Identifier: MIT */
/*
 * k6 --out csv: a line for each value of a metric. Those of requests are http_req_duration and grpc_req_duration, in ms, without the time to
 * connect; their timestamp is when the request ended, in seconds unless K6_CSV_TIME_FORMAT says more.
 */
#include "record/client_formats.h"

#include "base/units.h"

enum { METRIC, END, TIME, STATUS, CODE, EXPECTED };
#define TIMEOUT_CODE "1050"

static int set_fate(struct client_log *log, struct request_record *record)
{
	int64_t status = 0;
	if (!client_text_is(log, log->column[STATUS], "") && client_number_ns(log, log->column[STATUS], 1e-9, &status) != 0)
		return -1;
	client_set_status(record, (long)status);
	if (client_text_is(log, log->column[CODE], TIMEOUT_CODE))
		record->fate = REQUEST_TIMEOUT;
	else if (client_text_is(log, log->column[METRIC], "grpc_req_duration"))
		/* Its status 0 is a good one. */
		record->fate = status == 0 ? REQUEST_EXPECTED : REQUEST_UNEXPECTED;
	else if (status > 0 && client_text_is(log, log->column[EXPECTED], "true"))
		record->fate = REQUEST_EXPECTED;
	else if (status > 0 && client_text_is(log, log->column[EXPECTED], "false"))
		record->fate = REQUEST_UNEXPECTED;
	return 1;
}

static int read_row(struct client_log *log, struct request_record *record)
{
	int64_t end_ns;
	int64_t time_ns;
	if (!client_text_is(log, log->column[METRIC], "http_req_duration") &&
		!client_text_is(log, log->column[METRIC], "grpc_req_duration"))
		return 0;
	if (client_moment_ns(log, log->column[END], &end_ns) != 0 ||
		client_number_ns(log, log->column[TIME], 1e-3, &time_ns) != 0)
		return -1;
	client_set_times(record, end_ns - time_ns, end_ns);
	return set_fate(log, record);
}

const struct client_format client_k6 = {
	.program = "the CSV of k6",
	.lacks_schedule = "k6 says when a request ended and how long it took, not when it was due",
	.has_wall = true,
	.column = {[METRIC] = "metric_name",
		[END] = "timestamp",
		[TIME] = "metric_value",
		[STATUS] = "status",
		[CODE] = "error_code",
		[EXPECTED] = "expected_response"},
	.needed = 4,
	.read = read_row,
};
