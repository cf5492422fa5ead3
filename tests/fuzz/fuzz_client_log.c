/* SPDX-License-Identifier: MIT */
/*
 * Any text is read without a fault as a log of requests, whichever client it may be of, and as CSV of named columns; what is refused has a
 * message; records are such as a report can take, and its figures are in order.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/latency.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition)
{
	if (!condition)
		abort();
}

static void measure(struct report_requests *requests)
{
	const struct report_latency_rules rules = {.resamples = 10};
	check(report_requests_sort(requests) == 0);
	struct report_latency_row row = {.from = report_requests_first(requests), .to = report_requests_last(requests) + 1};
	check(row.from < row.to && report_latency_measure(requests, &rules, &row) == 0);
	check(row.requests <= requests->total && row.samples <= row.requests);
	for (int i = REPORT_LATENCY_P90; row.samples >= REPORT_LATENCY_LEAST && i <= REPORT_LATENCY_MAX; i++)
		check(row.value[i] >= row.value[i - 1]);
}

static void read_requests(const char *text, size_t size, const struct client_columns *columns)
{
	char error[CSV_ERROR_MAX] = "";
	struct report_requests requests = {0};
	struct csv *const csv = csv_open_text_unread(text, size, "f", error);
	check(csv != NULL);
	struct client_log *const log = client_log_new(csv, "f", columns, error);
	if (!log || report_requests_read(&requests, log, "f", REPORT_FROM_BEST, error) != 0)
		check(*error && strlen(error) < sizeof error);
	else if (requests.count > 0)
		measure(&requests);
	if (log) {
		const char *first;
		check((client_log_wrong(log, &first) > 0) == (first && *first));
	}
	report_requests_free(&requests);
	client_log_free(log);
	csv_close(csv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct client_columns found;
	static const struct client_columns named[] = {{.start = "a", .end = "b", .unit = 1e-3}, {.end = "b", .time = "c_ns"}};
	read_requests((const char *)data, size, &found);
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		read_requests((const char *)data, size, &named[i]);
	return 0;
}
