/* SPDX-License-Identifier: MIT */
#include "sstrace/recorded.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/row_writer.h"
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
	struct trace_record *record;
	size_t count, capacity;
	int64_t first_ns, last_ns, length_ns; /* the ends of the first row with a load and of the last row, and the length of a row */
	bool has_last;
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
			return diag_refuse(
				"%s:1: found the columns '%.160s', expected %s", reader->name, reader->line, column);
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

static int append(struct reader *reader, int64_t ns, double load)
{
	if (reader->count == reader->capacity) {
		const size_t capacity = reader->capacity ? 2 * reader->capacity : 4096;
		struct trace_record *const larger = reallocarray(reader->record, capacity, sizeof *larger);
		if (!larger)
			return diag_refuse("%s: %s", reader->name, strerror(errno));
		reader->record = larger;
		reader->capacity = capacity;
	}
	reader->record[reader->count++] = (struct trace_record){ns, load};
	return 0;
}

/* Takes the load of a row that ends then. The first one begins where nobody knows yet. */
static int add_load(struct reader *reader, int64_t start_ns, int64_t end_ns, double load)
{
	const bool is_first = reader->count == 0;
	reader->samples++;
	reader->outside += load < -ROUNDING || load > 1 + ROUNDING;
	load = fmin(fmax(load, 0), 1) + 0.0;
	if (is_first)
		reader->first_ns = end_ns;
	if (!is_first && reader->record[reader->count - 1].load == load)
		return 0;
	return append(reader, is_first && !reader->has_last ? INT64_MIN : start_ns, load);
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
	const int64_t before_ns = reader->last_ns;
	if (reader->has_last && ns <= before_ns)
		return diag_refuse("%s:%lu: found the time %.*s, expected times that grow (ssimport puts them in order)",
			reader->name, reader->number, (int)time_length, time);
	if (reader->has_last && reader->length_ns == 0)
		reader->length_ns = ns - before_ns;
	int result = 0;
	if (text && load_length == 0)
		reader->missing++;
	else if (!text || !read_number(text, load_length, &load))
		leave_out(reader, text, load_length, "a load: a number such as 0.5");
	else
		result = add_load(reader, before_ns, ns, load);
	reader->has_last = true;
	reader->last_ns = ns;
	return result;
}

/* The trace begins with the first row that has a load. 0, or -1 after a message. */
static int make_trace(const struct reader *reader, struct trace *trace)
{
	struct trace_record *const record = reader->record;
	const int64_t length_ns = reader->length_ns > 0 ? reader->length_ns : NS_PER_S;
	if (reader->count == 0)
		return diag_refuse("%s: found no sample%s%s", reader->name,
			reader->wrong > 0 ? "; the first line that is none: " : "", reader->first_wrong);
	if (reader->samples > 1 && reader->outside > reader->samples / 2)
		return diag_refuse("%s: found %lu of %lu loads outside 0 to 1, expected fractions", reader->name, reader->outside,
			reader->samples);
	if (record[0].ns == INT64_MIN)
		record[0].ns = reader->first_ns - length_ns;
	const int64_t origin_ns = record[0].ns;
	trace->interpolation = TRACE_STEP;
	for (size_t i = 0; i < reader->count; i++)
		if (trace_append(trace, &(struct trace_record){record[i].ns - origin_ns, record[i].load}) != 0)
			return diag_refuse("%s: %s", reader->name, strerror(errno));
	if (trace_append(trace, &(struct trace_record){reader->last_ns - origin_ns, record[reader->count - 1].load}) != 0)
		return diag_refuse("%s: %s", reader->name, strerror(errno));
	return 0;
}

static void say(const struct reader *reader)
{
	char text[512];
	size_t used = (size_t)snprintf(
		text, sizeof text, "%lu sample%s", reader->samples, reader->samples == 1 ? "" : "s");
	if (reader->wrong > 0)
		used += (size_t)snprintf(text + used, sizeof text - used, "; %lu line%s left out, the first is %s",
			reader->wrong, reader->wrong == 1 ? "" : "s", reader->first_wrong);
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
	struct reader reader = {.name = name, .from = fdopen(file, "r")};
	if (!reader.from) {
		diag("%s: %s", name, strerror(errno));
		close(file);
		return -1;
	}
	int result = find_column(&reader, column);
	while (result == 0 && next_line(&reader))
		result = read_row(&reader);
	if (result == 0 && ferror(reader.from))
		result = diag_refuse("%s: %s", name, strerror(errno));
	if (result == 0)
		result = make_trace(&reader, trace);
	if (result == 0)
		say(&reader);
	free(reader.record);
	free(reader.line);
	fclose(reader.from);
	return result;
}
