/* SPDX-License-Identifier: MIT */
/* The mean of repeated measurements, and how far the true one may be from it. */
#ifndef REPORT_INTERVAL_H
#define REPORT_INTERVAL_H

#include <stddef.h>

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
