/* SPDX-License-Identifier: MIT */
/*
 * Nothing is buffered: an iteration takes milliseconds and a line costs a microsecond, and so a workload may be killed at any
 * moment without losing what it has done.
 */
#include "record/iteration_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/output.h"
#include "base/units.h"

int iteration_log_format(const struct iteration_record *record, int64_t unix_offset_ns, char line[static ITERATION_LOG_LINE_MAX])
{
	const int64_t start_ns = record->start_ns, end_ns = record->end_ns, unix_ns = record->end_ns + unix_offset_ns;
	char iteration[24] = "", status[16] = "";
	if (record->iteration != ITERATION_LOG_MISSING) {
		snprintf(iteration, sizeof iteration, "%" PRIu64, record->iteration);
		snprintf(status, sizeof status, "%d", record->status);
	}
	return snprintf(line, ITERATION_LOG_LINE_MAX,
		"%u,%s,%" PRId64 ".%09" PRId64 ",%" PRId64 ".%09" PRId64 ",%s,%" PRId64 ".%06" PRId64 "\n", record->instance,
		iteration, start_ns / NS_PER_S, start_ns % NS_PER_S, end_ns / NS_PER_S, end_ns % NS_PER_S, status,
		unix_ns / NS_PER_S, unix_ns % NS_PER_S / NS_PER_US);
}

static int write_line(struct iteration_log *log, const char *line, size_t length)
{
	if (!log->cut)
		return whole_line_write(log->file, line, length, &log->cut);
	return fail(EIO);
}

int iteration_log_open(struct iteration_log *log, const char *path)
{
	/* Appending keeps lines whole even when two workloads were given one file by mistake. */
	*log = (struct iteration_log){.file = output_open(path, O_TRUNC | O_APPEND)};
	if (log->file < 0)
		return -1;
	if (write_line(log, ITERATION_LOG_HEADER "\n", strlen(ITERATION_LOG_HEADER "\n")) == 0)
		return 0;
	const int error = errno;
	close(log->file);
	log->file = -1;
	return fail(error);
}

/* All of them lie within what is noted, whatever their order: several threads may be at work. */
static void note_missing(struct iteration_log *log, const struct iteration_record *record)
{
	struct iteration_record *const missing = &log->missing;
	log->lost++;
	if (!log->is_missing)
		*missing =
			(struct iteration_record){record->instance, ITERATION_LOG_MISSING, record->start_ns, record->end_ns, 0};
	log->is_missing = true;
	missing->start_ns = record->start_ns < missing->start_ns ? record->start_ns : missing->start_ns;
	missing->end_ns = record->end_ns > missing->end_ns ? record->end_ns : missing->end_ns;
}

int iteration_log_write(struct iteration_log *log, const struct iteration_record *record)
{
	char lines[2 * ITERATION_LOG_LINE_MAX];
	const int64_t offset_ns = clock_unix_offset();
	const int before = log->is_missing ? iteration_log_format(&log->missing, offset_ns, lines) : 0;
	const int length = before + iteration_log_format(record, offset_ns, lines + before);
	if (write_line(log, lines, (size_t)length) == 0) {
		log->is_missing = false;
		return 0;
	}
	const int error = errno;
	note_missing(log, record);
	return fail(error);
}

int iteration_log_close(struct iteration_log *log)
{
	char line[ITERATION_LOG_LINE_MAX];
	if (log->file < 0)
		return 0;
	/* Shorter than a record, it may still have room. */
	if (log->is_missing && !log->cut)
		write_line(log, line, (size_t)iteration_log_format(&log->missing, clock_unix_offset(), line));
	const int result = close(log->file);
	log->file = -1;
	return result;
}
