/* SPDX-License-Identifier: MIT */
/*
 * What takes a part of the machine away from this process: control groups that it sees, processors that it may not use without any group
 * saying so, and lxcfs, which shows a /proc/stat of its own.
 */
#ifndef LOAD_CONTAINER_H
#define LOAD_CONTAINER_H

#include "groups/cgroup.h"

struct linux_container {
	struct linux_cgroup_container group; /* its quota, and its processors */
	bool by_affinity; /* these processors are those that this process may use, as no control group shows a cpuset */
	bool lxcfs;       /* /proc/stat shows the container's processors alone, with numbers of its own */
};

/* False where nothing takes anything away, or nothing says so. Free with linux_container_free in both cases. */
bool linux_container_find(const struct sst_env *env, struct linux_container *container);
void linux_container_free(struct linux_container *container);

/* For people, `size` bytes: "a quota of 1.5 processors (/sys/fs/cgroup/x)", "processors 0-1, by affinity …", … */
void linux_container_describe(const struct linux_container *container, char *text, size_t size);

/* The processors that this process may use, online or not, to be freed; NULL where /proc/self/status doesn't say. */
struct sst_cpus *linux_container_allowed(const struct sst_env *env);

/* Processors that /proc/stat has, of a set or (NULL) of all; 0 where it can't be read. */
unsigned linux_container_online(const struct sst_env *env, const struct sst_cpus *cpus);

/*
 * Whether a processor of /proc/stat has the number that the kernel has for it: always, but for lxcfs that doesn't show a beginning of all
 * processors.
 */
bool linux_container_keeps_numbers(const struct sst_env *env, const struct linux_container *container);

#endif
