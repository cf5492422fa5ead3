/* SPDX-License-Identifier: MIT */
#include "base/accuracy.h"

void accuracy_add(struct accuracy *accuracy, double target, double load)
{
	const double error = load - target;
	accuracy->samples++;
	accuracy->target += target;
	accuracy->load += load;
	accuracy->error += error;
	accuracy->squared += error * error;
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
