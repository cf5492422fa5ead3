/* SPDX-License-Identifier: MIT */
/* Mean error and mean squared error as the paper defines them (paper 000, Section 4), over samples of load and target. */
#ifndef BASE_ACCURACY_H
#define BASE_ACCURACY_H

#include <stdint.h>

struct accuracy {
	uint64_t samples;
	double target, load;   /* sums of fractions */
	double error, squared; /* sums of load - target, and of its square */
};

/* Start with {0}. Both from 0 to 1. */
static inline void accuracy_add(struct accuracy *accuracy, double target, double load)
{
	const double error = load - target;
	accuracy->samples++;
	accuracy->target += target;
	accuracy->load += load;
	accuracy->error += error;
	accuracy->squared += error * error;
}

/* NaN without samples; error in percentage points (load minus target), squared error in pp². */
static inline double accuracy_mean_target(const struct accuracy *accuracy)
{
	return accuracy->target / (double)accuracy->samples;
}

static inline double accuracy_mean_load(const struct accuracy *accuracy)
{
	return accuracy->load / (double)accuracy->samples;
}

static inline double accuracy_mean_error_pp(const struct accuracy *accuracy)
{
	return 100 * accuracy->error / (double)accuracy->samples;
}

static inline double accuracy_mse_pp2(const struct accuracy *accuracy)
{
	return 10000 * accuracy->squared / (double)accuracy->samples;
}

#endif
