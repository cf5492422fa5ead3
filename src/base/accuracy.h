/* SPDX-License-Identifier: MIT */
/* Mean error and mean squared error as the paper defines them (paper 000, Section 4), over samples of load and target. */
#ifndef BASE_ACCURACY_H
#define BASE_ACCURACY_H

#include <math.h>
#include <stdint.h>

/* What is near its target (paper 000, Section 9): 5 percentage points. */
#define ACCURACY_NEAR 0.05
/* Loads and targets have six decimals, and 55 % is near to 50 %. */
#define ACCURACY_ROUNDING 1e-9

struct accuracy {
	uint64_t samples;
	uint64_t near;         /* of them, those whose load was that near to the target */
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
	accuracy->near += fabs(error) <= ACCURACY_NEAR + ACCURACY_ROUNDING;
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

/* The share of samples that were near, 0 to 1; NaN without samples. */
static inline double accuracy_near(const struct accuracy *accuracy)
{
	return (double)accuracy->near / (double)accuracy->samples;
}

#endif
