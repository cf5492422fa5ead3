/* SPDX-License-Identifier: MIT */
/* A straight line through points by least squares, and how sure it is. */
#ifndef REPORT_REGRESSION_H
#define REPORT_REGRESSION_H

#include <stddef.h>

/* y = intercept + slope · x. What follows from the residuals is NaN with two points, which have none. */
struct regression {
	size_t count;
	double slope, intercept;
	double slope_sd, intercept_sd; /* standard deviations of the estimates */
	double residual_sd;            /* with count − 2 degrees of freedom */
	double r2;                     /* share of the variance of y that the line explains; NaN when y is constant */
	double slope_p, intercept_p;   /* two-sided, for the hypothesis that the true value is 0 (Student's t) */
};

/* Least number of points. */
#define REGRESSION_LEAST 2

/* 0, or -1 when there are too few points, one of them is not finite, or all have the same x. */
int regression_fit(const double *x, const double *y, size_t count, struct regression *result);

#endif
