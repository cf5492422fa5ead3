/* SPDX-License-Identifier: MIT */
#include "base/accuracy.h"

#include <math.h>

/* Loads and targets have six decimals, and 55 % is near to 50 %. */
#define ROUNDING 1e-9

void accuracy_add(struct accuracy *accuracy, double target, double load)
{
	const double error = load - target;
	accuracy->samples++;
	accuracy->target += target;
	accuracy->load += load;
	accuracy->error += error;
	accuracy->squared += error * error;
	accuracy->near += fabs(error) <= ACCURACY_NEAR + ROUNDING;
}

double accuracy_mean_target(const struct accuracy *accuracy)
{
	return accuracy->target / (double)accuracy->samples;
}

double accuracy_mean_load(const struct accuracy *accuracy)
{
	return accuracy->load / (double)accuracy->samples;
}

double accuracy_mean_error_pp(const struct accuracy *accuracy)
{
	return 100 * accuracy->error / (double)accuracy->samples;
}

double accuracy_mse_pp2(const struct accuracy *accuracy)
{
	return 10000 * accuracy->squared / (double)accuracy->samples;
}

double accuracy_near(const struct accuracy *accuracy)
{
	return (double)accuracy->near / (double)accuracy->samples;
}
