/* SPDX-License-Identifier: MIT */
/* What is written in the files of control groups, and in those that say where control groups are. Pure. */
#ifndef GROUPS_CGROUP_TEXT_H
#define GROUPS_CGROUP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LINUX_CGROUP_ERROR_MAX 512

/* The files that count processor time. */
enum linux_cgroup_format {
	LINUX_CGROUP_V2,      /* cpu.stat: usage_usec */
	LINUX_CGROUP_V1,      /* cpuacct.usage: ns */
	LINUX_CGROUP_PER_CPU, /* cpuacct.usage_percpu: ns of each possible processor, from 0 */
};

/* Parses such a file: stores at most `room` numbers (ns) and returns how many there are, or -1 with errno EINVAL. */
ssize_t linux_cgroup_usage_parse(enum linux_cgroup_format format, const char *text, size_t length, uint64_t *ns, size_t room);

/*
 * Looks in the text of /proc/self/mountinfo for the file system `type` with the super option `option` (NULL: any). Copies
 * the mount point to `point` and the part of the file system that is mounted there to `part`, both `size` bytes. 0, or -1 with errno ENOENT.
 */
int linux_cgroup_find_mount(
	const char *text, size_t length, const char *type, const char *option, char *point, char *part, size_t size);

/* The same from *at on, which moves behind what was found; false when there is none. */
bool linux_cgroup_next_mount(
	const char **at, const char *end, const char *type, const char *option, char *point, char *part, size_t size);

/* "QUOTA PERIOD" or "max PERIOD" (cpu.max) in processors; 0 for none, or a text that is something else. */
double linux_cgroup_parse_max(const char *text, size_t length);
/* Copies the group of a controller, or with NULL that of v2, from the text of /proc/self/cgroup. False when it isn't there. */
bool linux_cgroup_parse_own(const char *text, size_t length, const char *controller, char *path, size_t size);
/*
 * Where below a mount point a group is: `path` as /proc/self/cgroup has it, `part` what mountinfo says is mounted. "" for the mount point
 * itself, or "/a/b"; NULL when it isn't below it.
 */
const char *linux_cgroup_below(const char *path, const char *part);

/* Whether a path has a part `..`. */
bool linux_cgroup_climbs(const char *path);

#endif
