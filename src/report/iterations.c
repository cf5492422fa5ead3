/* SPDX-License-Identifier: MIT */
#include "report/iterations.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { START, END, INSTANCE, WALL, COLUMNS };
static const char *const names[COLUMNS] = {"start_s", "end_s", "instance", REPORT_WALL_COLUMN};

bool report_iterations_is(const struct csv *csv)
{
	return csv_find(csv, names[START]) >= 0 && csv_find(csv, names[END]) >= 0;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

static int read_time(struct csv *csv, int column, double *value)
{
	if (csv_number(csv, (size_t)column, value) != 0)
		return -1;
	return isnan(*value) ? csv_refuse(csv, (size_t)column, "found nothing, expected a time in seconds") : 0;
}

struct before {
	double instance, end;          /* of the row before; NaN: none */
	struct report_offsets offsets; /* of all rows before */
};

static int read_row(struct csv *csv, const int column[static COLUMNS], struct before *before, struct report_iteration *iteration)
{
	double instance = NAN;
	double wall = NAN;
	if (read_time(csv, column[START], &iteration->start) != 0 || read_time(csv, column[END], &iteration->end) != 0)
		return -1;
	if (column[INSTANCE] >= 0 && csv_number(csv, (size_t)column[INSTANCE], &instance) != 0)
		return -1;
	if (iteration->end < iteration->start)
		return csv_refuse(csv, (size_t)column[END], "found %.9f, expected a time from the start, %.9f, on",
			iteration->end, iteration->start);
	if (instance == before->instance && iteration->end < before->end)
		return csv_refuse(csv, (size_t)column[END], "found %.9f after %.9f, expected the order in which iterations ended",
			iteration->end, before->end);
	if (column[WALL] >= 0 && report_clock_read(csv, column[WALL], &wall) != 0)
		return -1;
	if (report_offsets_add(&before->offsets, iteration->end, wall) != 0)
		return csv_refuse(csv, (size_t)column[END], "%s", strerror(errno));
	before->instance = instance;
	before->end = iteration->end;
	return 0;
}

int report_iterations_read(
	struct report_iterations *iterations, struct csv *csv, const char *name, bool *is_cut, char error[static CSV_ERROR_MAX])
{
	struct before before = {.instance = NAN, .end = NAN};
	int column[COLUMNS];
	int more;
	for (int i = 0; i < COLUMNS; i++)
		column[i] = csv_find(csv, names[i]);
	while ((more = csv_next(csv)) > 0) {
		if (iterations->count == iterations->capacity) {
			const size_t capacity = iterations->capacity ? 2 * iterations->capacity : 256;
			struct report_iteration *const larger = realloc(iterations->item, capacity * sizeof *larger);
			if (!larger) {
				snprintf(error, CSV_ERROR_MAX, "%.300s: %s", name, strerror(errno));
				report_offsets_clock(&before.offsets);
				return -1;
			}
			iterations->item = larger;
			iterations->capacity = capacity;
		}
		if (read_row(csv, column, &before, &iterations->item[iterations->count]) != 0)
			break;
		iterations->count++;
	}
	iterations->clock = report_offsets_clock(&before.offsets);
	if (more != 0) {
		memcpy(error, csv_error(csv), CSV_ERROR_MAX);
		return -1;
	}
	*is_cut = csv_is_cut(csv);
	return 0;
}

void report_iterations_free(struct report_iterations *iterations)
{
	free(iterations->item);
	*iterations = (struct report_iterations){0};
}

/* ---- Counting --------------------------------------------------------------------------------------------------------- */

struct report_iteration report_iterations_span(const struct report_iterations *iterations)
{
	struct report_iteration span = iterations->item[0];
	for (size_t i = 1; i < iterations->count; i++) {
		span.start = fmin(span.start, iterations->item[i].start);
		span.end = fmax(span.end, iterations->item[i].end);
	}
	return span;
}

static bool has_ended(const struct report_stretch *stretch, double moment)
{
	return stretch->end <= moment;
}

static bool has_begun(const struct report_stretch *stretch, double moment)
{
	return stretch->start < moment;
}

/* The number of stretches for which that is so at a moment: the first ones. */
static size_t count_until(const struct report_stretch *stretch, size_t count, double moment,
	bool (*is_so)(const struct report_stretch *stretch, double moment))
{
	size_t low = 0;
	size_t high = count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (is_so(&stretch[middle], moment))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* One that took no time lies in a stretch whole, also at the very end of the last one. */
static void count_instant(double moment, const struct report_stretch *stretch, size_t count, double *sum)
{
	size_t at = count_until(stretch, count, moment, has_ended);
	if (at == count && count > 0 && stretch[count - 1].end == moment)
		at = count - 1;
	if (at < count && stretch[at].start <= moment)
		sum[at]++;
}

/*
 * An iteration may span any number of stretches. Those at its two ends are counted at once; for those between, all of which lie
 * in it whole, only where they begin and end is noted (rate), so that an iteration costs the same however long it is.
 */
int report_iterations_count(
	const struct report_iterations *iterations, const struct report_stretch *stretch, size_t count, double *sum)
{
	double *const rate = calloc(count + 1, sizeof *rate);
	if (!rate)
		return -1;
	for (size_t i = 0; i < count; i++)
		sum[i] = 0;
	for (size_t i = 0; i < iterations->count; i++) {
		const struct report_iteration *const item = &iterations->item[i];
		const double length = item->end - item->start;
		if (length <= 0) {
			count_instant(item->start, stretch, count, sum);
			continue;
		}
		const size_t first = count_until(stretch, count, item->start, has_ended);
		const size_t after = count_until(stretch, count, item->end, has_begun);
		if (first >= after)
			continue;
		const size_t last = after - 1;
		sum[first] += (fmin(item->end, stretch[first].end) - fmax(item->start, stretch[first].start)) / length;
		if (last > first)
			sum[last] += (fmin(item->end, stretch[last].end) - stretch[last].start) / length;
		if (last > first + 1) {
			rate[first + 1] += 1 / length;
			rate[last] -= 1 / length;
		}
	}
	double now = 0;
	for (size_t i = 0; i < count; i++) {
		now += rate[i];
		if (now > 0)
			sum[i] += now * (stretch[i].end - stretch[i].start);
	}
	free(rate);
	return 0;
}
