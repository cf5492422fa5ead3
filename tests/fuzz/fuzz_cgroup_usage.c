/* SPDX-License-Identifier: MIT */
/* Any text is taken or refused without a fault, as each file of a control group and as a list of mounts. */
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "groups/cgroup_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	uint64_t ns[4];
	check(linux_cgroup_usage_parse(LINUX_CGROUP_V2, text, size, ns, 4) <= 1);
	check(linux_cgroup_usage_parse(LINUX_CGROUP_V1, text, size, ns, 4) <= 1);
	const ssize_t count = linux_cgroup_usage_parse(LINUX_CGROUP_PER_CPU, text, size, ns, 4);
	check(count != 0 && count == linux_cgroup_usage_parse(LINUX_CGROUP_PER_CPU, text, size, ns, 0));

	char point[32], part[32];
	if (linux_cgroup_find_mount(text, size, "cgroup2", NULL, point, part, sizeof point) == 0)
		check(strlen(point) > 0 && strlen(point) < sizeof point && strlen(part) > 0 && strlen(part) < sizeof part);
	/* Who looks for any options finds what is found with one. */
	if (linux_cgroup_find_mount(text, size, "cgroup", "cpuacct", point, part, sizeof point) == 0)
		check(linux_cgroup_find_mount(text, size, "cgroup", NULL, point, part, sizeof point) == 0);
	return 0;
}
