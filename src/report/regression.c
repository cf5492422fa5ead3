/* SPDX-License-Identifier: MIT */
#include "report/regression.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

/* How likely an estimate at least so far from 0 is when the true value is 0. */
static double p_value(double estimate, double sd, size_t freedom)
{
	const double t = fabs(estimate / sd);
	if (freedom == 0 || isnan(t))
		return NAN;
	return isinf(t) ? 0 : 2 * gsl_cdf_tdist_Q(t, (double)freedom);
}

int regression_fit(const double *x, const double *y, size_t count, struct regression *result)
{
	double variance_intercept;
	double covariance;
	double variance_slope;
	double residual_squares;
	size_t different = 0;
	for (size_t i = 0; i < count; i++) {
		if (!isfinite(x[i]) || !isfinite(y[i]))
			return -1;
		different += x[i] != x[0];
	}
	if (count < REGRESSION_LEAST || different == 0)
		return -1;
	*result = (struct regression){.count = count};
	gsl_fit_linear(x, 1, y, 1, count, &result->intercept, &result->slope, &variance_intercept, &covariance, &variance_slope,
		&residual_squares);
	const size_t freedom = count - 2;
	const double squares = gsl_stats_tss(y, 1, count);
	result->r2 = squares > 0 ? 1 - residual_squares / squares : NAN;
	result->residual_sd = freedom > 0 ? sqrt(residual_squares / (double)freedom) : NAN;
	result->slope_sd = freedom > 0 ? sqrt(variance_slope) : NAN;
	result->intercept_sd = freedom > 0 ? sqrt(variance_intercept) : NAN;
	result->slope_p = p_value(result->slope, result->slope_sd, freedom);
	result->intercept_p = p_value(result->intercept, result->intercept_sd, freedom);
	return 0;
}
