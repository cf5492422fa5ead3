/* SPDX-License-Identifier: MIT */
#include "linux_processors.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* First line of a small file, or false. */
static bool read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	const bool got = fgets(line, (int)size, file) != NULL;
	fclose(file);
	return got;
}

static double read_number(const char *folder, const char *name)
{
	char path[PATH_MAX];
	char line[64];
	if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path || !read_line(path, line, sizeof line))
		return -1;
	return strtod(line, NULL);
}

/* The quota of one cgroup, or 0 for none: cpu.max is "QUOTA PERIOD" or "max PERIOD". */
static double quota_of(const char *folder, bool version2)
{
	double quota;
	double period;
	if (version2) {
		char path[PATH_MAX];
		char line[64];
		if (snprintf(path, sizeof path, "%s/cpu.max", folder) >= (int)sizeof path || !read_line(path, line, sizeof line))
			return 0;
		char *end; /* what is no number reads as 0 */
		quota = strtod(line, &end);
		period = strtod(end, NULL);
	} else {
		quota = read_number(folder, "cpu.cfs_quota_us");
		period = read_number(folder, "cpu.cfs_period_us");
	}
	return quota > 0 && period > 0 ? quota / period : 0;
}

/* Whether a comma-separated list of controllers has `cpu`. */
static bool has_cpu(const char *controllers, size_t length)
{
	for (const char *end = controllers + length; controllers < end;) {
		const char *comma = memchr(controllers, ',', (size_t)(end - controllers));
		const char *stop = comma ? comma : end;
		if (stop - controllers == 3 && memcmp(controllers, "cpu", 3) == 0)
			return true;
		controllers = stop + 1;
	}
	return false;
}

/* The smallest quota from a cgroup up to the mount point of its hierarchy. */
static double smallest_up(const char *mount, const char *path, size_t length, bool version2)
{
	double smallest = 0;
	char folder[PATH_MAX];
	if (snprintf(folder, sizeof folder, "%s%.*s", mount, (int)length, path) >= (int)sizeof folder)
		return 0;
	for (;;) {
		const double quota = quota_of(folder, version2);
		if (quota > 0 && (smallest == 0 || quota < smallest))
			smallest = quota;
		char *slash = strrchr(folder, '/');
		if (!slash || (size_t)(slash - folder) < strlen(mount))
			return smallest;
		*slash = '\0';
	}
}

double linux_processors_quota(const char *root, const char *cgroups)
{
	static const char *const mounts[2][2] = {{"cpu", "cpu,cpuacct"}, {"", "unified"}};
	double smallest = 0;
	for (const char *line = cgroups; line && *line;) {
		const char *end = strchrnul(line, '\n');
		const char *controllers = memchr(line, ':', (size_t)(end - line));
		const char *path = controllers ? memchr(controllers + 1, ':', (size_t)(end - controllers - 1)) : NULL;
		if (path) {
			controllers++;
			const bool version2 = path == controllers;
			for (int i = 0; i < 2 && (version2 || has_cpu(controllers, (size_t)(path - controllers))); i++) {
				char mount[PATH_MAX];
				snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s%s", root, *mounts[version2][i] ? "/" : "", mounts[version2][i]);
				const double quota = smallest_up(mount, path + 1, (size_t)(end - path - 1), version2);
				if (quota > 0 && (smallest == 0 || quota < smallest))
					smallest = quota;
			}
		}
		line = *end ? end + 1 : end;
	}
	return smallest;
}

unsigned linux_processors_usable(void)
{
	unsigned usable = 1;
	/* The mask may be larger than cpu_set_t on very large machines. */
	for (int limit = 1024; limit <= 65536; limit *= 4) {
		cpu_set_t *set = CPU_ALLOC(limit);
		const size_t size = CPU_ALLOC_SIZE(limit);
		const bool got = set && sched_getaffinity(0, size, set) == 0;
		if (got)
			usable = (unsigned)CPU_COUNT_S(size, set);
		CPU_FREE(set);
		if (got)
			break;
	}
	char cgroups[8192] = "";
	FILE *file = fopen("/proc/self/cgroup", "re");
	if (file) {
		cgroups[fread(cgroups, 1, sizeof cgroups - 1, file)] = '\0';
		fclose(file);
	}
	const double quota = ceil(linux_processors_quota("", cgroups));
	if (quota >= 1 && quota < usable)
		usable = (unsigned)quota;
	return usable;
}
