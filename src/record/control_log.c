/* SPDX-License-Identifier: MIT */
#include "record/control_log.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/log_columns.h"
#include "base/nonblocking.h"
#include "base/output.h"
#include "base/units.h"
#include "config/config.h"

/* A moment in the three times of a row. */
struct moment {
	int64_t time_ns, monotonic_ns, unix_ns;
};

/* For a reader to take the rest of a row; less than the guardian waits for a sign of life of the master. */
#define CLOSE_LIMIT_NS (700 * NS_PER_MS)

/* A stretch of the run: of one row, or of several. */
struct stretch {
	int64_t ns;
	int64_t target_ns; /* of it, the time that has a target */
	double target;     /* … times that time */
};

struct control_log {
	int fd;
	struct nonblocking *nonblocking; /* NULL: writing waits for nobody, or may */
	bool is_cut;                     /* half a row went out and can't be taken back: nothing more is written */
	struct control_log_columns columns;
	struct stretch missing;   /* since the last row that was written: what the next one has to mark */
	struct moment lost_until; /* where the last row that is lost ends */
	int64_t lost_ns;          /* in all */
	int64_t last_ns;          /* of the last row that was written, of which a part may not be out */
};

/* ---- Columns ---------------------------------------------------------------------------------------------------------- */

struct line {
	FILE *to;
	const struct control_log_columns *columns;
	const struct moment *end;    /* NULL: the header */
	const struct record *record; /* NULL: the header, or a row that marks what is missing, of which … */
	double target;               /* … the trace still knows this */
};

/* What would be printed as minus zero is zero. */
static double plain(double value)
{
	return fabs(value) <= 0.5e-6 ? 0 : value;
}

static void put_number(const struct line *line, const char *name, double value)
{
	if (!line->end)
		fprintf(line->to, ",%s", name);
	else if (isnan(value))
		fputc(',', line->to);
	else
		fprintf(line->to, ",%.6f", plain(value));
}

static void put_text(const struct line *line, bool is_there, const char *name, const char *text)
{
	if (is_there)
		fprintf(line->to, ",%s", line->end ? text : name);
}

static void put_times(const struct line *line)
{
	if (!line->end)
		fputs(LOG_TIME "," LOG_MONOTONIC, line->to);
	else
		fprintf(line->to, "%.6f,%.6f", plain((double)line->end->time_ns / 1e9), (double)line->end->monotonic_ns / 1e9);
}

/* The wall clock, exactly. */
static void put_wall(const struct line *line)
{
	if (!line->end)
		fputs("," LOG_WALL, line->to);
	else
		fprintf(line->to, ",%" PRId64 ".%06" PRId64, line->end->unix_ns / NS_PER_S,
			line->end->unix_ns % NS_PER_S / NS_PER_US);
}

/* The table of columns: each once, with its name and its value. */
static void print_line(const struct line *line)
{
#define VALUE(member) (row ? row->member : NAN)
	const struct control_log_columns *const columns = line->columns;
	const struct record *const row = line->record;
	put_times(line);
	put_number(line, LOG_TARGET, line->target);
	put_number(line, LOG_LOAD, VALUE(load));
	put_number(line, "estimate", VALUE(estimate));
	put_number(line, "duty", VALUE(duty));
	put_number(line, "runnable", VALUE(runnable));
	put_number(line, LOG_OTHERS, VALUE(others));
	if (columns->free)
		put_number(line, "free", VALUE(free));
	if (columns->power)
		put_number(line, LOG_POWER, VALUE(power_w));
	char name[COUNTED_COLUMN_MAX];
	for (unsigned i = 0; i < columns->watches; i++) {
		snprintf(name, sizeof name, LOG_WATCHED "%s", columns->watch[i].name);
		put_number(line, name, VALUE(watched[i]));
	}
	for (size_t i = 0; i < columns->zones; i++) {
		snprintf(name, sizeof name, "power_%s_w", line->end ? "" : columns->zone[i].name);
		put_number(line, name, VALUE(zone_w[i]));
	}
	for (size_t i = 0; columns->counted && i < counted_columns(columns->counted); i++) {
		counted_column_name(columns->counted, i, name);
		put_number(line, name, row ? counted_column(columns->counted, i) : NAN);
	}
	const unsigned width = columns->workloads > 1 ? expand_width(columns->workloads) : 2;
	for (unsigned i = 0; i < columns->workloads; i++) {
		snprintf(name, sizeof name, "duty_%0*u", (int)(width < 2 ? 2 : width), i);
		put_number(line, name, VALUE(duties[i]));
	}
	put_text(line, columns->pinning, "pinning", row && row->pinning ? row->pinning : "");
	put_text(line, columns->unit, "unit", "core");
	if (columns->trace)
		put_number(line, "trace_s", VALUE(trace_s));
	if (columns->wall)
		put_wall(line);
	fputc('\n', line->to);
#undef VALUE
}

/* ---- Rows ------------------------------------------------------------------------------------------------------------- */

/* One write, so that a reader never meets half of a row. */
static int write_text(struct control_log *log, const char *text, size_t length)
{
	if (log->nonblocking)
		return nonblocking_write(log->nonblocking, text, length);
	if (!log->is_cut)
		return whole_line_write(log->fd, text, length, &log->is_cut);
	return fail(EIO);
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
	if (never_waits && nonblocking_is_needed(file) && !(log->nonblocking = nonblocking_new(file)))
		goto fail;
	FILE *header = open_memstream(&text, &length);
	if (!header)
		goto fail;
	print_line(&(struct line){.to = header, .columns = columns});
	const bool written = fclose(header) == 0 && write_text(log, text, length) == 0;
	const int saved = errno;
	free(text);
	errno = saved;
	if (written)
		return log;
fail:
	control_log_close(log, NULL);
	return NULL;
}

static void miss(struct control_log *log, const struct record *record)
{
	const bool has_target = !isnan(record->target);
	log->missing.ns += record->length_ns;
	log->missing.target_ns += has_target ? record->length_ns : 0;
	log->missing.target += has_target ? record->target * (double)record->length_ns : 0;
	log->lost_ns += record->length_ns;
}

/* The row that marks what is missing. */
static void print_missing(const struct control_log *log, const struct moment *end, FILE *to)
{
	const struct stretch *const missing = &log->missing;
	const double target = missing->target_ns > 0 ? missing->target / (double)missing->target_ns : NAN;
	print_line(&(struct line){to, &log->columns, end, NULL, target});
}

int control_log_add(struct control_log *log, const struct record *record, int64_t origin_ns)
{
	char *text = NULL;
	size_t length = 0;
	const int64_t start_ns = record->end_ns - record->length_ns;
	const struct moment start = {start_ns - origin_ns, start_ns, record->end_unix_ns - record->length_ns};
	const struct moment end = {record->end_ns - origin_ns, record->end_ns, record->end_unix_ns};
	FILE *row = open_memstream(&text, &length);
	int result = -1;
	if (row && log->missing.ns > 0)
		print_missing(log, &start, row);
	if (row)
		print_line(&(struct line){row, &log->columns, &end, record, record->target});
	/* Row and mark go together or not at all. */
	if (row && fclose(row) == 0)
		result = write_text(log, text, length);
	const int saved = errno;
	if (result == 0) {
		log->missing = (struct stretch){0};
		log->last_ns = record->length_ns;
	} else {
		miss(log, record);
		log->lost_until = end;
	}
	free(text);
	errno = saved;
	return result;
}

const char *control_log_error(int error)
{
	return error == EAGAIN ? "nobody reads it, and rows are missing" : strerror(error);
}

const char *control_log_describe(const struct control_log_loss *loss, char text[static CONTROL_LOG_LOSS_MAX])
{
	const double lost_s = (double)loss->ns / 1e9, last_s = (double)loss->at_end_ns / 1e9;
	if (loss->at_end_ns == loss->ns)
		snprintf(text, CONTROL_LOG_LOSS_MAX, "the last %.3f s of the run are in no row", last_s);
	else if (loss->at_end_ns > 0)
		snprintf(text, CONTROL_LOG_LOSS_MAX, "%.3f s of the run are in no row, the last %.3f s among them", lost_s,
			last_s);
	else
		snprintf(text, CONTROL_LOG_LOSS_MAX, "%.3f s of the run are in no row", lost_s);
	return text;
}

/* Nothing comes behind it: where even that can't be written, the file just ends sooner. */
static void mark_end(struct control_log *log)
{
	char *text = NULL;
	size_t length = 0;
	FILE *row = open_memstream(&text, &length);
	if (!row)
		return;
	print_missing(log, &log->lost_until, row);
	if (fclose(row) == 0 && write_text(log, text, length) == 0)
		log->last_ns = 0;
	free(text);
}

int control_log_close(struct control_log *log, struct control_log_loss *loss)
{
	if (!log)
		return 0;
	int saved = errno;
	int64_t at_end_ns = log->missing.ns;
	if (at_end_ns > 0)
		mark_end(log);
	int result = log->nonblocking ? nonblocking_flush(log->nonblocking, CLOSE_LIMIT_NS) : 0;
	if (result != 0) {
		saved = errno;
		log->lost_ns += log->last_ns;
		at_end_ns += log->last_ns;
	}
	nonblocking_free(log->nonblocking);
	if (log->fd >= 0 && close(log->fd) != 0 && result == 0) {
		result = -1;
		saved = errno;
	}
	if (loss)
		*loss = (struct control_log_loss){log->lost_ns, at_end_ns};
	free(log);
	errno = saved;
	return result;
}
