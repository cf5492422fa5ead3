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

/* No row is shorter: eight columns, of which two are numbers of six decimals. */
#define ROW_LEAST 24

/* A moment in the three times of a row. */
struct moment {
	int64_t time_ns, monotonic_ns, unix_ns;
};

/* For a reader to take what is kept; less than the guardian waits for a sign of life of the master. */
#define CLOSE_LIMIT_NS (700 * NS_PER_MS)

struct control_log {
	int fd;
	struct nonblocking *nonblocking; /* NULL: writing waits for nobody, or may */
	bool is_cut;                     /* half a row went out and can't be taken back: nothing more is written */
	struct control_log_columns columns;
	struct lost_rows lost;
	struct moment lost_until; /* where the last row that is lost ends */
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
	put_number(line, LOG_BACKGROUND, VALUE(background));
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

static size_t kept(const struct control_log *log)
{
	return log->nonblocking ? nonblocking_kept(log->nonblocking) : 0;
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
	if (never_waits && nonblocking_is_needed(file) &&
		(!(log->nonblocking = nonblocking_new(file)) || lost_rows_init(&log->lost, NONBLOCKING_MAX / ROW_LEAST) != 0))
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

static struct lost_stretch stretch_of(const struct record *record)
{
	if (isnan(record->target))
		return (struct lost_stretch){.ns = record->length_ns};
	return (struct lost_stretch){
		.ns = record->length_ns, .target_ns = record->length_ns, .target = record->target * (double)record->length_ns};
}

/* Row and mark go together or not at all. */
static int add(struct control_log *log, const char *text, size_t length, struct lost_stretch own)
{
	if (write_text(log, text, length) == 0) {
		lost_rows_take(&log->lost, own, length, kept(log));
		return 0;
	}
	const int error = errno;
	/* Of a reader who has gone nobody knows what he still got. */
	if (error != EAGAIN)
		lost_rows_drop(&log->lost);
	lost_rows_miss(&log->lost, own, kept(log));
	return fail(error);
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
	if (row && log->lost.missing.ns > 0)
		print_line(&(struct line){row, &log->columns, &start, NULL, lost_rows_target(&log->lost)});
	if (row)
		print_line(&(struct line){row, &log->columns, &end, record, record->target});
	if (row && fclose(row) == 0)
		result = add(log, text, length, stretch_of(record));
	else
		lost_rows_miss(&log->lost, stretch_of(record), kept(log));
	if (result != 0)
		log->lost_until = end;
	const int saved = errno;
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
	print_line(&(struct line){row, &log->columns, &log->lost_until, NULL, lost_rows_target(&log->lost)});
	if (fclose(row) == 0)
		add(log, text, length, (struct lost_stretch){0});
	free(text);
}

/* What is kept. 0, or -1 with errno. */
static int write_rest(struct control_log *log)
{
	if (!log->nonblocking || nonblocking_flush(log->nonblocking, CLOSE_LIMIT_NS) == 0)
		return 0;
	const int error = errno;
	if (error == EAGAIN)
		lost_rows_miss(&log->lost, (struct lost_stretch){0}, kept(log));
	lost_rows_drop(&log->lost);
	return fail(error);
}

int control_log_close(struct control_log *log, struct control_log_loss *loss)
{
	if (!log)
		return 0;
	int saved = errno;
	const int64_t marked_ns = log->lost.missing.ns;
	if (marked_ns > 0)
		mark_end(log);
	int result = write_rest(log);
	if (result != 0)
		saved = errno;
	nonblocking_free(log->nonblocking);
	if (log->fd >= 0 && close(log->fd) != 0 && result == 0) {
		result = -1;
		saved = errno;
	}
	const int64_t missing_ns = log->lost.missing.ns;
	if (loss)
		*loss = (struct control_log_loss){log->lost.lost_ns, missing_ns > marked_ns ? missing_ns : marked_ns};
	lost_rows_free(&log->lost);
	free(log);
	errno = saved;
	return result;
}

/* ---- Lost rows -------------------------------------------------------------------------------------------------------- */

int lost_rows_init(struct lost_rows *rows, size_t most)
{
	rows->candidate = calloc(most, sizeof *rows->candidate);
	rows->most = rows->candidate ? most : 0;
	return rows->candidate ? 0 : -1;
}

void lost_rows_free(struct lost_rows *rows)
{
	free(rows->candidate);
	*rows = (struct lost_rows){0};
}

double lost_rows_target(const struct lost_rows *rows)
{
	return rows->missing.target_ns > 0 ? rows->missing.target / (double)rows->missing.target_ns : NAN;
}

static void add_stretch(struct lost_stretch *to, const struct lost_stretch *stretch)
{
	to->ns += stretch->ns;
	to->target_ns += stretch->target_ns;
	to->target += stretch->target;
}

/* Forgets the candidates that are out. */
static void let_go(struct lost_rows *rows, size_t kept)
{
	for (; rows->count > 0 && rows->candidate[rows->first].until + kept <= rows->bytes; rows->count--)
		rows->first = (rows->first + 1) % rows->most;
}

void lost_rows_take(struct lost_rows *rows, struct lost_stretch own, size_t bytes, size_t kept)
{
	rows->bytes += bytes;
	let_go(rows, kept);
	if (kept > 0 && rows->count < rows->most)
		rows->candidate[(rows->first + rows->count++) % rows->most] =
			(struct lost_candidate){.until = rows->bytes, .own = own, .marked = rows->missing};
	rows->missing = (struct lost_stretch){0};
}

void lost_rows_miss(struct lost_rows *rows, struct lost_stretch own, size_t kept)
{
	let_go(rows, kept);
	add_stretch(&rows->missing, &own);
	rows->lost_ns += own.ns;
}

void lost_rows_drop(struct lost_rows *rows)
{
	for (; rows->count > 0; rows->count--) {
		const struct lost_candidate *const lost = &rows->candidate[rows->first];
		add_stretch(&rows->missing, &lost->own);
		add_stretch(&rows->missing, &lost->marked);
		rows->lost_ns += lost->own.ns;
		rows->first = (rows->first + 1) % rows->most;
	}
}
