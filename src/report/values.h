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

#endif
