/* SPDX-License-Identifier: MIT */
#include "report/hypothesis.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/splitmix.h"

/* What two numbers may differ by, as a share of them, although they were meant to be the same. */
#define ROUNDING 1e-13

static const struct report_test unknown = {NAN, NAN, NAN, NAN, {NAN, NAN}, NAN};

static double variance_of(const struct report_values *values)
{
	return gsl_stats_variance(values->item, 1, values->count);
}

/* ---- Two samples -------------------------------------------------------------------------------------------------------- */

/* An estimate with its standard error, by Student's t. */
static struct report_test t_test(double estimate, double error, double freedom)
{
	struct report_test result = unknown;
	result.estimate = estimate;
	if (!(error > 0) || !isfinite(error) || !(freedom > 0))
		return result;
	const double half = gsl_cdf_tdist_Pinv((1 + REPORT_CONFIDENCE) / 2, freedom) * error;
	result.low = estimate - half;
	result.high = estimate + half;
	result.statistic = estimate / error;
	result.freedom[0] = freedom;
	result.p = 2 * gsl_cdf_tdist_Q(fabs(result.statistic), freedom);
	return result;
}

struct report_test report_welch_t(const struct report_values *a, const struct report_values *b)
{
	const double of_a = variance_of(a) / (double)a->count;
	const double of_b = variance_of(b) / (double)b->count;
	const double share = of_a / (of_a + of_b);
	const double freedom = 1 / (share * share / (double)(a->count - 1) + (1 - share) * (1 - share) / (double)(b->count - 1));
	return t_test(report_values_mean(b) - report_values_mean(a), sqrt(of_a + of_b), freedom);
}

struct report_test report_paired_t(const struct report_values *differences, double size)
{
	const double count = (double)differences->count;
	const double error = sqrt(variance_of(differences) / count);
	return t_test(report_values_mean(differences), error > ROUNDING * size ? error : 0, count - 1);
}

/* ---- Bounds ------------------------------------------------------------------------------------------------------------- */

/* Of p-values of lying above the lower bound and below the upper one, and of lying on their other sides; NaN where there is no bound. */
static void place_by(struct report_bounded *place, const double within[2], const double beyond[2])
{
	place->inside = fmax(within[0], within[1]);
	place->outside = fmin(beyond[0], beyond[1]);
}

struct report_bounded report_mean_within(const struct report_values *values, double low, double high)
{
	struct report_bounded place = {NAN, NAN, NAN, NAN};
	if (values->count < 2)
		return place;
	const double mean = report_values_mean(values);
	const double freedom = (double)values->count - 1;
	const double error = sqrt(variance_of(values) / (double)values->count);
	if (!(error > ROUNDING * fabs(mean)) || !isfinite(error))
		return place;
	const double half = gsl_cdf_tdist_Pinv((1 + REPORT_CONFIDENCE) / 2, freedom) * error;
	const double bound[2] = {low, high};
	double within[2] = {NAN, NAN};
	double beyond[2] = {NAN, NAN};
	for (int i = 0; i < 2; i++)
		if (isfinite(bound[i])) {
			const double t = (i == 0 ? mean - low : high - mean) / error;
			within[i] = gsl_cdf_tdist_Q(t, freedom);
			beyond[i] = gsl_cdf_tdist_P(t, freedom);
		}
	place.low = mean - half;
	place.high = mean + half;
	place_by(&place, within, beyond);
	return place;
}

static struct report_bounded share_within(unsigned ones, unsigned count, double low, double high)
{
	struct report_bounded place = {NAN, NAN, NAN, NAN};
	const double bound[2] = {fmax(low, 0), fmin(high, 1)};
	double within[2] = {NAN, NAN};
	double beyond[2] = {NAN, NAN};
	for (int i = 0; i < 2; i++) {
		const double at_least = ones == 0 ? 1 : gsl_cdf_binomial_Q(ones - 1, bound[i], count);
		const double at_most = gsl_cdf_binomial_P(ones, bound[i], count);
		/* No share is less than 0 or more than 1. */
		if (i == 0 ? low > 0 : high < 1) {
			within[i] = i == 0 ? at_least : at_most;
			beyond[i] = i == 0 ? at_most : at_least;
		}
	}
	if (!(low > 0) && !(high < 1))
		return (struct report_bounded){NAN, NAN, 0, 1};
	place_by(&place, within, beyond);
	return place;
}

static unsigned ones_of(const struct report_values *values)
{
	unsigned ones = 0;
	for (size_t i = 0; i < values->count; i++)
		ones += values->item[i] > 0;
	return ones;
}

struct report_bounded report_share_within(const struct report_values *values, double low, double high)
{
	const unsigned count = (unsigned)values->count;
	const unsigned ones = ones_of(values);
	const double miss = (1 - REPORT_CONFIDENCE) / 2;
	if (count == 0)
		return (struct report_bounded){NAN, NAN, NAN, NAN};
	struct report_bounded place = share_within(ones, count, low, high);
	place.low = ones == 0 ? 0 : gsl_cdf_beta_Pinv(miss, ones, count - ones + 1);
	place.high = ones == count ? 1 : gsl_cdf_beta_Qinv(miss, ones + 1, count - ones);
	return place;
}

double report_shares_needed(const struct report_values *values, double low, double high)
{
	const unsigned ones = ones_of(values);
	const struct report_bounded now = share_within(ones, (unsigned)values->count, low, high);
	/* Where those that there are don't decide, it takes more, although fewer of nearly this share may do. */
	const bool is_decided = fmin(now.inside, now.outside) < (1 - REPORT_CONFIDENCE) / 2;
	for (unsigned count = is_decided ? 1 : (unsigned)values->count + 1; values->count > 0 && count <= 10000; count++) {
		const unsigned of_count = (unsigned)lround((double)ones / (double)values->count * count);
		const struct report_bounded place = share_within(of_count, count, low, high);
		if (fmin(place.inside, place.outside) < (1 - REPORT_CONFIDENCE) / 2)
			return count;
	}
	return NAN;
}

double report_needed(const struct report_values *values, double half)
{
	const double count = (double)values->count;
	if (values->count < 2 || !(half > 0))
		return NAN;
	const double t = gsl_cdf_tdist_Pinv((1 + REPORT_CONFIDENCE) / 2, count - 1);
	return fmax(count, ceil(variance_of(values) * t * t / (half * half)));
}

/* ---- Signs -------------------------------------------------------------------------------------------------------------- */

struct report_test report_sign(const struct report_values *differences)
{
	struct report_test result = unknown;
	unsigned above = 0;
	unsigned below = 0;
	const size_t count = differences->count;
	for (size_t i = 0; i < count; i++) {
		above += differences->item[i] > 0;
		below += differences->item[i] < 0;
	}
	result.estimate = gsl_stats_median_from_sorted_data(differences->item, 1, count);
	/* Each end leaves out as many as fall beyond the median with at most half of what the interval may miss. */
	size_t out = 0;
	while (2 * out + 2 <= count && gsl_cdf_binomial_P((unsigned)out, 0.5, (unsigned)count) <= (1 - REPORT_CONFIDENCE) / 2)
		out++;
	if (out > 0) {
		result.low = differences->item[out - 1];
		result.high = differences->item[count - out];
	}
	result.statistic = above;
	result.freedom[0] = above + below;
	result.p = fmin(2 * gsl_cdf_binomial_P(above < below ? above : below, 0.5, above + below), 1);
	return result;
}

/* ---- Bootstrap ------------------------------------------------------------------------------------------------------------ */

/* The quantile of as many values, drawn from a sorted sample. Drawn are places in it, which are cheaper to count than values to sort. */
static double drawn_quantile(const struct report_values *sample, double quantile, uint64_t *state, size_t *times)
{
	const double place = quantile * (double)(sample->count - 1);
	const size_t below = (size_t)place;
	double value[2] = {0};
	size_t seen = 0;
	for (size_t i = 0; i < sample->count; i++)
		times[i] = 0;
	for (size_t i = 0; i < sample->count; i++)
		times[splitmix_below(state, sample->count)]++;
	for (size_t i = 0, found = 0; i < sample->count && found < 2; i++) {
		seen += times[i];
		while (found < 2 && below + found < seen)
			value[found++] = sample->item[i];
	}
	return below + 1 < sample->count ? value[0] + (place - (double)below) * (value[1] - value[0]) : value[0];
}

int report_bootstrap(
	const struct report_values *sample, double quantile, size_t resamples, uint64_t seed, struct report_values *drawn)
{
	size_t *const times = malloc(sample->count * sizeof *times);
	*drawn = (struct report_values){malloc(resamples * sizeof(double)), resamples, resamples};
	if (!times || !drawn->item) {
		free(times);
		report_values_free(drawn);
		return -1;
	}
	for (size_t i = 0; i < resamples; i++)
		drawn->item[i] = drawn_quantile(sample, quantile, &seed, times);
	free(times);
	return 0;
}

/* Of values in no order, of which it changes the order. To sort them all would take several times as long. */
static double selected_quantile(double *value, size_t count, double quantile)
{
	const double place = quantile * (double)(count - 1);
	const size_t below = (size_t)place;
	const double first = gsl_stats_select(value, 1, count, below);
	return below + 1 < count ? first + (place - (double)below) * (gsl_stats_select(value, 1, count, below + 1) - first)
				 : first;
}

int report_quantile_difference(const struct report_values *a, const struct report_values *b, double quantile,
	const struct report_values *drawn_a, const struct report_values *drawn_b, struct report_test *result)
{
	const size_t count = drawn_a->count;
	double *const difference = malloc(count * sizeof *difference);
	*result = unknown;
	if (!difference)
		return -1;
	for (size_t i = 0; i < count; i++)
		difference[i] = drawn_b->item[i] - drawn_a->item[i];
	result->estimate = report_values_quantile(b, quantile) - report_values_quantile(a, quantile);
	result->low = selected_quantile(difference, count, (1 - REPORT_CONFIDENCE) / 2);
	result->high = selected_quantile(difference, count, (1 + REPORT_CONFIDENCE) / 2);
	free(difference);
	return 0;
}

/* ---- Several samples -------------------------------------------------------------------------------------------------------- */

struct report_test report_welch_anova(const struct report_values *sample, size_t count)
{
	struct report_test result = unknown;
	const double k = (double)count;
	double weights = 0;
	double mean = 0;
	double between = 0;
	double lambda = 0;
	for (size_t i = 0; i < count; i++) {
		const double weight = (double)sample[i].count / variance_of(&sample[i]);
		weights += weight;
		mean += weight * report_values_mean(&sample[i]);
	}
	mean /= weights;
	if (!isfinite(mean))
		return result;
	for (size_t i = 0; i < count; i++) {
		const double weight = (double)sample[i].count / variance_of(&sample[i]);
		const double off = report_values_mean(&sample[i]) - mean;
		const double rest = 1 - weight / weights;
		between += weight * off * off / (k - 1);
		lambda += rest * rest / (double)(sample[i].count - 1);
	}
	if (!isfinite(between) || !isfinite(lambda))
		return result;
	result.statistic = between / (1 + 2 * (k - 2) / (k * k - 1) * lambda);
	result.freedom[0] = k - 1;
	result.freedom[1] = (k * k - 1) / (3 * lambda);
	result.p = gsl_cdf_fdist_Q(result.statistic, result.freedom[0], result.freedom[1]);
	return result;
}

struct report_test report_bartlett(const struct report_values *sample, size_t count)
{
	struct report_test result = unknown;
	double freedom = 0;
	double pooled = 0;
	double logarithms = 0;
	double inverse = 0;
	for (size_t i = 0; i < count; i++) {
		const double own = (double)sample[i].count - 1;
		freedom += own;
		pooled += own * variance_of(&sample[i]);
		logarithms += own * log(variance_of(&sample[i]));
		inverse += 1 / own;
	}
	const double statistic = freedom * log(pooled / freedom) - logarithms;
	if (!isfinite(statistic))
		return result;
	result.statistic = fmax(statistic / (1 + (inverse - 1 / freedom) / (3 * ((double)count - 1))), 0);
	result.freedom[0] = (double)count - 1;
	result.p = gsl_cdf_chisq_Q(result.statistic, result.freedom[0]);
	return result;
}

/* ---- Normality --------------------------------------------------------------------------------------------------------------- */

#define POLYNOMIAL(x, ...) polynomial(x, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static double polynomial(double x, const double *coefficient, size_t count)
{
	double value = 0;
	while (count-- > 0)
		value = value * x + coefficient[count];
	return value;
}

/* W by Royston's approximation of the weights: those of the outermost one or two values are polynomials in 1/√n. */
static double shapiro_w(const struct report_values *sample)
{
	const size_t count = sample->count;
	const size_t outer = count > 5 ? 2 : 1;
	const double root = 1 / sqrt((double)count);
	double weight[2] = {sqrt(0.5), 0};
	double expected[2];
	double squares = 0;
	double scale = 1;
	double sum = 0;
	for (size_t i = 0; i < count; i++) {
		const double m = gsl_cdf_ugaussian_Pinv(((double)i + 0.625) / ((double)count + 0.25));
		squares += m * m;
		if (i < 2)
			expected[i] = -m;
	}
	if (count > 3) {
		weight[0] = expected[0] / sqrt(squares) + POLYNOMIAL(root, 0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056);
		weight[1] =
			expected[1] / sqrt(squares) + POLYNOMIAL(root, 0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633);
		double rest = 1;
		for (size_t i = 0; i < outer; i++) {
			squares -= 2 * expected[i] * expected[i];
			rest -= 2 * weight[i] * weight[i];
		}
		scale = sqrt(squares / rest);
	}
	for (size_t i = 0; i < count / 2; i++) {
		const double m = gsl_cdf_ugaussian_Pinv(((double)i + 0.625) / ((double)count + 0.25));
		const double a = i < outer ? weight[i] : -m / scale;
		sum += a * (sample->item[count - 1 - i] - sample->item[i]);
	}
	const double all = gsl_stats_tss(sample->item, 1, count);
	return all > 0 && isfinite(all) ? fmin(sum * sum / all, 1) : NAN;
}

static double shapiro_p(double w, double count)
{
	double y = log1p(-w);
	double mean;
	double sd;
	if (count <= 3)
		return fmax(6 / M_PI * (asin(sqrt(w)) - asin(sqrt(0.75))), 0);
	if (w >= 1)
		return 1;
	if (count <= 11) {
		const double gamma = POLYNOMIAL(count, -2.273, 0.459);
		if (y >= gamma)
			return 0;
		y = -log(gamma - y);
		mean = POLYNOMIAL(count, 0.544, -0.39978, 0.025054, -6.714e-4);
		sd = exp(POLYNOMIAL(count, 1.3822, -0.77857, 0.062767, -0.0020322));
	} else {
		mean = POLYNOMIAL(log(count), -1.5861, -0.31082, -0.083751, 0.0038915);
		sd = exp(POLYNOMIAL(log(count), -0.4803, -0.082676, 0.0030302));
	}
	return gsl_cdf_ugaussian_Q((y - mean) / sd);
}

struct report_test report_shapiro_wilk(const struct report_values *sample)
{
	struct report_test result = unknown;
	if (sample->count < REPORT_NORMAL_LEAST || sample->count > REPORT_NORMAL_MOST ||
		sample->item[0] == sample->item[sample->count - 1])
		return result;
	result.statistic = shapiro_w(sample);
	if (!isnan(result.statistic))
		result.p = shapiro_p(result.statistic, (double)sample->count);
	return result;
}

/* ---- Many tests --------------------------------------------------------------------------------------------------------------- */

int report_holm(double *p, size_t count)
{
	size_t known = 0;
	double least = 0;
	size_t *const place = calloc(count + 1, sizeof *place);
	double *const sorted = calloc(count + 1, sizeof *sorted);
	if (!place || !sorted) {
		free(place);
		free(sorted);
		return -1;
	}
	for (size_t i = 0; i < count; i++)
		if (!isnan(p[i]))
			sorted[known++] = p[i];
	gsl_sort_index(place, sorted, 1, known);
	for (size_t i = 0; i < known; i++) {
		least = fmin(fmax(least, sorted[place[i]] * (double)(known - i)), 1);
		sorted[place[i]] = least;
	}
	for (size_t i = 0, next = 0; i < count; i++)
		if (!isnan(p[i]))
			p[i] = sorted[next++];
	free(place);
	free(sorted);
	return 0;
}
