/* SPDX-License-Identifier: MIT */
/* Any text of /proc/self/cgroup, cpu.max and mountinfo's paths is understood without a fault; what is found stays inside. */
#include <stdlib.h>
#include <string.h>

#include "groups/cgroup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	static const char *const controllers[] = {NULL, "cpu", "cpuacct", "cpuset"};
	char path[64];
	for (size_t i = 0; i < sizeof controllers / sizeof *controllers; i++)
		if (linux_cgroup_parse_own(text, size, controllers[i], path, sizeof path)) {
			check(path[0] == '/' && strlen(path) < sizeof path && !strchr(path, '\n'));
			const char *const below = linux_cgroup_below(path, "/");
			check(!below || !*below || *below == '/');
		}
	check(linux_cgroup_parse_max(text, size) >= 0);

	/* The first line as a path, the rest as the part that is mounted. */
	char *const first = malloc(size + 1), *const rest = malloc(size + 1);
	check(first && rest);
	const char *const newline = size ? memchr(text, '\n', size) : NULL;
	const size_t length = newline ? (size_t)(newline - text) : size;
	memcpy(first, text, length);
	first[length] = '\0';
	memcpy(rest, text + length, size - length);
	rest[size - length] = '\0';
	const char *const part = *rest ? rest + 1 : rest;
	const char *const below = linux_cgroup_below(first, part);
	check(!below || !*below || (*below == '/' && below >= first && below < first + length));
	check(!below || !strstr(below, "/../"));
	free(first);
	free(rest);
	return 0;
}
