/* SPDX-License-Identifier: MIT */
/* Times of iterations that succeeded, taken together. */
#ifndef SSITERATE_STATISTICS_H
#define SSITERATE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start with {.keeps = …}. */
struct statistics {
	size_t count;
	double mean_s, min_s, max_s; /* where there is one */
	double squares;              /* sum of those of the differences from the mean */
	size_t failed;
	bool keeps; /* each time too, in … */
	double *time_s;
	size_t kept, room;
};

void statistics_free(struct statistics *statistics);

/* 0, or -1 with errno: this one could not be kept, and no other will be. */
int statistics_add(struct statistics *statistics, int64_t time_ns);

/* Standard deviation of what they are a sample of, where there are two. */
double statistics_deviation(const struct statistics *statistics);

/* Of the kept times, which it sorts; NaN without any. */
double statistics_median(struct statistics *statistics);

#endif
