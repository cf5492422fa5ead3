/* SPDX-License-Identifier: MIT */
/* Clock frequencies of processors (/sys/devices/system/cpu/cpuN/cpufreq). */
#ifndef OS_FREQUENCY_H
#define OS_FREQUENCY_H

#include <stddef.h>

/*
 * The mean of the present frequencies (scaling_cur_freq) of those of the processors that tell theirs, in MHz, or NaN when none
 * does. `root` stands before /sys.
 */
double linux_frequency_mean(const char *root, const unsigned *id, size_t count);

#endif
