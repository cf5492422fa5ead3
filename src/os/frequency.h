/* SPDX-License-Identifier: MIT */
/* Clock frequencies of processors (/sys/devices/system/cpu/cpuN/cpufreq). */
#ifndef OS_FREQUENCY_H
#define OS_FREQUENCY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The mean of the present frequencies (scaling_cur_freq) of those of the processors that tell theirs, in MHz, or NaN when none
 * does. `root` stands before /sys.
 */
double linux_frequency_mean(const char *root, const unsigned *id, size_t count);

/* How the clock of a processor follows what it does. */
struct linux_frequency_policy {
	char governor[32];
	double least_mhz, most_mhz; /* NaN where they aren't told */
};

/* False where the kernel doesn't change clocks, or doesn't tell. */
bool linux_frequency_policy(const char *root, unsigned id, struct linux_frequency_policy *policy);

#endif
