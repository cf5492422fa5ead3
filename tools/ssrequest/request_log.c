/* SPDX-License-Identifier: MIT */
/* Ten thousand requests a second are as many lines, of which one system call writes many; no line is ever cut. */
#include "ssrequest/request_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_value.h"
#include "base/log_columns.h"
#include "base/nonblocking.h"
#include "base/units.h"

/* Of a record without the name of its URL, with its newline and a NUL. */
#define LINE_MAX_SIZE 512
#define BLOCK_SIZE 32768
#define CLOSE_LIMIT_NS NS_PER_S

struct request_log {
	int file;
	enum request_log_format format;
	bool has_wall;
	struct nonblocking *nonblocking; /* NULL: the file takes all at once */
	bool waits;                      /* for the reader */
	bool is_cut;                     /* half a line went out and can't be taken back: nothing more is written */
	bool is_missing;                 /* records are, since the last ones that could be written, */
	int64_t missing_from_ns, missing_to_ns;
	char **name; /* of URLs, as they stand in a line; `names` of them, of at most name_most bytes */
	unsigned names;
	size_t name_most;
	/* The lines to come, and what is missing when they can't be written: */
	char *block; /* BLOCK_SIZE + name_most */
	size_t used;
	int64_t from_ns, to_ns;
};

const char *request_fate_word(enum request_fate fate)
{
	static const char *const words[REQUEST_FATES] = {[REQUEST_GOOD] = "good",
		[REQUEST_WRONG] = "wrong",
		[REQUEST_UNEXPECTED] = "unexpected",
		[REQUEST_TIMEOUT] = "timeout",
		[REQUEST_DROPPED] = "dropped",
		[REQUEST_REFUSED] = "refused",
		[REQUEST_FAILED] = "failed"};
	return words[fate];
}

/* Until the reader has taken it, or has left. */
static int write_and_wait(const struct request_log *log, const char *lines, size_t length)
{
	struct pollfd polled = {.fd = log->file, .events = POLLOUT};
	int result;
	while ((result = nonblocking_write(log->nonblocking, lines, length)) != 0 && errno == EAGAIN)
		poll(&polled, 1, -1);
	while (result == 0 && nonblocking_flush(log->nonblocking, NS_PER_S) != 0)
		result = errno == EAGAIN ? 0 : -1;
	return result;
}

static int write_lines(struct request_log *log, const char *lines, size_t length)
{
	if (log->is_cut) {
		errno = EIO;
		return -1;
	}
	if (!log->nonblocking)
		return whole_line_write(log->file, lines, length, &log->is_cut);
	return log->waits ? write_and_wait(log, lines, length) : nonblocking_write(log->nonblocking, lines, length);
}

/* ---- Lines ------------------------------------------------------------------------------------------------------------ */

/* The fields of a line as text, each empty where there is nothing. */
struct fields {
	char request[24], planned[32], arrival[32], sent[32], end[32], response[32], status[24], bytes[24], wall[32];
	const char *url, *outcome; /* the URL with the quotes that it needs */
};

static void print_time(int64_t ns, char text[static 32])
{
	text[0] = '\0';
	if (ns != REQUEST_LOG_NEVER)
		snprintf(text, 32, "%" PRId64 ".%09" PRId64, ns / NS_PER_S, ns % NS_PER_S);
}

static void print_end(const struct request_log *log, int64_t ns, struct fields *fields)
{
	const int64_t unix_ns = ns + clock_unix_offset();
	print_time(ns, fields->end);
	if (log->has_wall)
		snprintf(fields->wall, sizeof fields->wall, "%" PRId64 ".%06" PRId64, unix_ns / NS_PER_S,
			unix_ns % NS_PER_S / NS_PER_US);
}

/* Returns the line's length; the line has room for it. */
static size_t print_line(enum request_log_format format, const struct fields *fields, char *line)
{
	static const char *const name[] = {"request", "url", "planned_s", "arrival_s", "sent_s", "end_s", "response_s", "status",
		"outcome", "bytes", LOG_WALL};
	char outcome[16];
	snprintf(outcome, sizeof outcome, format == REQUEST_LOG_CSV ? "%s" : "\"%s\"", fields->outcome);
	const char *const value[] = {fields->request, fields->url, fields->planned, fields->arrival, fields->sent, fields->end,
		fields->response, fields->status, outcome, fields->bytes, fields->wall};
	char *at = line;
	for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
		if (format == REQUEST_LOG_CSV) {
			at = stpcpy(stpcpy(at, i == 0 ? "" : ","), value[i]);
			continue;
		}
		at = stpcpy(stpcpy(stpcpy(at, i == 0 ? "{\"" : ",\""), name[i]), "\":");
		at = stpcpy(at, *value[i] ? value[i] : "null");
	}
	return (size_t)(stpcpy(at, format == REQUEST_LOG_CSV ? "\n" : "}\n") - line);
}

static size_t print_record(const struct request_log *log, const struct request_record *record, char *line)
{
	struct fields fields = {
		.url = record->url < log->names ? log->name[record->url] : "", .outcome = request_fate_word(record->fate)};
	snprintf(fields.request, sizeof fields.request, "%" PRIu64, record->request);
	print_time(record->planned_ns, fields.planned);
	print_time(record->arrival_ns, fields.arrival);
	print_time(record->sent_ns, fields.sent);
	print_end(log, record->end_ns, &fields);
	if (record->fate != REQUEST_DROPPED)
		print_time(record->end_ns - record->planned_ns, fields.response);
	if (record->fate <= REQUEST_UNEXPECTED)
		snprintf(fields.status, sizeof fields.status, "%ld", record->status);
	if (record->bytes != REQUEST_LOG_UNKNOWN)
		snprintf(fields.bytes, sizeof fields.bytes, "%" PRId64, record->bytes);
	return print_line(log->format, &fields, line);
}

static size_t print_missing(const struct request_log *log, char *line)
{
	struct fields fields = {.url = "", .outcome = "missing"};
	print_time(log->missing_from_ns, fields.planned);
	print_end(log, log->missing_to_ns, &fields);
	return print_line(log->format, &fields, line);
}

/* With quotes where CSV needs them, or as JSON has it. To be freed; NULL with errno. */
static char *quoted(enum request_log_format format, const char *name)
{
	if (format == REQUEST_LOG_JSONL) {
		json_t *const string = json_value_text(name);
		char *const text = string ? json_dumps(string, JSON_ENCODE_ANY) : strdup("null");
		json_decref(string);
		return text;
	}
	const bool needs = strpbrk(name, ",\"\r\n");
	char *const text = malloc(2 * strlen(name) + 3);
	char *at = text;
	if (!text)
		return NULL;
	if (needs)
		*at++ = '"';
	for (const char *from = name; *from; from++) {
		if (*from == '"')
			*at++ = '"';
		*at++ = *from;
	}
	if (needs)
		*at++ = '"';
	*at = '\0';
	return text;
}

/* ---- The log ---------------------------------------------------------------------------------------------------------- */

static void release(struct request_log *log)
{
	nonblocking_free(log->nonblocking);
	for (unsigned i = 0; i < log->names; i++)
		free(log->name[i]);
	free(log->name);
	free(log->block);
	free(log);
}

struct request_log *request_log_open(const char *path, enum request_log_format format, bool waits)
{
	struct request_log *const log = calloc(1, sizeof *log);
	if (!log || !(log->block = malloc(BLOCK_SIZE))) {
		free(log);
		return NULL;
	}
	log->format = format;
	log->waits = waits;
	log->has_wall = true;
	log->file = output_open(path, O_TRUNC | O_APPEND);
	if (log->file >= 0 && nonblocking_is_needed(log->file))
		log->nonblocking = nonblocking_new(log->file);
	if (log->file >= 0 &&
		(format != REQUEST_LOG_CSV || write_lines(log, REQUEST_LOG_HEADER "\n", strlen(REQUEST_LOG_HEADER "\n")) == 0))
		return log;
	const int error = errno;
	if (log->file >= 0)
		close(log->file);
	release(log);
	errno = error;
	return NULL;
}

void request_log_without_wall(struct request_log *log)
{
	log->has_wall = false;
}

int request_log_name(struct request_log *log, const char *name)
{
	char **const names = reallocarray(log->name, log->names + 1, sizeof *names);
	if (!names)
		return -1;
	log->name = names;
	char *const text = quoted(log->format, name);
	if (!text)
		return -1;
	names[log->names++] = text;
	const size_t length = strlen(text);
	if (length <= log->name_most)
		return 0;
	char *const block = realloc(log->block, BLOCK_SIZE + length);
	if (!block)
		return -1;
	log->block = block;
	log->name_most = length;
	return 0;
}

static void begin_block(struct request_log *log)
{
	log->from_ns = INT64_MAX;
	log->to_ns = INT64_MIN;
	if (!log->is_missing)
		return;
	/* Before those that come now; and it is missing again when these can't be written either. */
	log->used = print_missing(log, log->block);
	log->from_ns = log->missing_from_ns;
	log->to_ns = log->missing_to_ns;
}

int request_log_flush(struct request_log *log)
{
	if (log->used == 0)
		return 0;
	const int result = write_lines(log, log->block, log->used);
	const int error = errno;
	log->used = 0;
	log->is_missing = result != 0;
	log->missing_from_ns = log->from_ns;
	log->missing_to_ns = log->to_ns;
	errno = error;
	return result;
}

int request_log_add(struct request_log *log, const struct request_record *record)
{
	if (log->used == 0)
		begin_block(log);
	log->used += print_record(log, record, log->block + log->used);
	log->from_ns = record->planned_ns < log->from_ns ? record->planned_ns : log->from_ns;
	log->to_ns = record->end_ns > log->to_ns ? record->end_ns : log->to_ns;
	return log->used + LINE_MAX_SIZE > BLOCK_SIZE ? request_log_flush(log) : 0;
}

bool request_log_is_pending(const struct request_log *log)
{
	return log->used > 0;
}

int request_log_close(struct request_log *log)
{
	if (!log)
		return 0;
	int result = request_log_flush(log), error = errno;
	/* Shorter than what could not be written, this may still have room. */
	if (log->is_missing && !log->is_cut) {
		char line[LINE_MAX_SIZE];
		write_lines(log, line, print_missing(log, line));
	}
	if (log->nonblocking && nonblocking_flush(log->nonblocking, CLOSE_LIMIT_NS) != 0) {
		result = -1;
		error = errno;
	}
	if (close(log->file) != 0 && result == 0) {
		result = -1;
		error = errno;
	}
	release(log);
	errno = error;
	return result;
}
