/* SPDX-License-Identifier: MIT */
/*
 * Which group is meant: a path, or the short name of a unit or a container, looked for below the mount points of the hierarchies. It reads
 * folders and nothing else.
 */
#ifndef GROUPS_GROUP_FIND_H
#define GROUPS_GROUP_FIND_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "module/actuator.h"

/* Hierarchies in which groups are looked for: version 2, and those of version 1 that hold, count or name them. */
enum group_hierarchy { GROUP_UNIFIED, GROUP_FREEZER, GROUP_CPU, GROUP_CPUACCT, GROUP_NAMED };
#define GROUP_HIERARCHIES 5

/* Where each is mounted; "" for nowhere. */
struct group_mounts {
	char point[GROUP_HIERARCHIES][PATH_MAX];
};

/* From the text of /proc/self/mountinfo: the first mount of each. */
void group_mounts_parse(struct group_mounts *mounts, const char *text, size_t length);
/* Those of this process; false with errno where they can't be read. */
bool group_mounts_read(struct group_mounts *mounts);

/* Which hierarchy a folder is of, and what it is called below the mount point; "" for the root. False where it is below none. */
bool group_hierarchy_of(
	const struct group_mounts *mounts, const char *folder, enum group_hierarchy *hierarchy, char below[static PATH_MAX]);

/* The folder of the group in which a process is, by the text of its /proc/PID/cgroup. False where it can't be seen. */
bool group_of_process(const struct group_mounts *mounts, const char *text, size_t length, enum group_hierarchy hierarchy,
	char folder[static PATH_MAX]);

/* Whether a name is unit:…, lxc:… or container:…. */
bool group_name_is_short(const char *name);

#define GROUP_FIND_ERROR_MAX 2048

/*
 * The folder of a group that can be held so: `name` is a path below a mount point, or with it; unit:NAME, .service being understood;
 * lxc:NAME; or container:ID, of which the beginning does. 0, or -1 with a message: there is none, or there are several.
 */
int group_find(const struct group_mounts *mounts, const char *name, enum actuator actuator, char folder[static PATH_MAX],
	char error[static GROUP_FIND_ERROR_MAX]);

#endif
