/* SPDX-License-Identifier: MIT */
#include "record/control_log.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/expand.h"
#include "base/units.h"
#include "base/unwaiting.h"
#include "base/whole_line.h"

/* For a reader to take what is kept; less than the guardian waits for a sign of life of the master. */
#define CLOSE_LIMIT_NS (700 * NS_PER_MS)

struct control_log {
	int fd;
	struct unwaiting *unwaiting; /* NULL: writing waits for nobody, or may */
	struct control_log_columns columns;
};

/* Writes the row that was printed to a memory stream; frees it. One write per row, so that a reader never meets half of one. */
static int write_stream(const struct control_log *log, FILE *stream, char **text, const size_t *length)
{
	int result = -1;
	if (fclose(stream) == 0)
		result = log->unwaiting ? unwaiting_write(log->unwaiting, *text, *length)
					: whole_line_write(log->fd, *text, *length, NULL);
	const int saved = errno;
	free(*text);
	errno = saved;
	return result;
}

struct control_log *control_log_open(int file, const struct control_log_columns *columns, bool never_waits)
{
	char *text = NULL;
	size_t length = 0;
	struct control_log *log = file < 0 ? NULL : malloc(sizeof *log);
	if (!log) {
		if (file >= 0)
			close(file);
		return NULL;
	}
	*log = (struct control_log){.fd = file, .columns = *columns};
	if (never_waits && unwaiting_is_needed(file) && !(log->unwaiting = unwaiting_new(file)))
		goto fail;
	FILE *header = open_memstream(&text, &length);
	if (!header)
		goto fail;
	fputs("time_s,monotonic_s,target,load,estimate,duty,runnable,others", header);
	fputs(columns->free ? ",free" : "", header);
	fputs(columns->power ? ",power_w" : "", header);
	for (size_t i = 0; i < columns->zones; i++)
		fprintf(header, ",power_%s_w", columns->zone[i].name);
	for (size_t i = 0; columns->counted && i < counted_columns(columns->counted); i++) {
		char name[COUNTED_COLUMN_MAX];
		counted_column_name(columns->counted, i, name);
		fprintf(header, ",%s", name);
	}
	const unsigned width = columns->workloads > 1 ? expand_width(columns->workloads) : 2;
	for (unsigned i = 0; i < columns->workloads; i++)
		fprintf(header, ",duty_%0*u", (int)(width < 2 ? 2 : width), i);
	fputs(columns->pinning ? ",pinning" : "", header);
	fputs(columns->unit ? ",unit" : "", header);
	fputs(columns->wall ? ",time_unix_s\n" : "\n", header);
	if (write_stream(log, header, &text, &length) != 0)
		goto fail;
	return log;
fail:
	control_log_close(log);
	return NULL;
}

/* What would be printed as minus zero is zero. */
static double plain(double value)
{
	return fabs(value) <= 0.5e-6 ? 0 : value;
}

static void print_value(FILE *to, double value)
{
	if (isnan(value))
		fputc(',', to);
	else
		fprintf(to, ",%.6f", plain(value));
}

int control_log_add(struct control_log *log, const struct record *record, int64_t origin_ns)
{
	char *text = NULL;
	size_t length = 0;
	FILE *row = open_memstream(&text, &length);
	if (!row)
		return -1;
	fprintf(row, "%.6f,%.6f", plain((double)(record->end_ns - origin_ns) / 1e9), (double)record->end_ns / 1e9);
	print_value(row, record->target);
	print_value(row, record->load);
	print_value(row, record->estimate);
	print_value(row, record->duty);
	print_value(row, record->runnable);
	print_value(row, record->others);
	if (log->columns.free)
		print_value(row, record->free);
	if (log->columns.power)
		print_value(row, record->power_w);
	for (size_t i = 0; i < log->columns.zones; i++)
		print_value(row, record->zone_w[i]);
	for (size_t i = 0; log->columns.counted && i < counted_columns(log->columns.counted); i++)
		print_value(row, counted_column(log->columns.counted, i));
	for (unsigned i = 0; i < log->columns.workloads; i++)
		print_value(row, record->duties[i]);
	if (log->columns.pinning)
		fprintf(row, ",%s", record->pinning ? record->pinning : "");
	fputs(log->columns.unit ? ",core" : "", row);
	if (log->columns.wall)
		fprintf(row, ",%" PRId64 ".%06" PRId64, record->end_unix_ns / NS_PER_S,
			record->end_unix_ns % NS_PER_S / NS_PER_US);
	fputc('\n', row);
	return write_stream(log, row, &text, &length);
}

const char *control_log_error(int error)
{
	return error == EAGAIN ? "nobody reads it, and rows are missing" : strerror(error);
}

int control_log_close(struct control_log *log)
{
	int result = 0;
	if (!log)
		return 0;
	int saved = errno;
	if (unwaiting_free(log->unwaiting, CLOSE_LIMIT_NS) != 0) {
		result = -1;
		saved = errno;
	}
	if (log->fd >= 0 && close(log->fd) != 0 && result == 0) {
		result = -1;
		saved = errno;
	}
	free(log);
	errno = saved;
	return result;
}
