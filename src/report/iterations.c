/* SPDX-License-Identifier: MIT */
#include "report/iterations.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { START, END, INSTANCE, ITERATION, STATUS, WALL, COLUMNS };
static const char *const names[COLUMNS] = {"start_s", "end_s", "instance", "iteration", "status", LOG_WALL};

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
	double instance, end, status; /* of the row before; NaN: none */
	struct report_values offsets; /* of all rows before */
};

static int read_row(struct csv *csv, const int column[static COLUMNS], struct before *before, struct report_iteration *iteration)
{
	double instance = NAN;
	double wall = NAN;
	if (read_time(csv, column[START], &iteration->start) != 0 || read_time(csv, column[END], &iteration->end) != 0)
		return -1;
	if (column[INSTANCE] >= 0 && csv_number(csv, (size_t)column[INSTANCE], &instance) != 0)
		return -1;
	before->status = NAN;
	/* In tables of others it may be anything. */
	if (column[STATUS] >= 0 && column[ITERATION] >= 0 && csv_number(csv, (size_t)column[STATUS], &before->status) != 0)
		return -1;
	if (iteration->end < iteration->start)
		return csv_refuse(csv, (size_t)column[END], "found %.9f, expected a time from the start, %.9f, on",
			iteration->end, iteration->start);
	if (instance == before->instance && iteration->end < before->end)
		return csv_refuse(csv, (size_t)column[END], "found %.9f after %.9f, expected the order in which iterations ended",
			iteration->end, before->end);
	if (column[WALL] >= 0 && report_clock_read(csv, column[WALL], &wall) != 0)
		return -1;
	if (report_clock_add(&before->offsets, iteration->end, wall) != 0)
		return csv_refuse(csv, (size_t)column[END], "%s", strerror(errno));
	before->instance = instance;
	before->end = iteration->end;
	return 0;
}

/* A record without an iteration is of those that are missing. */
static bool is_gap(const struct csv *csv, const int column[static COLUMNS])
{
	size_t length = 1;
	if (column[ITERATION] >= 0)
		csv_text(csv, (size_t)column[ITERATION], &length);
	return length == 0;
}

static int add_gap(struct report_iterations *iterations, struct report_iteration gap)
{
	struct report_iteration *const larger = realloc(iterations->gap, (iterations->gaps + 1) * sizeof *larger);
	if (!larger)
		return -1;
	iterations->gap = larger;
	larger[iterations->gaps++] = gap;
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
				csv_fail(error, "%.300s: %s", name, strerror(errno));
				report_clock_make(&before.offsets);
				return -1;
			}
			iterations->item = larger;
			iterations->capacity = capacity;
		}
		if (read_row(csv, column, &before, &iterations->item[iterations->count]) != 0)
			break;
		if (!is_gap(csv, column)) {
			if (fabs(before.status) > 0)
				iterations->failed++;
			else
				iterations->count++;
		} else if (add_gap(iterations, iterations->item[iterations->count]) != 0) {
			csv_refuse(csv, (size_t)column[ITERATION], "%s", strerror(errno));
			break;
		}
	}
	iterations->clock = report_clock_make(&before.offsets);
	if (more != 0)
		return csv_fail(error, "%s", csv_error(csv));
	*is_cut = csv_is_cut(csv);
	return 0;
}

void report_iterations_free(struct report_iterations *iterations)
{
	free(iterations->item);
	free(iterations->gap);
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
static int count_all(const struct report_iterations *iterations, const struct report_stretch *stretch, size_t count, double *sum)
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

/* ---- Missing records -------------------------------------------------------------------------------------------------- */

static int compare_starts(const void *a, const void *b)
{
	const double first = ((const struct report_iteration *)a)->start;
	const double second = ((const struct report_iteration *)b)->start;
	return (first > second) - (first < second);
}

/* Sorted, none touching the next one: in the same place. Returns how many they are then. */
static size_t join_gaps(struct report_iteration *gap, size_t count)
{
	size_t joined = 0;
	if (count > 0)
		qsort(gap, count, sizeof *gap, compare_starts);
	for (size_t i = 0; i < count; i++) {
		if (joined > 0 && gap[i].start <= gap[joined - 1].end)
			gap[joined - 1].end = fmax(gap[joined - 1].end, gap[i].end);
		else
			gap[joined++] = gap[i];
	}
	return joined;
}

double report_iterations_missing(const struct report_iterations *iterations)
{
	double missing = 0;
	for (size_t i = 0; i < iterations->gaps; i++)
		missing += iterations->gap[i].end - iterations->gap[i].start;
	return missing;
}

int report_iterations_add_gaps(struct report_iterations *iterations, const struct report_iterations *others, double shift)
{
	for (size_t i = 0; i < others->gaps; i++) {
		const struct report_iteration gap = {.start = report_clock_move(others->gap[i].start, shift),
			.end = report_clock_move(others->gap[i].end, shift)};
		if (add_gap(iterations, gap) != 0)
			return -1;
	}
	iterations->gaps = join_gaps(iterations->gap, iterations->gaps);
	return 0;
}

/* What is left of stretches beside the gaps, in pieces: so many, and of which stretch each is. */
static size_t cut_out(const struct report_iterations *iterations, const struct report_stretch *stretch, size_t count,
	struct report_stretch *piece, size_t *whole)
{
	size_t pieces = 0;
	size_t gap = 0;
	for (size_t i = 0; i < count; i++) {
		double from = stretch[i].start;
		while (gap < iterations->gaps && iterations->gap[gap].end <= from)
			gap++;
		for (size_t next = gap; from < stretch[i].end; next++) {
			const bool is_last = next >= iterations->gaps || iterations->gap[next].start >= stretch[i].end;
			const double to = is_last ? stretch[i].end : iterations->gap[next].start;
			if (to > from) {
				piece[pieces] = (struct report_stretch){.start = from, .end = to};
				whole[pieces++] = i;
			}
			from = is_last ? stretch[i].end : iterations->gap[next].end;
		}
	}
	return pieces;
}

int report_iterations_count(const struct report_iterations *iterations, const struct report_stretch *stretch, size_t count,
	double *sum, double *known)
{
	for (size_t i = 0; i < count; i++)
		known[i] = stretch[i].end - stretch[i].start;
	if (iterations->gaps == 0)
		return count_all(iterations, stretch, count, sum);
	const size_t most = count + iterations->gaps;
	struct report_stretch *const piece = calloc(most, sizeof *piece);
	double *const part = calloc(most, sizeof *part);
	size_t *const whole = calloc(most, sizeof *whole);
	int result = -1;
	if (piece && part && whole) {
		const size_t pieces = cut_out(iterations, stretch, count, piece, whole);
		result = count_all(iterations, piece, pieces, part);
		for (size_t i = 0; i < count; i++)
			sum[i] = known[i] = 0;
		for (size_t i = 0; i < pieces; i++) {
			sum[whole[i]] += part[i];
			known[whole[i]] += piece[i].end - piece[i].start;
		}
	}
	free(piece);
	free(part);
	free(whole);
	return result;
}
