/* SPDX-License-Identifier: MIT */
/*
 * Control groups as feedback modules see them, through the handles of the host: what a group has used, and what it may
 * use, which is the smallest quota from it up to the mount point of its hierarchy, its cpuset, or else the processors online.
 */
#ifndef GROUPS_CGROUP_H
#define GROUPS_CGROUP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "groups/cgroup_places.h"
#include "showstopper/module.h"

/* Quotas that are looked at: more levels than anybody has. */
#define LINUX_CGROUP_QUOTAS_MAX 64

struct linux_cgroup_quota {
	int quota, period; /* handles; period is -1 where one file says both (v2) */
	bool unified;      /* of v2 */
	unsigned up;       /* so many levels above the group */
};

/* One group; start with LINUX_CGROUP_NONE. */
struct linux_cgroup {
	int usage; /* handle */
	enum linux_cgroup_format format;
	int cpuset, online; /* handles, or -1 */
	unsigned quotas;
	struct linux_cgroup_quota quota[LINUX_CGROUP_QUOTAS_MAX];
};
#define LINUX_CGROUP_NONE ((struct linux_cgroup){.usage = -1, .cpuset = -1, .online = -1})

/* In memory that all readers of a group share, zeroed at first: what it may use, and when somebody looked. */
struct linux_cgroup_capacity {
	_Atomic double processors;
	_Atomic int64_t looked_ns;
};

/* What the process's own group, or one above it, takes away of the machine. */
struct linux_cgroup_container {
	double quota;          /* processors, where less than it could use otherwise; else 0 */
	char group[PATH_MAX];  /* the folder of the group that has this quota */
	struct sst_cpus *cpus; /* its cpuset, where less than the processors online; else NULL; to be freed */
	bool shows_cpuset;     /* there is a cpuset to be seen, whatever it takes away */
};

/*
 * Opens a group: `path` is "self", a name below the mount point of cgroup v2 or of v1's cpuacct, or a directory. Takes a first look at
 * the capacity. 0, or -1 with a message.
 */
int linux_cgroup_open(struct linux_cgroup *group, const struct sst_env *env, const char *path,
	struct linux_cgroup_capacity *capacity, char error[static LINUX_CGROUP_ERROR_MAX]);

/* The same for the group that linux_cgroup_find_container found to have a quota. */
int linux_cgroup_open_container(struct linux_cgroup *group, const struct sst_env *env, struct linux_cgroup_capacity *capacity,
	char error[static LINUX_CGROUP_ERROR_MAX]);
void linux_cgroup_close(struct linux_cgroup *group, const struct sst_env *env);

/* False where neither quota nor cpuset takes anything away, or nothing says so. */
bool linux_cgroup_find_container(const struct sst_env *env, struct linux_cgroup_container *container);

/* Usage in counter[0], ns, and capacity, which is looked at anew once a second. 0, or -1 with errno. */
int linux_cgroup_read(const struct linux_cgroup *group, const struct sst_env *env, struct linux_cgroup_capacity *capacity,
	struct sst_reading *now);

#endif
