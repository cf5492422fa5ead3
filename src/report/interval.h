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

#endif
