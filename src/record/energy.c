/* SPDX-License-Identifier: MIT */
#include "record/energy.h"

#include <math.h>
#include <stddef.h>

bool energy_open(struct energy *energy, const char *root, char error[static LINUX_POWER_ERROR_MAX])
{
	*energy = (struct energy){.power = linux_power_open(root, NULL, error)};
	return energy->power;
}

void energy_close(struct energy *energy)
{
	linux_power_close(energy->power);
	energy->power = NULL;
}

void energy_start(struct energy *energy)
{
	double ignored;
	if (energy->power)
		linux_power_joules(energy->power, &ignored);
}

void energy_poll(struct energy *energy)
{
	if (energy->power)
		linux_power_poll(energy->power);
}

double energy_take(struct energy *energy, bool counts)
{
	double seconds;
	if (!energy->power)
		return NAN;
	const double joules = linux_power_joules(energy->power, &seconds);
	if (counts && isnan(joules)) {
		energy->incomplete = true;
	} else if (counts) {
		energy->joules += joules;
		energy->seconds += seconds;
	}
	return joules / seconds;
}

double energy_sum(const struct energy *energy)
{
	return energy->incomplete || !(energy->seconds > 0) ? NAN : energy->joules;
}

double energy_mean_power(const struct energy *energy)
{
	return energy->seconds > 0 ? energy->joules / energy->seconds : NAN;
}
