/* SPDX-License-Identifier: MIT */
#include "self/pid_namespace.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The kernel gives this inode to the machine's first namespace always. */
#define FIRST 0xEFFFFFFC

static ino_t namespace_of(const char *process)
{
	char path[64];
	struct stat about;
	snprintf(path, sizeof path, "/proc/%.20s/ns/pid", process);
	return stat(path, &about) == 0 ? about.st_ino : 0;
}

ino_t pid_namespace_own(void)
{
	return namespace_of("self");
}

/* Whether a process that has not ended is in a namespace below that of this /proc, which everybody may read: it has a number in each. */
static bool is_below(const char *process)
{
	char path[64], line[128];
	bool below = false, ended = false;
	snprintf(path, sizeof path, "/proc/%.20s/status", process);
	FILE *const status = fopen(path, "re");
	while (status && fgets(line, sizeof line, status)) {
		ended = ended || strncmp(line, "State:\tZ", 8) == 0;
		below = below || (strncmp(line, "NSpid:\t", 7) == 0 && strchr(line + 7, '\t'));
	}
	if (status)
		fclose(status);
	return below && !ended;
}

bool pid_namespace_may_live(ino_t wanted)
{
	DIR *const directory = opendir("/proc");
	bool may = !directory || namespace_of("self") != FIRST;
	for (const struct dirent *entry; !may && (entry = readdir(directory));) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		/* Of a process of another user only that it is below may be seen. */
		const ino_t its = namespace_of(entry->d_name);
		may = its ? its == wanted : is_below(entry->d_name);
	}
	if (directory)
		closedir(directory);
	return may;
}
