/* SPDX-License-Identifier: MIT */
/* A straight line and a parabola through the same points by least squares, and which of them explains these better. */
#ifndef REPORT_POLYNOMIAL_H
#define REPORT_POLYNOMIAL_H

#include <stddef.h>

#define POLYNOMIAL_MOST 2 /* degree */

/* y = coefficient[0] + coefficient[1] x + coefficient[2] x². What follows from residuals is NaN where there are none, as of points that lie on the curve. */
struct polynomial {
	size_t count;
	int degree;
	double coefficient[POLYNOMIAL_MOST + 1];
	double error[POLYNOMIAL_MOST + 1]; /* standard error */
	double p; /* of the hypothesis that the highest coefficient is 0: two-sided, Student's t (the F test of one term) */
	double r2, adjusted_r2; /* share of the variance that it explains; NaN when y is constant */
	double residual_sd;     /* with count - degree - 1 degrees of freedom */
	double aicc; /* Akaike's criterion for few points (Hurvich and Tsai 1989); less is better. NaN with degree + 3 points or fewer */
};

/* 0, or -1 with errno: EINVAL when one is not finite, or there are fewer than degree + 1 different x. */
int polynomial_fit(const double *x, const double *y, size_t count, int degree, struct polynomial *result);

/* How likely the first of two is the better one by their aicc (Akaike weight), from 0 to 1. NaN when one of them is not known. */
double polynomial_weight(const struct polynomial *one, const struct polynomial *other);

#endif
