/* SPDX-License-Identifier: MIT */
/* The electric energy of a run: power of each interval, sum and mean of those that count. */
#ifndef RECORD_ENERGY_H
#define RECORD_ENERGY_H

#include <stdbool.h>

#include "meters/power.h"
#include "meters/power_command.h"

/* Zeroed it measures nothing, and every power is NaN. */
struct energy {
	struct linux_power *power;           /* or */
	struct linux_power_command *command; /* … or neither */
	int64_t since_ns;                    /* of the command: when the interval began, CLOCK_MONOTONIC */
	struct linux_power_zone *zone;       /* `zones` of them, beside all that */
	size_t zones;
	double *zone_w;         /* their mean power in the interval that ended last; NaN: unknown */
	double joules, seconds; /* of the intervals that count and could be read */
	bool incomplete;        /* one that counts could not */
};

/* `root` stands before /sys. False, with a message, where nothing measures it; the rest may be called all the same. */
bool energy_open(struct energy *energy, const char *root, char error[static LINUX_POWER_ERROR_MAX]);
/* The same by a command that is asked about every `every_ns`. False with errno. */
bool energy_open_command(struct energy *energy, const char *command, int64_t every_ns, const struct scheduling *user);
/* Parts of the machine, too; after one of the above, or in a zeroed one. False, with a message, where there are none. */
bool energy_open_zones(struct energy *energy, const char *root, char error[static LINUX_POWER_ERROR_MAX]);
/* What is wrong with the command, told once; see linux_power_command_complaint. */
bool energy_complaint(struct energy *energy, char text[static LINUX_POWER_COMMAND_TEXT_MAX]);
/* The process that asks it, or 0. */
pid_t energy_process(const struct energy *energy);
void energy_close(struct energy *energy);

/* An interval begins; what was before counts nowhere. */
void energy_start(struct energy *energy);
/* To be called every few seconds, in between. */
void energy_poll(struct energy *energy);
/* An interval ends, and the next begins: its mean power in W, or NaN. */
double energy_take(struct energy *energy, bool counts);

/* Over all that counts; NaN when unknown, and the sum when a part is. */
double energy_sum(const struct energy *energy);
double energy_mean_power(const struct energy *energy);

#endif
