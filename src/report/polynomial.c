/* SPDX-License-Identifier: MIT */
#include "report/polynomial.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>

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

/* From what the fit left over. */
static void judge(struct polynomial *result, const gsl_matrix *covariance, double left, double squares)
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
	if (freedom > 0 && result->error[result->degree] > 0)
		result->p =
			2 * gsl_cdf_tdist_Q(fabs(result->coefficient[result->degree] / result->error[result->degree]), freedom);
	result->aicc = NAN;
	if (count - parameters - 1 > 0 && left > 0)
		result->aicc =
			count * log(left / count) + 2 * parameters + 2 * parameters * (parameters + 1) / (count - parameters - 1);
}

int polynomial_fit(const double *x, const double *y, size_t count, int degree, struct polynomial *result)
{
	const size_t terms = (size_t)degree + 1;
	double left;
	*result = (struct polynomial){.count = count, .degree = degree};
	if (!can_be_fitted(x, y, count, degree)) {
		errno = EINVAL;
		return -1;
	}
	gsl_matrix *const powers = gsl_matrix_alloc(count, terms);
	gsl_matrix *const covariance = gsl_matrix_alloc(terms, terms);
	gsl_vector *const found = gsl_vector_alloc(terms);
	gsl_multifit_linear_workspace *const work = gsl_multifit_linear_alloc(count, terms);
	int status = -1;
	if (powers && covariance && found && work) {
		for (size_t i = 0; i < count; i++)
			for (size_t power = 0; power < terms; power++)
				gsl_matrix_set(powers, i, power, pow(x[i], (double)power));
		const gsl_vector_const_view values = gsl_vector_const_view_array(y, count);
		status = gsl_multifit_linear(powers, &values.vector, found, covariance, &left, work) == 0 ? 0 : -1;
	}
	if (status == 0) {
		for (size_t i = 0; i < terms; i++)
			result->coefficient[i] = gsl_vector_get(found, i);
		judge(result, covariance, left, gsl_stats_tss(y, 1, count));
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
