/* SPDX-License-Identifier: MIT */
#include "record/client_log.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "record/client_formats.h"

#define HTTP_ERRORS_FROM 400
/* So many lines are looked at for what a file is: the first may be the rest of one, and a server says much when it starts. */
#define LINES_TRIED 1000

static const struct client_format *const formats[] = {
	&client_pgbench, &client_vegeta, &client_haproxy, &client_nginx, &client_hey, &client_jmeter, &client_k6, NULL};

/* ---- What it is ------------------------------------------------------------------------------------------------------- */

static const struct client_format *find_by_lines(struct client_log *log, const char *text, size_t length)
{
	for (size_t i = 0; formats[i]; i++) {
		size_t at = 0;
		for (int line = 0; formats[i]->read_line && line < LINES_TRIED && at < length; line++) {
			struct request_record record = {0};
			const char *const end = memchr(text + at, '\n', length - at);
			if (!end)
				break;
			const size_t found = (size_t)(end - text) - at;
			const size_t whole = found > 0 && end[-1] == '\r' ? found - 1 : found;
			if (formats[i]->read_line(log, text + at, whole, &record) != CLIENT_UNLIKE)
				return formats[i];
			at = (size_t)(end - text) + 1;
		}
	}
	return NULL;
}

static bool has_columns(const struct csv *csv, const struct client_format *format)
{
	for (size_t i = 0; i < format->needed; i++)
		if (csv_find(csv, format->column[i]) < 0)
			return false;
	return format->needed > 0;
}

static int find_by_header(struct client_log *log)
{
	char found[160];
	if (request_reader_fits(log->csv)) {
		log->own = request_reader_new(log->csv);
		log->has_schedule = true;
		return log->own ? 0 : csv_fail(log->error, "%.300s: %s", log->name, strerror(errno));
	}
	for (size_t i = 0; formats[i] && !log->format; i++)
		if (has_columns(log->csv, formats[i]))
			log->format = formats[i];
	if (!log->format)
		return csv_fail(log->error,
			"%.200s:1: found the columns %s, expected those of requests (ssrequest -o), the log of pgbench, hey, "
			"JMeter, "
			"vegeta, k6, nginx or HAProxy, or --start and --end or --time",
			log->name, csv_print_columns(log->csv, found, sizeof found));
	for (size_t i = 0; log->format->column[i]; i++)
		log->column[i] = csv_find(log->csv, log->format->column[i]);
	return 0;
}

static int find_format(struct client_log *log)
{
	const bool is_any = log->columns->start || log->columns->end || log->columns->time;
	const char *text;
	size_t length;
	int is_there = csv_peek(log->csv, &text, &length);
	/* The first line may be what a client sent, as any other. */
	if (is_there < 0 && !is_any && csv_pass_first(log->csv)) {
		log->wrong++;
		csv_fail(log->first, "%s", csv_error(log->csv));
		is_there = csv_peek(log->csv, &text, &length);
	}
	if (is_there > 0 && !is_any)
		log->format = find_by_lines(log, text, length);
	if (log->format)
		return 0;
	/* A header that is too long is none. */
	if (log->wrong > 0)
		return csv_fail(log->error, "%s", log->first);
	if (is_there < 0 || csv_read_header(log->csv) != 0)
		return csv_fail(log->error, "%s", csv_error(log->csv));
	if (!is_any)
		return find_by_header(log);
	log->format = &client_any;
	return client_any_begin(log);
}

struct client_log *client_log_new(
	struct csv *csv, const char *name, const struct client_columns *columns, char error[static CSV_ERROR_MAX])
{
	struct client_log *const log = calloc(1, sizeof *log);
	if (!log) {
		csv_fail(error, "%.300s: %s", name, strerror(errno));
		return NULL;
	}
	log->csv = csv;
	log->name = name;
	log->columns = columns;
	for (size_t i = 0; i < CLIENT_COLUMNS_MAX; i++)
		log->column[i] = -1;
	if (find_format(log) == 0) {
		log->has_wall |= log->format && log->format->has_wall;
		return log;
	}
	memcpy(error, log->error, CSV_ERROR_MAX);
	client_log_free(log);
	return NULL;
}

void client_log_free(struct client_log *log)
{
	if (log)
		request_reader_free(log->own);
	free(log);
}

/* ---- Line by line ----------------------------------------------------------------------------------------------------- */

static int fail(struct client_log *log)
{
	return csv_fail(log->error, "%s", csv_error(log->csv));
}

/* A report keeps response times in as many bits. */
#define TIME_MAX_NS (INT64_MAX / 4)

static bool is_whole(const struct request_record *record)
{
	return record->end_ns - record->planned_ns <= TIME_MAX_NS && record->end_ns >= record->planned_ns &&
	       record->end_ns >= record->arrival_ns &&
	       (record->sent_ns == REQUEST_LOG_NEVER || record->end_ns >= record->sent_ns);
}

/* A line of another program: 1, 0 where it is of no request, -1 where it is wrong, -2 at the end. */
#define AT_END (-3)
static int read_line(struct client_log *log, struct request_record *record)
{
	const char *line;
	size_t length;
	if (log->format->read) {
		const int more = csv_next(log->csv);
		return more > 0 ? log->format->read(log, record) : more < 0 ? -1 : AT_END;
	}
	const int more = csv_next_line(log->csv, &line, &length);
	if (more <= 0)
		return more < 0 ? -1 : AT_END;
	const int found = length == 0 ? 0 : log->format->read_line(log, line, length, record);
	if (found != CLIENT_UNLIKE)
		return found;
	return csv_refuse_line(
		log->csv, 0, "found '%.*s', expected %s", (int)(length < 40 ? length : 40), line, log->format->looks);
}

int client_log_next(struct client_log *log, struct request_record *record)
{
	if (log->own) {
		const int line = request_reader_next(log->own, record);
		return line < 0 ? fail(log) : line;
	}
	for (;;) {
		*record = (struct request_record){
			.request = log->records, .bytes = REQUEST_LOG_UNKNOWN, .sent_ns = REQUEST_LOG_NEVER};
		int found = read_line(log, record);
		if (found == 1 && !is_whole(record))
			found = csv_refuse_line(log->csv, 0, "found a request that ends before it begins, or decades later");
		if (found == 1) {
			log->records++;
			return REQUEST_LINE_RECORD;
		}
		if (found == 0)
			continue;
		if (found == AT_END && log->records == 0 && log->wrong > 0)
			return csv_fail(log->error, "%s", log->first);
		if (found == AT_END)
			return REQUEST_LINE_END;
		if (!csv_can_go_on(log->csv))
			return fail(log);
		if (log->wrong++ == 0)
			csv_fail(log->first, "%s", csv_error(log->csv));
	}
}

const char *client_log_error(const struct client_log *log)
{
	return log->error;
}

bool client_log_is_error(const struct client_log *log, const struct request_record *record)
{
	if (log->own)
		return request_reader_is_error(log->own, record);
	return record->fate == REQUEST_ANSWERED ? record->status >= HTTP_ERRORS_FROM : record->fate != REQUEST_EXPECTED;
}

int client_log_wall(struct client_log *log, const struct request_record *record, double *wall)
{
	if (log->own)
		return request_reader_wall(log->own, wall) == 0 ? 0 : fail(log);
	*wall = log->has_wall ? (double)record->end_ns / (double)NS_PER_S : NAN;
	return 0;
}

const char *client_log_program(const struct client_log *log)
{
	return log->format ? log->format->program : NULL;
}

const char *client_log_lacks_schedule(const struct client_log *log)
{
	return log->has_schedule ? NULL : log->format->lacks_schedule;
}

bool client_log_lacks_moments(const struct client_log *log)
{
	return log->lacks_moments;
}

bool client_log_lacks_day(const struct client_log *log)
{
	return log->format && log->format->lacks_day;
}

bool client_log_has_wall(const struct client_log *log)
{
	return log->has_wall;
}

bool client_log_is_coarse(const struct client_log *log)
{
	return log->is_coarse;
}

bool client_log_lacks_status(const struct client_log *log)
{
	return log->format && log->format->lacks_status;
}

size_t client_log_wrong(const struct client_log *log, const char **first)
{
	*first = log->wrong > 0 ? log->first : NULL;
	return log->wrong;
}
