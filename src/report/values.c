/* SPDX-License-Identifier: MIT */
#include "report/values.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
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

/* ---- Polynomials ------------------------------------------------------------------------------------------------------- */

/* Squares below this share of all are rounding: the points lie on the curve. */
#define ROUNDING 1e-24

static bool can_be_fitted(const double *x, const double *y, size_t count, int degree)
{
	double seen[POLYNOMIAL_MOST + 1];
	int different = 0;
	for (size_t i = 0; i < count; i++) {
		if (!isfinite(x[i]) || !isfinite(y[i]))
			return false;
		bool is_new = different <= degree;
		for (int at = 0; is_new && at < different; at++)
			is_new = seen[at] != x[i];
		if (is_new)
			seen[different++] = x[i];
	}
	return different > degree;
}

/* From what the fit left over, and the t of its highest coefficient. */
static void judge(struct polynomial *result, const gsl_matrix *covariance, double left, double squares, double t)
{
	const double count = (double)result->count;
	const double terms = result->degree + 1;
	const double freedom = count - terms;
	const double parameters = terms + 1; /* the variance is one, too */
	for (int i = 0; i <= result->degree; i++)
		result->error[i] = freedom > 0 ? sqrt(gsl_matrix_get(covariance, (size_t)i, (size_t)i)) : NAN;
	result->residual_sd = freedom > 0 ? sqrt(left / freedom) : NAN;
	result->r2 = squares > 0 ? 1 - left / squares : NAN;
	result->adjusted_r2 = freedom > 0 ? 1 - (1 - result->r2) * (count - 1) / freedom : NAN;
	result->p = NAN;
	result->aicc = NAN;
	if (left <= 0)
		return;
	if (freedom > 0)
		result->p = 2 * gsl_cdf_tdist_Q(fabs(t), freedom);
	if (count - parameters - 1 > 0)
		result->aicc =
			count * log(left / count) + 2 * parameters + 2 * parameters * (parameters + 1) / (count - parameters - 1);
}

/* From powers of (x - middle) / width to those of x: coefficients, and how they vary together. */
static void unscale(gsl_vector *found, gsl_matrix *covariance, double middle, double width)
{
	const double a = 1 / width;
	const double b = -middle / width;
	const double to[POLYNOMIAL_MOST + 1][POLYNOMIAL_MOST + 1] = {{1, b, b * b}, {0, a, 2 * a * b}, {0, 0, a * a}};
	const size_t terms = found->size;
	double coefficient[POLYNOMIAL_MOST + 1] = {0};
	double varied[POLYNOMIAL_MOST + 1][POLYNOMIAL_MOST + 1] = {{0}};
	for (size_t i = 0; i < terms; i++)
		for (size_t k = 0; k < terms; k++) {
			coefficient[i] += to[i][k] * gsl_vector_get(found, k);
			for (size_t j = 0; j < terms; j++)
				for (size_t l = 0; l < terms; l++)
					varied[i][j] += to[i][k] * gsl_matrix_get(covariance, k, l) * to[j][l];
		}
	for (size_t i = 0; i < terms; i++) {
		gsl_vector_set(found, i, coefficient[i]);
		for (size_t j = 0; j < terms; j++)
			gsl_matrix_set(covariance, i, j, varied[i][j]);
	}
}

int polynomial_fit(const double *x, const double *y, size_t count, int degree, struct polynomial *result)
{
	const size_t terms = (size_t)degree + 1;
	double left;
	double least;
	double most;
	*result = (struct polynomial){.count = count, .degree = degree};
	if (!can_be_fitted(x, y, count, degree)) {
		errno = EINVAL;
		return -1;
	}
	gsl_stats_minmax(&least, &most, x, 1, count);
	/* Far from 0, as times since 1970 are, powers of x itself can't be told apart. */
	const double middle = least / 2 + most / 2;
	const double width = most / 2 - least / 2;
	gsl_matrix *const powers = gsl_matrix_alloc(count, terms);
	gsl_matrix *const covariance = gsl_matrix_alloc(terms, terms);
	gsl_vector *const found = gsl_vector_alloc(terms);
	gsl_multifit_linear_workspace *const work = gsl_multifit_linear_alloc(count, terms);
	int status = -1;
	if (powers && covariance && found && work) {
		for (size_t i = 0; i < count; i++)
			for (size_t power = 0; power < terms; power++)
				gsl_matrix_set(powers, i, power, pow((x[i] - middle) / width, (double)power));
		const gsl_vector_const_view values = gsl_vector_const_view_array(y, count);
		status = gsl_multifit_linear(powers, &values.vector, found, covariance, &left, work) == 0 ? 0 : -1;
	}
	if (status == 0) {
		const double squares = gsl_stats_tss(y, 1, count);
		/* Of the highest term the test is the same in either form, and not spoilt by what the others take from it. */
		const double highest = gsl_vector_get(found, terms - 1);
		const double error = sqrt(gsl_matrix_get(covariance, terms - 1, terms - 1));
		unscale(found, covariance, middle, width);
		for (size_t i = 0; i < terms; i++)
			result->coefficient[i] = gsl_vector_get(found, i);
		judge(result, covariance, left < ROUNDING * squares ? 0 : left, squares, highest / error);
	} else {
		errno = ENOMEM;
	}
	gsl_matrix_free(powers);
	gsl_matrix_free(covariance);
	gsl_vector_free(found);
	if (work)
		gsl_multifit_linear_free(work);
	return status;
}

double polynomial_weight(const struct polynomial *one, const struct polynomial *other)
{
	return 1 / (1 + exp((one->aicc - other->aicc) / 2));
}

/* ---- Clocks ------------------------------------------------------------------------------------------------------------ */

/*
 * Where the wall clock is not set, the difference stays the same within microseconds, also while NTP makes it faster or slower: that
 * changes CLOCK_MONOTONIC as much. So one number per file is enough to join files. The median is what held for most of a file.
 */
/* Differences of files of one boot are closer together than this. If other files are as close, either clock joins them as well. */
#define SAME_BOOT_S 0.01

int report_clock_read(struct csv *csv, int column, double *wall)
{
	if (csv_number(csv, (size_t)column, wall) != 0)
		return -1;
	if (*wall < 0)
		return csv_refuse(csv, (size_t)column, "found %g, expected seconds since 1970", *wall);
	return 0;
}

int report_clock_add(struct report_values *offsets, double monotonic, double wall)
{
	return isnan(wall) ? 0 : report_values_add(offsets, wall - monotonic);
}

struct report_clock report_clock_make(struct report_values *offsets)
{
	struct report_clock clock = {0};
	if (offsets->count > 0) {
		clock = (struct report_clock){
			.is_known = true, .first = offsets->item[0], .last = offsets->item[offsets->count - 1]};
		report_values_sort(offsets);
		clock.usual = offsets->item[offsets->count / 2];
	}
	report_values_free(offsets);
	return clock;
}

bool report_clock_is_same(const struct report_clock *a, const struct report_clock *b)
{
	return fabs(a->usual - b->usual) < SAME_BOOT_S || fabs(a->first - b->first) < SAME_BOOT_S ||
	       fabs(a->last - b->last) < SAME_BOOT_S;
}

bool report_clock_needs_wall(enum report_join join, const struct report_clock *file, const struct report_clock *reference)
{
	return join != REPORT_JOIN_MONOTONIC && file->is_known && reference->is_known &&
	       (join == REPORT_JOIN_WALL || !report_clock_is_same(file, reference));
}

double report_clock_shift(enum report_join join, const struct report_clock *file, const struct report_clock *reference)
{
	if (!report_clock_needs_wall(join, file, reference))
		return 0;
	/* Files have microseconds; the rest is what a double leaves of numbers this large. */
	return round((file->usual - reference->usual) * 1e6) / 1e6;
}

double report_clock_move(double time, double shift)
{
	/* What was read from decimals is so what those of the other clock would have given, to the last bit. */
	return shift == 0 ? time : round((time + shift) * 1e9) / 1e9;
}

double report_clock_moved(const struct report_clock *clock)
{
	return clock->last - clock->first;
}
