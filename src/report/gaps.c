/* SPDX-License-Identifier: MIT */
#include "report/gaps.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
	double **const array[] = {&log->time, &log->monotonic, &log->target, &log->load, &log->power, &log->others};
	for (size_t i = 0; i < sizeof array / sizeof *array; i++)
		if (rearrange(array[i], plan) != 0)
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
	report_log_find_warmup(log);
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
