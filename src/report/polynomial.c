/* SPDX-License-Identifier: MIT */
#include "report/polynomial.h"

#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>

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
