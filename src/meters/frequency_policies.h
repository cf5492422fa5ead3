/* SPDX-License-Identifier: MIT */
/*
 * The policies of cpufreq (/sys/devices/system/cpu/cpufreq/policyN): each is one clock of one processor or of several, and the limits
 * between which the kernel's governor chooses. And what the clocks of processors do.
 */
#ifndef METERS_FREQUENCY_POLICIES_H
#define METERS_FREQUENCY_POLICIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "showstopper/module.h"

#define FREQUENCY_FOLDER "/sys/devices/system/cpu/cpufreq"

struct frequency_policy {
	unsigned number;
	struct sst_cpus *cpus;        /* those that are online, at least one; owned */
	uint64_t least_khz, most_khz; /* what the hardware has */
	uint64_t *step;               /* `steps` that it has between them, rising; owned */
	size_t steps;                 /* 0: any, as far as the driver tells */
	uint64_t base_khz;            /* above it there is boost alone; 0: not told */
};

enum frequency_boost { FREQUENCY_BOOST_UNKNOWN, FREQUENCY_BOOST_OFF, FREQUENCY_BOOST_ON };

struct frequency_policies {
	struct frequency_policy *policy; /* `count` of them, by their numbers */
	size_t count;
	enum frequency_boost boost;
};

#define FREQUENCY_ERROR_MAX 640

/* Writes a message; returns -1, as what failed does. */
int frequency_refuse(char error[static FREQUENCY_ERROR_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads all that have processors online; `root` stands before /sys. 0, or -1 with a message, also where there is none. */
int frequency_policies_read(const char *root, struct frequency_policies *policies, char error[static FREQUENCY_ERROR_MAX]);
void frequency_policies_free(struct frequency_policies *policies);

/* The highest frequency of a policy; without boost a driver that has no steps may not have it. */
static inline uint64_t frequency_policy_top(const struct frequency_policy *policy)
{
	return policy->steps ? policy->step[policy->steps - 1] : policy->most_khz;
}

/* The present limits of a policy. False where one of them isn't told. */
bool frequency_policy_limits(const char *root, unsigned number, uint64_t *low_khz, uint64_t *high_khz);

/* A file of a policy as one number. False where it isn't told. */
bool frequency_policy_number(const char *root, unsigned number, const char *name, uint64_t *khz);

/* Whether the limits can be read and may be written, tried by opening their files. 0, or -1 with a message. */
int frequency_policy_check(const char *root, unsigned number, char error[static FREQUENCY_ERROR_MAX]);

/* Writes both limits, in the order that the kernel takes. 0, or -1 with errno; then one of them may have changed. */
int frequency_policy_set(const char *root, unsigned number, uint64_t low_khz, uint64_t high_khz);

/* How the clock of a processor follows what it does. */
struct linux_frequency_policy {
	char governor[32];
	double least_mhz, most_mhz; /* NaN where they aren't told */
};

/* False where the kernel doesn't change clocks, or doesn't tell. */
bool linux_frequency_policy(const char *root, unsigned id, struct linux_frequency_policy *policy);

#endif
