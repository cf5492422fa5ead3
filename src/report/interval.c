/* SPDX-License-Identifier: MIT */
/*
 * Shares have the score interval of Wilson (1927): all p that are so near to the mean that (mean - p)^2 <= c p (1 - p). For independent
 * samples c is z^2 / n. Samples of one run are not independent, so n is an effective number, the one whose share would scatter as those of the
 * runs do, and t takes the place of z (Korn and Graubard 1998, who do so for the exact interval).
 */
#include "report/interval.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

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
