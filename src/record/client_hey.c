/* SPDX-License-Identifier: MIT */
/* hey -o csv: times in seconds, `offset` being when a request was sent since the first; what had no answer is not there. */
#include "record/client_formats.h"

enum { TIME, OFFSET, STATUS };

static int read_row(struct client_log *log, struct request_record *record)
{
	int64_t time_ns;
	int64_t begin_ns;
	int64_t status;
	if (client_number_ns(log, log->column[TIME], 1, &time_ns) != 0 ||
		client_number_ns(log, log->column[OFFSET], 1, &begin_ns) != 0 ||
		client_number_ns(log, log->column[STATUS], 1e-9, &status) != 0)
		return -1;
	client_set_times(record, begin_ns, begin_ns + time_ns);
	client_set_status(record, (long)status);
	return 1;
}

const struct client_format client_hey = {
	.program = "the CSV of hey",
	.lacks_schedule = "each worker of hey sends a request when the one before it is answered",
	.lacks_day = true,
	.column = {[TIME] = "response-time", [OFFSET] = "offset", [STATUS] = "status-code"},
	.needed = 3,
	.read = read_row,
};
