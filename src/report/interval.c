/* SPDX-License-Identifier: MIT */
#include "report/interval.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

struct report_interval report_interval(const double *value, size_t count)
{
	struct report_interval result = {.mean = NAN, .low = NAN, .high = NAN};
	double sum = 0;
	double squares = 0;
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
	const double freedom = (double)result.count - 1;
	const double t = gsl_cdf_tdist_Pinv((1 + REPORT_CONFIDENCE) / 2, freedom);
	const double half = t * sqrt(squares / freedom / (double)result.count);
	result.low = result.mean - half;
	result.high = result.mean + half;
	return result;
}
