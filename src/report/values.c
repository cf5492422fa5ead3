/* SPDX-License-Identifier: MIT */
#include "report/values.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
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

/* How likely an estimate at least so far from 0 is when the true value is 0. */
static double p_value(double estimate, double sd, size_t freedom)
{
	const double t = fabs(estimate / sd);
	if (freedom == 0 || isnan(t))
		return NAN;
	return isinf(t) ? 0 : 2 * gsl_cdf_tdist_Q(t, (double)freedom);
}

int regression_fit(const double *x, const double *y, size_t stride, size_t count, struct regression *result)
{
	double variance_intercept;
	double covariance;
	double variance_slope;
	double residual_squares;
	size_t different = 0;
	*result = (struct regression){count, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	for (size_t i = 0; i < count * stride; i += stride) {
		if (!isfinite(x[i]) || !isfinite(y[i]))
			return -1;
		different += x[i] != x[0];
	}
	if (count < REGRESSION_LEAST || different == 0)
		return -1;
	gsl_fit_linear(x, stride, y, stride, count, &result->intercept, &result->slope, &variance_intercept, &covariance,
		&variance_slope, &residual_squares);
	const size_t freedom = count - 2;
	const double squares = gsl_stats_tss(y, stride, count);
	result->r2 = squares > 0 ? 1 - residual_squares / squares : NAN;
	result->residual_sd = freedom > 0 ? sqrt(residual_squares / (double)freedom) : NAN;
	result->slope_sd = freedom > 0 ? sqrt(variance_slope) : NAN;
	result->intercept_sd = freedom > 0 ? sqrt(variance_intercept) : NAN;
	result->slope_p = p_value(result->slope, result->slope_sd, freedom);
	result->intercept_p = p_value(result->intercept, result->intercept_sd, freedom);
	return 0;
}

/*
 * Shares have the score interval of Wilson (1927): all p that are so near to the mean that (mean - p)^2 <= c p (1 - p). For independent
 * samples c is z^2 / n. Samples of one run are not independent, so n is an effective number, the one whose share would scatter as those of the
 * runs do, and t takes the place of z (Korn and Graubard 1998, who do so for the exact interval).
 */

/* The mean, with the variance of single values. */
static struct report_interval measure(const double *value, size_t count, double *variance)
{
	struct report_interval result = {.mean = NAN, .low = NAN, .high = NAN};
	double sum = 0;
	double squares = 0;
	*variance = NAN;
	for (size_t i = 0; i < count; i++) {
		if (isnan(value[i]))
			continue;
		result.count++;
		sum += value[i];
	}
	if (result.count == 0)
		return result;
	result.mean = sum / (double)result.count;
	if (result.count == 1)
		return result;
	for (size_t i = 0; i < count; i++)
		if (!isnan(value[i]))
			squares += (value[i] - result.mean) * (value[i] - result.mean);
	*variance = squares / (double)(result.count - 1);
	return result;
}

static double quantile_of_t(size_t count)
{
	return gsl_cdf_tdist_Pinv((1 + REPORT_CONFIDENCE) / 2, (double)count - 1);
}

struct report_interval report_interval(const double *value, size_t count)
{
	double variance;
	struct report_interval result = measure(value, count, &variance);
	if (result.count < 2)
		return result;
	const double half = quantile_of_t(result.count) * sqrt(variance / (double)result.count);
	result.low = result.mean - half;
	result.high = result.mean + half;
	return result;
}

struct report_interval report_interval_of_shares(const double *share, size_t count, double samples)
{
	double variance;
	struct report_interval result = measure(share, count, &variance);
	if (result.count < 2)
		return result;
	const double p = result.mean;
	const double t = quantile_of_t(result.count);
	const double z = gsl_cdf_ugaussian_Pinv((1 + REPORT_CONFIDENCE) / 2);
	/* Runs that scatter less than independent samples would do so by chance; where all or none are counted they can't scatter. */
	const double independent = z * z / samples;
	const double scattered = p > 0 && p < 1 ? t * t * variance / ((double)result.count * p * (1 - p)) : 0;
	const double c = fmax(independent, scattered);
	const double middle = (p + c / 2) / (1 + c);
	const double half = sqrt(c * p * (1 - p) + c * c / 4) / (1 + c);
	/* They lie within by themselves; rounding may add a bit. */
	result.low = fmax(middle - half, 0);
	result.high = fmin(middle + half, 1);
	return result;
}
