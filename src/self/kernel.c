/* SPDX-License-Identifier: MIT */
#include "self/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "self/host_text.h"

struct sst_cpus *linux_cpu_list(const struct sst_env *env, const char *name)
{
	char path[96];
	snprintf(path, sizeof path, "/sys/devices/system/cpu/%s", name);
	/* Old kernels write "(null)" for no processor. */
	return host_cpus(env, path);
}

bool linux_accounting_idle_clock(const struct sst_env *env)
{
	char *commands = host_text(env, "/proc/cmdline", NULL);
	bool idle_clock = !host_has_word(commands, "nohz=off") && !host_has_word(commands, "nohz=0");
	free(commands);
	char *timers = host_beginning(env, "/proc/timer_list", 16384, NULL);
	/* `.nohz_mode : 0` before Linux 6.10, `.nohz : 0` since. */
	for (const char *at = timers; at && (at = strstr(at, ".nohz")); at++) {
		const char *colon = strchr(at, ':');
		if (colon && (strncmp(at, ".nohz ", 6) == 0 || strncmp(at, ".nohz_mode ", 11) == 0)) {
			idle_clock = strtol(colon + 1, NULL, 10) != 0;
			break;
		}
	}
	free(timers);
	return idle_clock;
}
