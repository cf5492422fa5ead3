/* SPDX-License-Identifier: MIT */
/* Numbers that were measured again and again, and what their distribution looks like. */
#ifndef REPORT_VALUES_H
#define REPORT_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "base/row_writer.h"

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

/* A straight line and a parabola through the same points by least squares, and which of them explains these better. */

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

/*
 * The clocks of files. Times of a file are of CLOCK_MONOTONIC, which begins when a machine boots. A file with a column time_unix_s
 * tells how far the wall clock was from it, and so files of several machines, or boots, can be brought together.
 */

/* By which clock files are joined. */
enum report_join {
	REPORT_JOIN_AUTO,      /* monotonic where they are of one boot or don't tell, else wall */
	REPORT_JOIN_WALL,      /* each must tell */
	REPORT_JOIN_MONOTONIC, /* the file's times as they are */
};

/* Wall clock less CLOCK_MONOTONIC in one file, seconds. Zeroed it is one that doesn't tell. */
struct report_clock {
	bool is_known;
	double first, last; /* in the first and in the last row that tells */
	double usual;       /* the median */
};

/* A field of that column: NaN where there is nothing. 0, or -1 with a message. */
int report_clock_read(struct csv *csv, int column, double *wall);

/* Adds the difference of a row to those of which a clock is made; a row that doesn't tell (NaN) is passed over. 0, or -1 with errno. */
int report_clock_add(struct report_values *offsets, double monotonic, double wall);
/* Makes the clock, and frees the list. */
struct report_clock report_clock_make(struct report_values *offsets);

/* Whether the files were written since the same boot: their differences are the same, at one end at least when a clock was set. */
bool report_clock_is_same(const struct report_clock *a, const struct report_clock *b);

/* Whether the wall clock is what joins the file to the reference. */
bool report_clock_needs_wall(enum report_join join, const struct report_clock *file, const struct report_clock *reference);

/* What is to be added to the file's times so that they are of the reference's clock. */
double report_clock_shift(enum report_join join, const struct report_clock *file, const struct report_clock *reference);

/* A time so much later, to the nanosecond, which is what files have. */
double report_clock_move(double time, double shift);

/* By how much the wall clock was set, or drifted, between the first row and the last one. */
double report_clock_moved(const struct report_clock *clock);

#endif
