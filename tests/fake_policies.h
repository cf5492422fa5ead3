/* SPDX-License-Identifier: MIT */
/* Policies of cpufreq in a made-up tree (fake_root.h). */
#ifndef FAKE_POLICIES_H
#define FAKE_POLICIES_H

#include "fake_root.h"

/* Writes a file of a policy, or removes it where `text` is NULL. */
static inline void fake_policy_file(const char *root, unsigned number, const char *name, const char *text)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpufreq/policy%u/%s", number, name);
	if (text)
		fake_file(root, path, text);
	else
		fake_remove(root, path);
}

/* From 800 to 3600 MHz, as far as the hardware goes, for these processors. */
static inline void fake_policy(const char *root, unsigned number, const char *processors)
{
	fake_policy_file(root, number, "affected_cpus", processors);
	fake_policy_file(root, number, "related_cpus", processors);
	fake_policy_file(root, number, "cpuinfo_min_freq", "800000\n");
	fake_policy_file(root, number, "cpuinfo_max_freq", "3600000\n");
	fake_policy_file(root, number, "scaling_min_freq", "800000\n");
	fake_policy_file(root, number, "scaling_max_freq", "3600000\n");
}

#endif
