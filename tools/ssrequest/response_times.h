/* SPDX-License-Identifier: MIT */
/*
 * Times of any number of requests, taken together in constant memory. Mean, least and most are exact; a quantile is within 0.1 % of the value
 * of its rank, as times are counted in bins whose width grows with them.
 */
#ifndef RECORD_RESPONSE_TIMES_H
#define RECORD_RESPONSE_TIMES_H

#include <stdint.h>

/* Each power of two is cut into so many bins, of which the middle stands for all: half a bin is 0.05 %. */
#define RESPONSE_TIMES_BINS 1024u
#define RESPONSE_TIMES_POWERS 54u

/* Large. Start with {0}. */
struct response_times {
	uint64_t count;
	long double sum_ns;
	int64_t least_ns, most_ns;
	uint64_t bin[RESPONSE_TIMES_POWERS * RESPONSE_TIMES_BINS];
};

/* A time below 0 counts as 0. */
void response_times_add(struct response_times *times, int64_t time_ns);

/* NaN without any. */
double response_times_mean_s(const struct response_times *times);
double response_times_most_s(const struct response_times *times);

/* The least time that at least that share of them, 0 to 1, doesn't exceed. NaN without any. */
double response_times_quantile_s(const struct response_times *times, double share);

#endif
