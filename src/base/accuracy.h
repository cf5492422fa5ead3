/* SPDX-License-Identifier: MIT */
/* Mean error and mean squared error as the paper defines them (paper 000, Section 4), over samples of load and target. */
#ifndef BASE_ACCURACY_H
#define BASE_ACCURACY_H

#include <stdint.h>

/* What is near its target (paper 000, Section 9): 5 percentage points. */
#define ACCURACY_NEAR 0.05

struct accuracy {
	uint64_t samples;
	uint64_t near;         /* of them, those whose load was that near to the target */
	double target, load;   /* sums of fractions */
	double error, squared; /* sums of load - target, and of its square */
};

/* Start with {0}. Both from 0 to 1. */
void accuracy_add(struct accuracy *accuracy, double target, double load);

/* NaN without samples; error in percentage points (load minus target), squared error in pp². */
double accuracy_mean_target(const struct accuracy *accuracy);
double accuracy_mean_load(const struct accuracy *accuracy);
double accuracy_mean_error_pp(const struct accuracy *accuracy);
double accuracy_mse_pp2(const struct accuracy *accuracy);

/* The share of samples that were near, 0 to 1; NaN without samples. */
double accuracy_near(const struct accuracy *accuracy);

#endif
