/* SPDX-License-Identifier: MIT */
/* Where control groups are, through the handles of the host, and what counts their processor time. */
#ifndef GROUPS_CGROUP_PLACES_H
#define GROUPS_CGROUP_PLACES_H

#include <linux/limits.h>
#include <stdbool.h>

#include "groups/cgroup_text.h"
#include "showstopper/module.h"

/* The folder of the own group, of version 1's `controller`, or with NULL of version 2; false where it can't be seen. */
bool linux_cgroup_own_folder(const struct sst_env *env, const char *controller, char folder[static PATH_MAX]);

/*
 * Opens what counts the processor time of a group that is given by a name below the mount point of cgroup v2 or of
 * v1's cpuacct, or by a directory. A handle, or -1 with a message.
 */
int linux_cgroup_open_usage(
	const struct sst_env *env, const char *path, enum linux_cgroup_format *format, char error[static LINUX_CGROUP_ERROR_MAX]);

/* What a group has used by such a handle, ns, and when. 0, or -1 with errno: ENODEV for a group that was removed, EINVAL. */
int linux_cgroup_used(const struct sst_env *env, int usage, enum linux_cgroup_format format, uint64_t *used_ns, int64_t *when_ns);

/* Those that matter: version 2, and of version 1 what has quotas, usage and cpuset. */
enum linux_cgroup_hierarchy {
	LINUX_CGROUP_UNIFIED,
	LINUX_CGROUP_CPU,
	LINUX_CGROUP_CPUACCT,
	LINUX_CGROUP_CPUSET,
	LINUX_CGROUP_HIERARCHIES,
};

/* A group in one hierarchy. */
struct linux_cgroup_place {
	bool mounted, listed;  /* the hierarchy is; it is in /proc/self/cgroup */
	char point[PATH_MAX];  /* the mount point */
	char own[PATH_MAX];    /* as listed */
	char folder[PATH_MAX]; /* of the group, at or below the mount point; "" where it can't be seen */
};

/* The own places of all hierarchies, to be freed, or NULL with a message. */
struct linux_cgroup_place *linux_cgroup_find_places(const struct sst_env *env, char error[static LINUX_CGROUP_ERROR_MAX]);

/* Moves the places to the group that a path names, and opens its usage: a handle, or -1 with a message. */
int linux_cgroup_open_named(const struct sst_env *env, struct linux_cgroup_place *places, const char *path,
	enum linux_cgroup_format *format, char error[static LINUX_CGROUP_ERROR_MAX]);

/* Opens the usage of the group in this folder: a handle, or -1. */
int linux_cgroup_open_usage_in(const struct sst_env *env, const char *folder, enum linux_cgroup_format *format);

/* A file of a group, `name` beginning with a slash: a handle, or -1. Closing makes it -1. */
int linux_cgroup_open_file(const struct sst_env *env, const char *folder, const char *name);
void linux_cgroup_close_file(const struct sst_env *env, int *handle);

#endif
