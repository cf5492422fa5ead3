/* SPDX-License-Identifier: MIT */
#include "report/log.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/row_writer.h"

/* Targets that differ by less are the same: the log has six decimals. */
#define SAME_TARGET 2e-6
/* A smaller change of the target is no jump. */
#define JUMP_LEAST 0.001
/* How much larger than the changes around it a jump is. */
#define JUMP_FACTOR 4

/* With a load of 1 that is a part of what there is, see sst_feedback's ceiling. */
#define LOAD_MOST 1e6

enum { TIME, MONOTONIC, TARGET, POWER, BACKGROUND, LOAD, ARRAYS, CAPACITY = ARRAYS, WALL, COLUMNS };

/* A row is read in this order. */
static const struct column {
	const char *name;
	size_t array;       /* in a log */
	double least, most; /* what it may be */
	const char *expected;
} columns[COLUMNS] = {
	[TIME] = {.name = LOG_TIME, .array = offsetof(struct report_log, time)},
	[MONOTONIC] = {.name = LOG_MONOTONIC, .array = offsetof(struct report_log, monotonic)},
	[TARGET] = {LOG_TARGET, offsetof(struct report_log, target), 0, 1, "a load from 0 to 1"},
	[POWER] = {LOG_POWER, offsetof(struct report_log, power), 0, INFINITY, "a power in watts"},
	/* The difference of two measured loads: it may be a little below 0. */
	[BACKGROUND] = {LOG_BACKGROUND, offsetof(struct report_log, background), -1, 1, "a load from 0 to 1"},
	[LOAD] = {LOG_LOAD, offsetof(struct report_log, load), 0, LOAD_MOST, "a load from 0 to 1000000"},
	[CAPACITY] = {.name = "capacity"},
	[WALL] = {.name = LOG_WALL},
};

#define EVENT_SUFFIX "_per_s"
static const struct column of_event = {.most = INFINITY, .expected = "events per second"};

static double **array_of(struct report_log *log, int column)
{
	return (double **)(void *)((char *)log + columns[column].array);
}

bool report_log_is(const struct csv *csv)
{
	return csv_find(csv, columns[TIME].name) >= 0 && csv_find(csv, columns[LOAD].name) >= 0;
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

static int refuse_duplicates(const struct csv *csv, const char *name, char error[static CSV_ERROR_MAX])
{
	for (int i = 0; i < COLUMNS; i++) {
		size_t found = 0;
		for (size_t at = 0; at < csv_columns(csv); at++)
			found += strcmp(csv_column_name(csv, at), columns[i].name) == 0;
		if (found > 1)
			return csv_fail(error, "%.300s:1: found the column '%s' %zu times, expected it once", name,
				columns[i].name, found);
	}
	return 0;
}

/* The columns EVENT_per_s of a file with this header. 0, or -1 with errno. */
static int find_events(struct report_events *events, const struct csv *csv)
{
	const size_t suffix = strlen(EVENT_SUFFIX);
	events->item = calloc(csv_columns(csv) + 1, sizeof *events->item);
	for (size_t i = 0; events->item && i < csv_columns(csv); i++) {
		const char *const name = csv_column_name(csv, i);
		const size_t length = strlen(name);
		/* Who is watched may have any name. */
		if (strncmp(name, LOG_WATCHED, strlen(LOG_WATCHED)) == 0)
			continue;
		if (length <= suffix || strcmp(name + length - suffix, EVENT_SUFFIX) != 0)
			continue;
		struct report_event *const event = &events->item[events->count];
		*event = (struct report_event){.column = i, .name = strndup(name, length - suffix)};
		if (!event->name)
			return -1;
		events->count++;
	}
	return events->item ? 0 : -1;
}

static int resize(double **array, size_t rows)
{
	double *const larger = realloc(*array, rows * sizeof *larger);
	if (larger)
		*array = larger;
	return larger ? 0 : -1;
}

static int reserve(struct report_log *log, const int column[static COLUMNS], size_t rows)
{
	for (int i = 0; i < ARRAYS; i++)
		if (column[i] >= 0 && resize(array_of(log, i), rows) != 0)
			return -1;
	for (size_t i = 0; i < log->events.count; i++)
		if (resize(&log->events.item[i].rate, rows) != 0)
			return -1;
	return 0;
}

/* A time that lies behind that of the row before. */
static int read_time(struct csv *csv, size_t column, const double *before, double *value)
{
	if (csv_number(csv, column, value) != 0)
		return -1;
	if (isnan(*value))
		return csv_refuse(csv, column, "found nothing, expected a time in seconds");
	if (before && *value <= *before)
		return csv_refuse(csv, column, "found %.6f after %.6f, expected times that grow", *value, *before);
	return 0;
}

static int read_value(struct csv *csv, size_t at, const struct column *column, double *value)
{
	size_t length;
	const char *const text = csv_text(csv, at, &length);
	*value = NAN;
	if (column == &columns[BACKGROUND] && length == 3 && strncasecmp(text, "nan", length) == 0)
		return 0;
	if (csv_number(csv, at, value) != 0)
		return -1;
	if (*value < column->least || *value > column->most)
		return csv_refuse(csv, at, "found %g, expected %s", *value, column->expected);
	return 0;
}

/* A row whose load is to be a share of less than the machine: of so much of it. */
static int scale_row(struct report_log *log, struct csv *csv, const int column[static COLUMNS])
{
	double capacity;
	if (csv_number(csv, (size_t)column[CAPACITY], &capacity) != 0)
		return -1;
	if (!(capacity > 0 && capacity <= 1))
		return csv_refuse(csv, (size_t)column[CAPACITY],
			"found %g, expected a share of the machine, above 0 and at most 1", capacity);
	log->load[log->count] /= capacity;
	if (log->target)
		log->target[log->count] /= capacity;
	return 0;
}

static int read_wall(struct csv *csv, int column, double monotonic, struct report_values *offsets)
{
	double wall;
	if (report_clock_read(csv, column, &wall) != 0)
		return -1;
	/* Without a time of that clock there is nothing to compare it with. */
	if (isnan(monotonic) || report_clock_add(offsets, monotonic, wall) == 0)
		return 0;
	return csv_refuse(csv, (size_t)column, "%s", strerror(errno));
}

static int read_row(struct report_log *log, struct csv *csv, const int column[static COLUMNS], struct report_values *offsets)
{
	const size_t row = log->count;
	for (int i = 0; i < ARRAYS; i++) {
		double *const value = column[i] < 0 ? NULL : *array_of(log, i) + row;
		const size_t at = (size_t)column[i];
		const bool is_time = i == TIME || i == MONOTONIC;
		if (value && (is_time ? read_time(csv, at, row ? value - 1 : NULL, value)
				      : read_value(csv, at, &columns[i], value)) != 0)
			return -1;
	}
	for (size_t i = 0; i < log->events.count; i++)
		if (read_value(csv, log->events.item[i].column, &of_event, &log->events.item[i].rate[row]) != 0)
			return -1;
	if (column[WALL] >= 0 && read_wall(csv, column[WALL], log->monotonic ? log->monotonic[row] : NAN, offsets) != 0)
		return -1;
	return column[CAPACITY] >= 0 ? scale_row(log, csv, column) : 0;
}

/* Rows without a load may be as long as what is missing. */
static int find_interval(struct report_log *log)
{
	size_t count = 0;
	double *const length = malloc(log->count * sizeof *length);
	if (!length)
		return -1;
	for (size_t i = 1; i < log->count; i++)
		if (!isnan(log->load[i]))
			length[count++] = log->time[i] - log->time[i - 1];
	for (size_t i = 1; count == 0 && i < log->count; i++)
		length[i - 1] = log->time[i] - log->time[i - 1];
	if (count == 0)
		count = log->count - 1;
	gsl_sort(length, 1, count);
	log->interval = count ? length[count / 2] : log->time[0] > 0 ? log->time[0] : 1;
	free(length);
	return 0;
}

static void find_warmup(struct report_log *log)
{
	log->warmup = 0;
	while (log->warmup < log->count && log->time[log->warmup] + report_log_start(log, log->warmup) < 0)
		log->warmup++;
}

static int measure(struct report_log *log)
{
	log->is_gap = calloc(log->count, sizeof *log->is_gap);
	if (!log->is_gap || find_interval(log) != 0)
		return -1;
	find_warmup(log);
	return 0;
}

int report_log_read(struct report_log *log, struct csv *csv, const char *name, char error[static CSV_ERROR_MAX])
{
	size_t capacity = 0;
	int column[COLUMNS];
	int more = 0;
	struct report_values offsets = {0};
	*log = (struct report_log){.name = name};
	for (int i = 0; i < COLUMNS; i++)
		column[i] = csv_find(csv, columns[i].name);
	if (refuse_duplicates(csv, name, error) != 0)
		return -1;
	if (find_events(&log->events, csv) != 0)
		goto no_memory;
	while ((more = csv_next(csv)) > 0) {
		if (log->count == capacity) {
			capacity = capacity ? 2 * capacity : 1024;
			if (reserve(log, column, capacity) != 0)
				goto no_memory;
		}
		if (read_row(log, csv, column, &offsets) != 0)
			break;
		log->count++;
	}
	log->clock = report_clock_make(&offsets);
	if (more != 0)
		return csv_fail(error, "%s", csv_error(csv));
	log->is_cut = csv_is_cut(csv);
	if (log->count == 0)
		return csv_fail(error, "%.300s: found no whole row after the header", name);
	if (measure(log) == 0)
		return 0;
no_memory:
	report_clock_make(&offsets);
	return csv_fail(error, "%.300s: %s", name, strerror(errno));
}

void report_log_free(struct report_log *log)
{
	for (int i = 0; i < ARRAYS; i++)
		free(*array_of(log, i));
	for (size_t i = 0; i < log->events.count; i++) {
		free(log->events.item[i].name);
		free(log->events.item[i].rate);
	}
	free(log->events.item);
	free(log->is_gap);
	*log = (struct report_log){0};
}

/* ---- Time ------------------------------------------------------------------------------------------------------------- */

double report_log_start(const struct report_log *log, size_t row)
{
	if (row > 0)
		return log->time[row - 1];
	/* The first one under control, or what stands for all that is missing of that. */
	if (log->time[0] > 0 && (log->time[0] <= REPORT_GAP_FACTOR * log->interval || isnan(log->load[0])))
		return 0;
	/* Else it is as long as the next row, or as others, where that one stands for something that is missing. */
	return log->time[0] - (log->count > 1 && !isnan(log->load[1]) ? log->time[1] - log->time[0] : log->interval);
}

/* The first row that ends at or after a moment, at most the last one. */
static size_t find_row(const double *end, size_t count, double moment)
{
	size_t low = 0;
	size_t high = count - 1;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (end[middle] < moment)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* From one clock to another: straight lines between the ends of rows, of slope 1 outside. */
static double translate(const double *from, const double *to, size_t count, double moment)
{
	const size_t row = find_row(from, count, moment);
	if (row == 0 || moment >= from[row])
		return to[row] + (moment - from[row]);
	return to[row - 1] + (moment - from[row - 1]) * (to[row] - to[row - 1]) / (from[row] - from[row - 1]);
}

double report_log_monotonic(const struct report_log *log, double time)
{
	return translate(log->time, log->monotonic, log->count, time);
}

double report_log_time(const struct report_log *log, double monotonic)
{
	return translate(log->monotonic, log->time, log->count, monotonic);
}

/* The integral over the rows in which there is a value, and in `also`, where not NULL, and how many seconds these are. */
static double integrate(
	const struct report_log *log, const double *value, const double *also, double start, double end, double *known)
{
	double sum = 0;
	*known = 0;
	for (size_t i = find_row(log->time, log->count, start); value && i < log->count; i++) {
		const double from = fmax(report_log_start(log, i), start);
		const double to = fmin(log->time[i], end);
		if (report_log_start(log, i) >= end)
			break;
		if (to <= from || isnan(value[i]) || (also && isnan(also[i])))
			continue;
		sum += (to - from) * value[i];
		*known += to - from;
	}
	return sum;
}

double report_log_mean_of(const struct report_log *log, const double *value, double start, double end)
{
	double known;
	const double sum = integrate(log, value, NULL, start, end, &known);
	return sum / known;
}

struct report_mean report_log_mean(const struct report_log *log, double start, double end)
{
	double with_target;
	const double target = integrate(log, log->target, log->load, start, end, &with_target);
	struct report_mean mean = {.power = report_log_mean_of(log, log->power, start, end),
		.target = with_target > 0 ? target / with_target : report_log_mean_of(log, log->target, start, end)};
	const double load = integrate(log, log->load, NULL, start, end, &mean.known);
	mean.load = load / mean.known;
	mean.targeted = with_target;
	return mean;
}

/* ---- Target ----------------------------------------------------------------------------------------------------------- */

bool report_log_is_same(double target, double other)
{
	return fabs(target - other) <= SAME_TARGET;
}

bool report_log_is_free(const struct report_log *log, size_t row)
{
	return isnan(log->target[row]) && !log->is_gap[row];
}

static struct report_step make_step(const struct report_log *log, size_t first, size_t last)
{
	return (struct report_step){.first = first,
		.last = last,
		.start = report_log_start(log, first),
		.end = log->time[last],
		.target = log->target ? log->target[first] : NAN};
}

struct report_step *report_log_steps(const struct report_log *log, size_t *count)
{
	const size_t rows = log->count - log->warmup;
	struct report_step *const step = malloc((rows / REPORT_STEP_ROWS + 1) * sizeof *step);
	bool is_free = true;
	*count = 0;
	if (!step)
		return NULL;
	for (size_t first = log->warmup, last = first; log->target && first < log->count; first = ++last) {
		while (last + 1 < log->count && report_log_is_same(log->target[first], log->target[last + 1]))
			last++;
		if (isnan(log->target[first]))
			continue;
		is_free = false;
		if (last - first + 1 >= REPORT_STEP_ROWS)
			step[(*count)++] = make_step(log, first, last);
	}
	if (is_free && rows > 0) {
		step[0] = make_step(log, log->warmup, log->count - 1);
		step[0].target = NAN;
		*count = 1;
	}
	return step;
}

/* By how much the target changes at the beginning of a row; 0 where there is none before or after. What is missing lies between. */
static double change(const struct report_log *log, size_t row)
{
	if (row == 0 || row >= log->count)
		return 0;
	size_t before = row - 1;
	while (before > 0 && log->is_gap[before] && isnan(log->target[before]))
		before--;
	const double difference = log->target[row] - log->target[before];
	return isnan(difference) ? 0 : difference;
}

/* A change that is much larger than those before and after it. */
static bool stands_out(const struct report_log *log, double jump, size_t first, size_t last)
{
	const double before = first > 0 ? change(log, first - 1) : 0;
	return fabs(jump) >= JUMP_LEAST && JUMP_FACTOR * fabs(before) <= fabs(jump) &&
	       JUMP_FACTOR * fabs(change(log, last + 1)) <= fabs(jump);
}

bool report_log_is_jump(const struct report_log *log, size_t row)
{
	if (!log->target)
		return false;
	const double here = change(log, row);
	const double next = change(log, row + 1);
	/*
	 * The row in which it jumps may have a part of either target; then there are two changes in one direction. At the very
	 * beginning of a log they are taken for a slope.
	 */
	return stands_out(log, here, row, row) || (row > 1 && here * next > 0 && stands_out(log, here + next, row, row + 1));
}

size_t report_log_short_steps(const struct report_log *log)
{
	size_t count = 0;
	for (size_t row = log->warmup + 1; log->target && row + 2 < log->count; row++) {
		const bool is_pair = report_log_is_same(log->target[row], log->target[row + 1]) &&
				     !report_log_is_same(log->target[row - 1], log->target[row]) &&
				     !report_log_is_same(log->target[row + 1], log->target[row + 2]);
		/* The row in which the target jumped may lie in between. */
		if (is_pair && (report_log_is_jump(log, row) || report_log_is_jump(log, row - 1)) &&
			report_log_is_jump(log, row + 2))
			count++;
	}
	return count;
}

/* ---- Rows that are missing -------------------------------------------------------------------------------------------- */

/* What lies on either side of the beginning of control, at least, to be told apart. */
#define MOMENT 1e-3
/* In the place of the number of a row: there was none. */
#define NO_ROW ((size_t)-1)

/* Which row of the log stands at each place of the new one, and where those end that don't come from it. */
struct plan {
	size_t *row;
	double *end;
	size_t count;
};

static void add(struct plan *plan, size_t row, double end)
{
	plan->row[plan->count] = row;
	plan->end[plan->count++] = end;
}

/* What stands in front of a row. What belongs to the warm-up and to control, without a load, is divided. */
static void plan_gap(struct plan *plan, const struct report_log *log, size_t row)
{
	const double start = log->time[row - 1];
	const double end = log->time[row];
	/* Times that are so far from 0 that their differences vanish can't be divided. */
	const bool is_long =
		!isnan(log->load[row]) && end - start > REPORT_GAP_FACTOR * log->interval && end - log->interval < end;
	const double unknown = isnan(log->load[row]) ? end : is_long ? end - log->interval : start;
	if (start < -MOMENT && unknown > MOMENT)
		add(plan, NO_ROW, 0);
	if (is_long)
		add(plan, NO_ROW, unknown);
}

static int make_plan(struct plan *plan, const struct report_log *log)
{
	const size_t most = 3 * log->count;
	plan->row = malloc(most * sizeof *plan->row);
	plan->end = malloc(most * sizeof *plan->end);
	if (!plan->row || !plan->end)
		return -1;
	for (size_t i = 0; i < log->count; i++) {
		if (i > 0)
			plan_gap(plan, log, i);
		add(plan, i, log->time[i]);
	}
	return 0;
}

/* NULL stays NULL. */
static int rearrange(double **array, const struct plan *plan)
{
	double *const larger = *array ? malloc(plan->count * sizeof *larger) : NULL;
	if (!*array)
		return 0;
	if (!larger)
		return -1;
	for (size_t i = 0; i < plan->count; i++)
		larger[i] = plan->row[i] == NO_ROW ? NAN : (*array)[plan->row[i]];
	free(*array);
	*array = larger;
	return 0;
}

/* What is known of a row that was not there, between one that is complete and one of the file. */
static void describe(struct report_log *log, size_t row, size_t behind, double end)
{
	const size_t before = row - 1;
	log->time[row] = end;
	log->is_gap[row] = true;
	if (log->target && report_log_is_same(log->target[before], log->target[behind]))
		log->target[row] = log->target[behind];
	if (!log->monotonic)
		return;
	/* A clock that shows less time than the other: halfway. */
	const double then = log->monotonic[behind] - (log->time[behind] - end);
	log->monotonic[row] = then > log->monotonic[before] ? then : (log->monotonic[before] + log->monotonic[behind]) / 2;
}

static int apply(struct report_log *log, const struct plan *plan)
{
	bool *const is_gap = realloc(log->is_gap, plan->count * sizeof *is_gap);
	if (!is_gap)
		return -1;
	log->is_gap = is_gap;
	for (int i = 0; i < ARRAYS; i++)
		if (rearrange(array_of(log, i), plan) != 0)
			return -1;
	for (size_t i = 0; i < log->events.count; i++)
		if (rearrange(&log->events.item[i].rate, plan) != 0)
			return -1;
	log->count = plan->count;
	memset(log->is_gap, 0, plan->count * sizeof *log->is_gap);
	for (size_t i = 0; i < plan->count; i++)
		if (plan->row[i] == NO_ROW)
			describe(log, i, plan->row[i + 1] == NO_ROW ? i + 2 : i + 1, plan->end[i]);
	return 0;
}

int report_gaps_fill(struct report_log *log)
{
	struct plan plan = {0};
	int result = make_plan(&plan, log);
	if (result == 0 && plan.count > log->count)
		result = apply(log, &plan);
	free(plan.row);
	free(plan.end);
	find_warmup(log);
	return result;
}

struct report_gaps report_gaps_measure(const struct report_log *log)
{
	struct report_gaps gaps = {0};
	for (size_t row = log->warmup < log->count ? log->warmup : 0; row < log->count; row++) {
		const double length = report_log_length(log, row);
		gaps.whole += length;
		gaps.unknown += isnan(log->load[row]) ? length : 0;
	}
	return gaps;
}
