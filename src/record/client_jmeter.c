/* SPDX-License-Identifier: MIT */
/* JMeter's JTL as CSV with its header: when a sample began, and how long it took, in milliseconds. */
#include "record/client_formats.h"

enum { BEGIN, TIME, CODE, SUCCESS };

static void set_fate(const struct client_log *log, struct request_record *record)
{
	size_t length = 0;
	struct client_word code = {"", 0};
	int64_t status = 0;
	if (log->column[CODE] >= 0) {
		code.text = csv_text(log->csv, (size_t)log->column[CODE], &length);
		code.length = length;
	}
	const bool is_number = client_word_number(&code, &status);
	if (client_text_is(log, log->column[SUCCESS], "true"))
		record->fate = REQUEST_EXPECTED;
	else if (client_text_has(log, log->column[CODE], "Timeout"))
		record->fate = REQUEST_TIMEOUT;
	else if (client_text_has(log, log->column[CODE], "ConnectException"))
		record->fate = REQUEST_REFUSED;
	else if (!is_number)
		record->fate = REQUEST_FAILED;
	else if (log->column[SUCCESS] >= 0)
		record->fate = REQUEST_UNEXPECTED;
	else
		client_set_status(record, (long)status);
}

static int read_row(struct client_log *log, struct request_record *record)
{
	int64_t begin_ns;
	int64_t time_ns;
	if (client_number_ns(log, log->column[BEGIN], 1e-3, &begin_ns) != 0 ||
		client_number_ns(log, log->column[TIME], 1e-3, &time_ns) != 0)
		return -1;
	client_set_times(record, begin_ns, begin_ns + time_ns);
	set_fate(log, record);
	return 1;
}

const struct client_format client_jmeter = {
	.program = "the JTL of JMeter",
	.lacks_schedule = "each thread of JMeter sends a request when the one before it is answered",
	.has_wall = true,
	.column = {[BEGIN] = "timeStamp", [TIME] = "elapsed", [CODE] = "responseCode", [SUCCESS] = "success"},
	.needed = 3,
	.read = read_row,
};
