/* SPDX-License-Identifier: MIT */
/* Idle states of processors (/sys/devices/system/cpu/cpuN/cpuidle): how long and how often they were in each. */
#ifndef CPULOAD_IDLE_STATES_H
#define CPULOAD_IDLE_STATES_H

#include <stddef.h>
#include <stdint.h>

#define LINUX_IDLE_STATES_MAX 16
#define LINUX_IDLE_NAME_MAX 17

struct linux_idle_states;

/* What a state came to between two readings, over the processors that were there at both. */
struct linux_idle_growth {
	double share;   /* of their time; NaN where it isn't known. The kernel counts a stay when it ends */
	double entries; /* per second */
};

/*
 * Finds the states of these processors; `root`, which stands before /sys, must outlive it. NULL with errno; ENOENT where no processor has
 * any.
 */
struct linux_idle_states *linux_idle_states_open(const char *root, const unsigned *id, size_t count);
void linux_idle_states_close(struct linux_idle_states *states);

size_t linux_idle_states_count(const struct linux_idle_states *states);
const char *linux_idle_states_name(const struct linux_idle_states *states, size_t state);

/* Reads the states of these processors, at that moment; the reading before it is kept. 0, or -1 with errno ENOMEM. */
int linux_idle_states_read(struct linux_idle_states *states, const unsigned *id, size_t count, int64_t when_ns);

/* Between the last two readings. */
struct linux_idle_growth linux_idle_states_growth(const struct linux_idle_states *states, size_t state);

#endif
