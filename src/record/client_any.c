/* SPDX-License-Identifier: MIT */
/* Any CSV of which the user names the columns: two of begin, end and duration, or the duration alone. */
#include "record/client_formats.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

enum { START, END, TIME, COLUMNS };
/* Seconds from which on a number is one since 1970: no machine has been up for three years. */
#define WALL_LEAST 1e8

static double unit_of(const char *name)
{
	static const struct {
		const char *end;
		double unit;
	} units[] = {{"_ns", 1e-9}, {"_us", 1e-6}, {"_ms", 1e-3}, {"_s", 1}, {"_seconds", 1}};
	const size_t length = strlen(name);
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		const size_t end = strlen(units[i].end);
		if (length > end && strcmp(name + length - end, units[i].end) == 0)
			return units[i].unit;
	}
	return 0;
}

int client_any_begin(struct client_log *log)
{
	const char *const name[COLUMNS] = {log->columns->start, log->columns->end, log->columns->time};
	char found[160];
	for (int i = 0; i < COLUMNS; i++) {
		if (!name[i])
			continue;
		log->column[i] = csv_find(log->csv, name[i]);
		log->unit[i] = unit_of(name[i]) > 0 ? unit_of(name[i]) : log->columns->unit;
		if (log->column[i] < 0)
			return csv_fail(log->error, "%.200s:1: found no column '%.80s' among %s", log->name, name[i],
				csv_print_columns(log->csv, found, sizeof found));
	}
	log->lacks_moments = !name[START] && !name[END];
	return 0;
}

static int refuse_unit(struct client_log *log, int which)
{
	return csv_refuse(log->csv, (size_t)log->column[which],
		"found no unit at the end of this name, such as _ms, expected --unit s, ms, us or ns");
}

/* A number in the column's unit, or a date. */
static int read_moment(struct client_log *log, int which, int64_t *ns)
{
	size_t length;
	double number;
	const char *const text = csv_text(log->csv, (size_t)log->column[which], &length);
	if (units_parse_real(text, length, &number, NULL) != 0) {
		log->has_wall |= length > 0;
		return length > 0 ? client_moment_ns(log, log->column[which], ns)
				  : csv_refuse(log->csv, (size_t)log->column[which], "found nothing, expected a time");
	}
	if (log->unit[which] == 0)
		return refuse_unit(log, which);
	log->has_wall |= number * log->unit[which] >= WALL_LEAST;
	return client_number_ns(log, log->column[which], log->unit[which], ns);
}

static int read_row(struct client_log *log, struct request_record *record)
{
	int64_t start_ns = (int64_t)log->records * NS_PER_S;
	int64_t end_ns = 0;
	int64_t time_ns = 0;
	if (log->column[TIME] >= 0 && log->unit[TIME] == 0)
		return refuse_unit(log, TIME);
	if ((log->column[START] >= 0 && read_moment(log, START, &start_ns) != 0) ||
		(log->column[END] >= 0 && read_moment(log, END, &end_ns) != 0) ||
		(log->column[TIME] >= 0 && client_number_ns(log, log->column[TIME], log->unit[TIME], &time_ns) != 0))
		return -1;
	if (log->column[START] < 0 && log->column[END] >= 0)
		start_ns = end_ns - time_ns;
	else if (log->column[END] < 0)
		end_ns = start_ns + time_ns;
	client_set_times(record, start_ns, end_ns);
	record->fate = REQUEST_EXPECTED;
	return 1;
}

const struct client_format client_any = {
	.program = "CSV of the columns that were named",
	.lacks_schedule = "a column of CSV doesn't say that it is one",
	.lacks_status = true,
	.read = read_row,
};
