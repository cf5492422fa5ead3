/* SPDX-License-Identifier: MIT */
/* Times of iterations that succeeded, taken together. */
#ifndef SSITERATE_STATISTICS_H
#define SSITERATE_STATISTICS_H

#include <gsl/gsl_rstat.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct statistics {
	gsl_rstat_workspace *all; /* NULL: not open */
	size_t failed;
	bool keeps; /* each time too, in … */
	double *time_s;
	size_t kept, room;
};

/* Begins without an iteration. 0, or -1 with errno; then there is nothing to free. */
int statistics_open(struct statistics *statistics, bool keeps);
void statistics_free(struct statistics *statistics);

/* 0, or -1 with errno: this one could not be kept, and no other will be. */
int statistics_add(struct statistics *statistics, int64_t time_ns);

size_t statistics_count(const struct statistics *statistics);

/* Of the kept times, which it sorts; NaN without any. */
double statistics_median(struct statistics *statistics);

#endif
