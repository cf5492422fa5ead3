/* SPDX-License-Identifier: MIT */
/* How much processor time requests take: a distribution and its mean. Random numbers are the caller's. */
#ifndef BASE_SERVICE_TIME_H
#define BASE_SERVICE_TIME_H

#include <stdint.h>

/* No request takes longer, whatever the tail of its distribution says. */
#define SERVICE_TIME_MOST_NS (INT64_C(86400) * 1000000000)

#define SERVICE_TIME_EXPECTED                                                                                                    \
	"constant, exponential, lognormal:sigma=S with S above 0, up to 10, or pareto:shape=A with A above 1, up to 1000"

enum service_shape { SERVICE_CONSTANT, SERVICE_EXPONENTIAL, SERVICE_LOGNORMAL, SERVICE_PARETO };

struct service_time {
	enum service_shape shape;
	double parameter; /* sigma of the logarithm; shape (exponent) of the tail */
	int64_t mean_ns;
};

/* Sets shape and parameter by such a text, and leaves the mean alone. 0, or -1, and nothing set, where it is none. */
int service_time_parse(const char *text, struct service_time *time);

/* The time that a share of all requests stays below, in ns from 0 to SERVICE_TIME_MOST_NS; the share is above 0 and below 1. */
int64_t service_time_quantile(const struct service_time *time, double share);

/* The time of a request, from 64 random bits. */
int64_t service_time_draw(const struct service_time *time, uint64_t random);

#endif
