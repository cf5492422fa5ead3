/* SPDX-License-Identifier: MIT */
#include "report/values.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

int report_values_add(struct report_values *values, double value)
{
	if (values->count == values->capacity) {
		const size_t capacity = values->capacity ? 2 * values->capacity : 256;
		double *const larger = realloc(values->item, capacity * sizeof *larger);
		if (!larger)
			return -1;
		values->item = larger;
		values->capacity = capacity;
	}
	values->item[values->count++] = value;
	return 0;
}

void report_values_free(struct report_values *values)
{
	free(values->item);
	*values = (struct report_values){0};
}

void report_values_sort(struct report_values *values)
{
	gsl_sort(values->item, 1, values->count);
}

double report_values_mean(const struct report_values *values)
{
	return gsl_stats_mean(values->item, 1, values->count);
}

double report_values_quantile(const struct report_values *values, double share)
{
	const double quantile = gsl_stats_quantile_from_sorted_data(values->item, 1, values->count, share);
	const size_t below = (size_t)((double)(values->count - 1) * share);
	const size_t above = below + 1 < values->count ? below + 1 : below;
	/* Between two values that are the same, rounding may put it beside both. */
	return fmin(fmax(quantile, values->item[below]), values->item[above]);
}

struct report_box report_values_box(const struct report_values *values)
{
	struct report_box box = {.first = report_values_quantile(values, 0.25),
		.median = report_values_quantile(values, 0.5),
		.third = report_values_quantile(values, 0.75)};
	const double reach = REPORT_WHISKER * (box.third - box.first);
	while (values->item[box.below] < box.first - reach)
		box.below++;
	while (values->item[values->count - 1 - box.above] > box.third + reach)
		box.above++;
	/* A quartile lies between two values, of which the outer one may be an outlier: no whisker ends inside of the box. */
	box.low = fmin(values->item[box.below], box.first);
	box.high = fmax(values->item[values->count - 1 - box.above], box.third);
	return box;
}
