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
#include "base/output.h"
#include "base/units.h"
#include "base/whole_line.h"

int iteration_log_format(const struct iteration_record *record, int64_t unix_offset_ns, char line[static ITERATION_LOG_LINE_MAX])
{
	const int64_t start_ns = record->start_ns, end_ns = record->end_ns, unix_ns = record->end_ns + unix_offset_ns;
	return snprintf(line, ITERATION_LOG_LINE_MAX,
		"%u,%" PRIu64 ",%" PRId64 ".%09" PRId64 ",%" PRId64 ".%09" PRId64 ",%" PRId64 ".%06" PRId64 "\n",
		record->instance, record->iteration, start_ns / NS_PER_S, start_ns % NS_PER_S, end_ns / NS_PER_S,
		end_ns % NS_PER_S, unix_ns / NS_PER_S, unix_ns % NS_PER_S / NS_PER_US);
}

static int write_line(struct iteration_log *log, const char *line, size_t length)
{
	if (!log->cut)
		return whole_line_write(log->file, line, length, &log->cut);
	errno = EIO;
	return -1;
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
	errno = error;
	return -1;
}

int iteration_log_write(struct iteration_log *log, const struct iteration_record *record)
{
	char line[ITERATION_LOG_LINE_MAX];
	const int length = iteration_log_format(record, clock_unix_offset(), line);
	if (write_line(log, line, (size_t)length) == 0)
		return 0;
	log->lost++;
	return -1;
}

int iteration_log_close(struct iteration_log *log)
{
	if (log->file < 0)
		return 0;
	const int result = close(log->file);
	log->file = -1;
	return result;
}
