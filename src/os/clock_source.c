/* SPDX-License-Identifier: MIT */
#include "os/clock_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "os/host_text.h"

#define FOLDER "/sys/devices/system/clocksource/clocksource0/"

static char *next_name(char **rest)
{
	return strtok_r(NULL, " \n", rest);
}

/* The text as a string, to be freed, or NULL. */
static char *read_names(const struct sst_env *env, const char *path)
{
	size_t length;
	char *const text = host_text(env, path, &length);
	char *const names = text ? strndup(text, length) : NULL;
	free(text);
	return names;
}

void linux_clock_source(const struct sst_env *env, char name[static LINUX_CLOCK_SOURCE_MAX])
{
	char *const names = read_names(env, FOLDER "current_clocksource");
	char *rest = names;
	const char *const first = names ? next_name(&rest) : NULL;
	snprintf(name, LINUX_CLOCK_SOURCE_MAX, "%s", first ? first : "");
	free(names);
}

bool linux_clock_source_is_slow(const char *name)
{
	static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
	for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
		if (strcmp(name, slow[i]) == 0)
			return true;
	return false;
}

bool linux_clock_source_has(const struct sst_env *env, const char *name)
{
	char *const names = read_names(env, FOLDER "available_clocksource");
	char *rest = names;
	const char *one = names ? next_name(&rest) : NULL;
	while (one && strcmp(one, name) != 0)
		one = next_name(&rest);
	free(names);
	return one != NULL;
}

double linux_clock_suspended_s(void)
{
	struct timespec boot, awake;
	if (clock_gettime(CLOCK_MONOTONIC, &awake) != 0 || clock_gettime(CLOCK_BOOTTIME, &boot) != 0)
		return 0;
	return (double)(boot.tv_sec - awake.tv_sec) + (double)(boot.tv_nsec - awake.tv_nsec) / 1e9;
}
