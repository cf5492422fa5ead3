/* SPDX-License-Identifier: MIT */
/* Steps of a rate, found in what was counted: where it changed, and stayed. */
#ifndef REPORT_RATE_STEPS_H
#define REPORT_RATE_STEPS_H

#include <stddef.h>

/* A step is at least so many bins long. */
#define REPORT_RATE_BINS_LEAST 3

/*
 * `count` has how many events there were in each of `bins` bins of time, all of one length. Puts the first bin of each step to `begin`, which
 * has room for as many as there are bins, and returns how many steps there are: 1 where the rate is constant, or changes all the time as far as chance lets that be seen.
 *
 * A step begins where the counts before and behind it are less likely of one rate than chance would have it. How much counts scatter is seen from
 * neighbours, so that a schedule without chance shows smaller steps than one with it; steps that chance can hide are one.
 */
size_t report_rate_steps(const double *count, size_t bins, size_t *begin);

#endif
