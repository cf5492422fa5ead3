/* SPDX-License-Identifier: MIT */
#include "sstrace/recorded.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/log_columns.h"
#include "base/units.h"

/* A rounded sum may be off by this. */
#define ROUNDING 1e-9
#define TIME_MOST 9e9
#define SHOWN 40

struct reader {
	const char *name;
	FILE *from;
	char *line;
	size_t size;
	unsigned long number; /* of the line, from 1 */
	size_t column;        /* of the load, from 0; that of the time is the first */
	struct trace *trace;
	int64_t origin_ns, last_ns; /* where the trace begins; the end of the last row */
	bool has_last, has_origin;
	double load; /* of the last sample; of a first row it is no record yet, as nobody knows when that began */
	unsigned long samples, wrong, missing, outside;
	char first_wrong[160];
};

/* Reads a line without its end. False at the end of the file. */
static bool next_line(struct reader *reader)
{
	const ssize_t length = getline(&reader->line, &reader->size, reader->from);
	if (length < 0)
		return false;
	reader->line[strcspn(reader->line, "\r\n")] = '\0';
	reader->number++;
	return true;
}

/* The field of that number, from 0, and its length; NULL if there are fewer. */
static const char *find_field(const char *line, size_t number, size_t *length)
{
	for (; number > 0; number--) {
		line = strchr(line, ',');
		if (!line)
			return NULL;
		line++;
	}
	*length = strcspn(line, ",");
	return line;
}

/* The number of the column of that name. 0, or -1 after a message. */
static int find_column(struct reader *reader, const char *column)
{
	size_t length;
	if (!next_line(reader))
		return diag_refuse("%s: found nothing, expected CSV of cpuload or showstopper", reader->name);
	for (size_t i = 0;; i++) {
		const char *const name = find_field(reader->line, i, &length);
		if (!name)
			return diag_refuse("%s:1: found the columns '%.160s', expected %s", reader->name, reader->line, column);
		if (length == strlen(column) && memcmp(name, column, length) == 0) {
			reader->column = i;
			return 0;
		}
	}
}

static bool read_number(const char *text, size_t length, double *value)
{
	size_t stop;
	return units_parse_real(text, length, value, &stop) == 0;
}

static void leave_out(struct reader *reader, const char *text, size_t length, const char *expected)
{
	if (reader->wrong++ == 0)
		snprintf(reader->first_wrong, sizeof reader->first_wrong, "line %lu: found '%.*s', expected %s", reader->number,
			(int)(length < SHOWN ? length : SHOWN), text ? text : "", expected);
}

static int append(struct reader *reader, int64_t ns)
{
	if (!reader->has_origin)
		reader->origin_ns = ns;
	reader->has_origin = true;
	if (trace_append(reader->trace, &(struct trace_record){ns - reader->origin_ns, reader->load}) != 0)
		return diag_refuse("%s: %s", reader->name, strerror(errno));
	return 0;
}

/* Takes the load of a row. 0, or -1 after a message. */
static int add_load(struct reader *reader, double load)
{
	reader->outside += load < -ROUNDING || load > 1 + ROUNDING;
	load = fmin(fmax(load, 0), 1) + 0.0;
	const bool is_same = reader->samples++ > 0 && load == reader->load;
	reader->load = load;
	return is_same || !reader->has_last ? 0 : append(reader, reader->last_ns);
}

static int read_row(struct reader *reader)
{
	size_t time_length;
	size_t load_length = 0;
	double seconds;
	double load;
	const char *const time = find_field(reader->line, 0, &time_length);
	const char *const text = find_field(reader->line, reader->column, &load_length);
	if (!read_number(time, time_length, &seconds) || fabs(seconds) > TIME_MOST) {
		leave_out(reader, time, time_length, "a time in seconds");
		return 0;
	}
	const int64_t ns = llround(seconds * (double)NS_PER_S);
	int result = 0;
	if (reader->has_last && ns <= reader->last_ns)
		return diag_refuse("%s:%lu: found the time %.*s, expected times that grow (ssimport puts them in order)",
			reader->name, reader->number, (int)time_length, time);
	/* The first row was as long as this one. */
	if (reader->samples > 0 && !reader->has_origin)
		result = append(reader, 2 * reader->last_ns - ns);
	if (text && load_length == 0)
		reader->missing++;
	else if (!text || !read_number(text, load_length, &load))
		leave_out(reader, text, load_length, "a load: a number such as 0.5");
	else if (result == 0)
		result = add_load(reader, load);
	reader->has_last = true;
	reader->last_ns = ns;
	return result;
}

/* 0, or -1 after a message. */
static int end_trace(struct reader *reader)
{
	if (reader->samples == 0)
		return diag_refuse("%s: found no sample%s%s", reader->name,
			reader->wrong > 0 ? "; the first line that is none: " : "", reader->first_wrong);
	if (reader->samples > 1 && reader->outside > reader->samples / 2)
		return diag_refuse("%s: found %lu of %lu loads outside 0 to 1, expected fractions", reader->name, reader->outside,
			reader->samples);
	if (!reader->has_origin && append(reader, reader->last_ns - NS_PER_S) != 0)
		return -1;
	return append(reader, reader->last_ns);
}

static void say(const struct reader *reader)
{
	char text[512];
	size_t used = (size_t)snprintf(text, sizeof text, "%lu sample%s", reader->samples, reader->samples == 1 ? "" : "s");
	if (reader->wrong > 0)
		used += (size_t)snprintf(text + used, sizeof text - used, "; %lu line%s left out, the first is %s", reader->wrong,
			reader->wrong == 1 ? "" : "s", reader->first_wrong);
	if (reader->missing > 0)
		used += (size_t)snprintf(text + used, sizeof text - used, "; %lu sample%s without a load left out",
			reader->missing, reader->missing == 1 ? "" : "s");
	if (reader->outside > 0)
		snprintf(text + used, sizeof text - used, "; %lu load%s outside 0 to 1, cut", reader->outside,
			reader->outside == 1 ? "" : "s");
	diag("%s: %s", reader->name, text);
}

int recorded_read(int file, const char *name, const char *column, struct trace *trace)
{
	struct reader reader = {.name = name, .from = fdopen(file, "r"), .trace = trace};
	if (!reader.from) {
		diag("%s: %s", name, strerror(errno));
		close(file);
		return -1;
	}
	trace->interpolation = TRACE_STEP;
	int result = find_column(&reader, column);
	while (result == 0 && next_line(&reader))
		result = read_row(&reader);
	if (result == 0 && ferror(reader.from))
		result = diag_refuse("%s: %s", name, strerror(errno));
	if (result == 0)
		result = end_trace(&reader);
	if (result == 0)
		say(&reader);
	free(reader.line);
	fclose(reader.from);
	return result;
}
