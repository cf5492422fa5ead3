/* SPDX-License-Identifier: MIT */
#include "report/meter.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/instant.h"

/* So many times the usual distance of readings is a gap. */
#define GAP_FACTOR 5
/* No meter shows as much; and no clock, before the year 2200. */
#define WATTS_LIMIT 1e9
#define TIME_LIMIT 7258118400.0
/* Longest text of a time. */
#define TIME_MAX 64

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

/* The first of these names that a column has, whatever the case; or -1. */
static int find(const struct csv *csv, const char *const *name)
{
	for (; *name; name++)
		for (size_t i = 0; i < csv_columns(csv); i++)
			if (strcasecmp(csv_column_name(csv, i), *name) == 0)
				return (int)i;
	return -1;
}

/* Seconds since 1970, as such or as ISO 8601. */
static int read_time(struct csv *csv, size_t column, double *seconds)
{
	char text[TIME_MAX];
	size_t length;
	int64_t when_ns;
	const char *const field = csv_text(csv, column, &length);
	snprintf(text, sizeof text, "%.*s", length < sizeof text ? (int)length : 0, field);
	if (instant_parse_zoned(text, &when_ns) == 0) {
		*seconds = (double)when_ns / 1e9;
		return 0;
	}
	if (csv_number(csv, column, seconds) == 0 && *seconds >= 0 && *seconds < TIME_LIMIT)
		return 0;
	return csv_refuse(csv, column,
		"found '%.40s', expected seconds since 1970, or a time with its zone such as 2026-01-01T12:00:00.5+01:00", text);
}

static int add(struct report_meter *meter, struct csv *csv, size_t column, double time, double watts)
{
	if (meter->count == meter->capacity) {
		const size_t capacity = meter->capacity ? 2 * meter->capacity : 1024;
		double *const times = realloc(meter->time, capacity * sizeof *times);
		if (times)
			meter->time = times;
		double *const values = times ? realloc(meter->watts, capacity * sizeof *values) : NULL;
		if (!values)
			return csv_refuse(csv, column, "%s", strerror(errno));
		meter->watts = values;
		meter->capacity = capacity;
	}
	meter->time[meter->count] = time;
	meter->watts[meter->count++] = watts;
	return 0;
}

/* A clock that counts whole seconds shows several readings the same time: together they are one, their mean. */
static void join_readings(struct report_meter *meter)
{
	size_t joined = 0;
	for (size_t first = 0, after; first < meter->count; first = after) {
		double sum = 0;
		size_t known = 0;
		for (after = first; after < meter->count && meter->time[after] <= meter->time[first]; after++) {
			if (isnan(meter->watts[after]))
				continue;
			sum += meter->watts[after];
			known++;
		}
		meter->time[joined] = meter->time[first];
		meter->watts[joined++] = known ? sum / (double)known : NAN;
	}
	meter->count = joined;
}

static int read_row(struct report_meter *meter, struct csv *csv, size_t time_column, size_t watts_column)
{
	double time;
	double watts;
	if (read_time(csv, time_column, &time) != 0 || csv_number(csv, watts_column, &watts) != 0)
		return -1;
	if (watts < 0 || watts > WATTS_LIMIT)
		return csv_refuse(csv, watts_column, "found %g, expected a power in watts", watts);
	if (meter->count > 0 && time < meter->time[meter->count - 1])
		return csv_refuse(csv, time_column, "found a time %.6f s before that of the row before, expected times that grow",
			meter->time[meter->count - 1] - time);
	return add(meter, csv, watts_column, time, watts);
}

static int measure_gap(struct report_meter *meter)
{
	double *const length = malloc(meter->count * sizeof *length);
	if (!length)
		return -1;
	for (size_t i = 1; i < meter->count; i++)
		length[i - 1] = meter->time[i] - meter->time[i - 1];
	gsl_sort(length, 1, meter->count - 1);
	meter->gap = GAP_FACTOR * length[(meter->count - 1) / 2];
	free(length);
	return 0;
}

int report_meter_read(struct report_meter *meter, struct csv *csv, const char *name, char error[static CSV_ERROR_MAX])
{
	static const char *const times[] = {LOG_WALL, "time", "timestamp", "datetime", "date", NULL};
	static const char *const watts[] = {LOG_POWER, "power", "watts", "W", NULL};
	const int time_column = find(csv, times);
	const int watts_column = find(csv, watts);
	char columns[160];
	int more;
	*meter = (struct report_meter){0};
	if (time_column < 0 || watts_column < 0)
		return csv_fail(error,
			"%.160s:1: found the columns %s, expected a time (time_unix_s, time or timestamp) and "
			"a power (power_w, power or watts)",
			name, csv_print_columns(csv, columns, sizeof columns));
	while ((more = csv_next(csv)) > 0)
		if (read_row(meter, csv, (size_t)time_column, (size_t)watts_column) != 0)
			break;
	if (more != 0)
		return csv_fail(error, "%s", csv_error(csv));
	meter->is_cut = csv_is_cut(csv);
	const size_t readings = meter->count;
	join_readings(meter);
	if (meter->count < 2)
		return csv_fail(error, "%.300s: found %s, expected two or more", name,
			readings > 1    ? "all readings at one time"
			: readings == 1 ? "one reading"
					: "no reading");
	if (measure_gap(meter) == 0)
		return 0;
	return csv_fail(error, "%.300s: %s", name, strerror(errno));
}

void report_meter_free(struct report_meter *meter)
{
	free(meter->time);
	free(meter->watts);
	*meter = (struct report_meter){0};
}

/* ---- Means ------------------------------------------------------------------------------------------------------------ */

/* The last reading that is not after a moment; the first one where all are. */
static size_t find_reading(const struct report_meter *meter, double moment)
{
	size_t low = 0;
	size_t high = meter->count - 1;
	while (low < high) {
		const size_t middle = high - (high - low) / 2;
		if (meter->time[middle] <= moment)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

double report_meter_mean(const struct report_meter *meter, double start, double end)
{
	double energy = 0;
	double known = 0;
	for (size_t i = find_reading(meter, start); i + 1 < meter->count && meter->time[i] < end; i++) {
		const double before = meter->time[i];
		const double length = meter->time[i + 1] - before;
		const double from = fmax(before, start);
		const double to = fmin(meter->time[i + 1], end);
		if (!(to > from) || length > meter->gap || isnan(meter->watts[i]) || isnan(meter->watts[i + 1]))
			continue;
		const double at = ((from + to) / 2 - before) / length;
		energy += (to - from) * (meter->watts[i] + at * (meter->watts[i + 1] - meter->watts[i]));
		known += to - from;
	}
	return known >= (end - start) / 2 && known > 0 ? energy / known : NAN;
}

long report_meter_fill(const struct report_meter *meter, struct report_log *log, double offset)
{
	long known = 0;
	double *const power = realloc(log->power, log->count * sizeof *power);
	if (!power)
		return -1;
	log->power = power;
	for (size_t i = 0; i < log->count; i++) {
		const double start = report_log_monotonic(log, report_log_start(log, i)) + log->clock.usual + offset;
		power[i] = report_meter_mean(meter, start, log->monotonic[i] + log->clock.usual + offset);
		known += !isnan(power[i]);
	}
	return known;
}
