/* SPDX-License-Identifier: MIT */
#include "report/curve.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

/* From a member of a window to that of the next one. */
#define STRIDE (sizeof(struct report_window) / sizeof(double))
_Static_assert(
	sizeof(struct report_window) % sizeof(double) == 0, "the members of windows must lie a whole number of doubles apart");

static double level_of(const struct report_window *window)
{
	return isnan(window->target) ? window->load : window->target;
}

static int compare_levels(const void *a, const void *b)
{
	const double first = level_of(a);
	const double second = level_of(b);
	return (first > second) - (first < second);
}

static int compare_loads(const void *a, const void *b)
{
	const double first = ((const struct report_level *)a)->load;
	const double second = ((const struct report_level *)b)->load;
	return (first > second) - (first < second);
}

static struct report_level summarize(const struct report_window *window, size_t count)
{
	return (struct report_level){.load = gsl_stats_mean(&window->load, STRIDE, count),
		.throughput = gsl_stats_mean(&window->throughput, STRIDE, count),
		.deviation = count > 1 ? gsl_stats_sd(&window->throughput, STRIDE, count) : NAN,
		.windows = count};
}

int report_curve_make(struct report_curve *curve, const struct report_windows *windows)
{
	struct report_window *const sorted = malloc((windows->count + 1) * sizeof *sorted);
	*curve = (struct report_curve){.level = calloc(windows->count + 1, sizeof *curve->level)};
	if (!sorted || !curve->level) {
		free(sorted);
		return -1;
	}
	size_t count = 0;
	for (size_t i = 0; i < windows->count; i++)
		if (isfinite(windows->item[i].load) && isfinite(windows->item[i].throughput))
			sorted[count++] = windows->item[i];
	qsort(sorted, count, sizeof *sorted, compare_levels);
	for (size_t i = 0, first = 0; i < count; first = i) {
		do
			i++;
		while (i < count && fabs(sorted[i].target - sorted[first].target) < 0.005);
		curve->level[curve->count++] = summarize(&sorted[first], i - first);
	}
	qsort(curve->level, curve->count, sizeof *curve->level, compare_loads);
	free(sorted);
	return 0;
}

void report_curve_free(struct report_curve *curve)
{
	free(curve->level);
	*curve = (struct report_curve){0};
}
