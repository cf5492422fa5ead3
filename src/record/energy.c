/* SPDX-License-Identifier: MIT */
#include "record/energy.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

bool energy_open(struct energy *energy, const char *root, char error[static LINUX_POWER_ERROR_MAX])
{
	*energy = (struct energy){.power = linux_power_open(root, NULL, error)};
	return energy->power;
}

bool energy_open_command(struct energy *energy, const char *command, int64_t every_ns, const struct scheduling *user)
{
	energy->command = linux_power_command_open(command, every_ns, user);
	energy->since_ns = clock_now();
	return energy->command;
}

bool energy_open_zones(struct energy *energy, const char *root, char error[static LINUX_POWER_ERROR_MAX])
{
	const size_t zones = linux_power_zones_open(root, &energy->zone, error);
	energy->zone_w = zones ? calloc(zones, sizeof *energy->zone_w) : NULL;
	if (zones && !energy->zone_w) {
		linux_power_zones_close(energy->zone, zones);
		energy->zone = NULL;
		snprintf(error, LINUX_POWER_ERROR_MAX, "%s", strerror(errno));
		return false;
	}
	energy->zones = zones;
	return zones > 0;
}

static void take_zones(struct energy *energy)
{
	for (size_t i = 0; i < energy->zones; i++)
		energy->zone_w[i] = linux_power_watts(energy->zone[i].power);
}

bool energy_complaint(struct energy *energy, char text[static LINUX_POWER_COMMAND_TEXT_MAX])
{
	return energy->command && linux_power_command_complaint(energy->command, text);
}

pid_t energy_process(const struct energy *energy)
{
	return energy->command ? linux_power_command_process(energy->command) : 0;
}

void energy_close(struct energy *energy)
{
	linux_power_close(energy->power);
	linux_power_command_close(energy->command);
	linux_power_zones_close(energy->zone, energy->zones);
	free(energy->zone_w);
	*energy = (struct energy){.joules = energy->joules, .seconds = energy->seconds, .incomplete = energy->incomplete};
}

/* Of the interval that ends now, and its length. */
static double take_joules(struct energy *energy, double *seconds)
{
	if (energy->power)
		return linux_power_joules(energy->power, seconds);
	const int64_t now_ns = clock_now();
	*seconds = (double)(now_ns - energy->since_ns) / 1e9;
	energy->since_ns = now_ns;
	return linux_power_command_watts(energy->command) * *seconds;
}

void energy_start(struct energy *energy)
{
	double ignored;
	if (energy->power || energy->command)
		take_joules(energy, &ignored);
	take_zones(energy);
}

void energy_poll(struct energy *energy)
{
	if (energy->power)
		linux_power_poll(energy->power);
	else if (energy->command)
		linux_power_command_poll(energy->command);
	for (size_t i = 0; i < energy->zones; i++)
		linux_power_poll(energy->zone[i].power);
}

double energy_take(struct energy *energy, bool counts)
{
	double seconds;
	take_zones(energy);
	if (!energy->power && !energy->command)
		return NAN;
	const double joules = take_joules(energy, &seconds);
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
