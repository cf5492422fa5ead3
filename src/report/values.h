/* SPDX-License-Identifier: MIT */
/* Numbers that were measured again and again, and what their distribution looks like. */
#ifndef REPORT_VALUES_H
#define REPORT_VALUES_H

#include <stddef.h>

/* Start with {0}. */
struct report_values {
	double *item;
	size_t count, capacity;
};

/* 0, or -1 with errno. */
int report_values_add(struct report_values *values, double value);
void report_values_free(struct report_values *values);

/* From the least to the greatest; what follows wants them so, and at least one of them. */
void report_values_sort(struct report_values *values);

double report_values_mean(const struct report_values *values);

/*
 * The value below which that share, 0 to 1, of them lies. It is on the straight line between the two values nearest to the place
 * (count − 1) · share, counted from 0.
 */
double report_values_quantile(const struct report_values *values, double share);

/*
 * A box from the first to the third quartile. Its whiskers go to the outermost values that are no more than 1.5 times the length of
 * the box away from it; what is beyond are outliers.
 */
#define REPORT_WHISKER 1.5
struct report_box {
	double first, median, third; /* quartiles */
	double low, high;            /* ends of the whiskers */
	size_t below, above;         /* outliers: the first and the last of the values */
};
struct report_box report_values_box(const struct report_values *values);

/* A straight line through points by least squares, and how sure it is. */

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

/*
 * x and y are those of points that lie `stride` doubles apart. 0, or -1, with nothing but NaN in the result, when there are too few points, one of
 * them is not finite, or all have the same x.
 */
int regression_fit(const double *x, const double *y, size_t stride, size_t count, struct regression *result);

/* The mean of repeated measurements, and how far the true one may be from it. */

/* How often the interval holds the true mean. */
#define REPORT_CONFIDENCE 0.95

struct report_interval {
	size_t count;     /* of the values that are known */
	double mean;      /* NaN without any */
	double low, high; /* Student's t; NaN with fewer than two */
};

/* Values that are NaN are not known. */
struct report_interval report_interval(const double *value, size_t count);

/*
 * The same of shares, 0 to 1, each of its samples; `samples` of them in all. The interval lies within 0 and 1, and has a length also where
 * all shares are the same.
 */
struct report_interval report_interval_of_shares(const double *share, size_t count, double samples);

#endif
