/* SPDX-License-Identifier: MIT */
#include "load/container.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/units.h"
#include "load/stat.h"
#include "self/host_text.h"

unsigned linux_container_online(const struct sst_env *env, const struct sst_cpus *cpus)
{
	struct linux_stat stat;
	size_t length = 0;
	char *const text = host_text(env, "/proc/stat", &length);
	const bool told = text && linux_stat_parse(text, length, cpus, &stat) == 0;
	free(text);
	return told ? stat.processors : 0;
}

/* Its file is mounted over the kernel's. */
static bool finds_lxcfs(const struct sst_env *env)
{
	char point[PATH_MAX], part[PATH_MAX];
	size_t length = 0;
	bool found = false;
	char *const mounts = host_text(env, "/proc/self/mountinfo", &length);
	const char *at = mounts;
	while (mounts && !found && linux_cgroup_next_mount(&at, mounts + length, "fuse.lxcfs", NULL, point, part, PATH_MAX))
		found = strcmp(point, "/proc/stat") == 0;
	free(mounts);
	return found;
}

struct sst_cpus *linux_container_allowed(const struct sst_env *env)
{
	static const char name[] = "\nCpus_allowed_list:";
	struct sst_cpus *cpus = NULL;
	char *const text = host_text(env, "/proc/self/status", NULL);
	const char *at = text ? strstr(text, name) : NULL;
	if (at) {
		at += sizeof name - 1;
		at += strspn(at, "\t ");
		if (cpus_parse(at, strcspn(at, "\n"), &cpus, NULL) != 0)
			cpus = NULL;
	}
	free(text);
	return cpus;
}

static void take_affinity(const struct sst_env *env, struct linux_container *container)
{
	struct sst_cpus *const allowed = linux_container_allowed(env);
	const unsigned usable = allowed ? linux_container_online(env, allowed) : 0;
	container->by_affinity = usable > 0 && usable < linux_container_online(env, NULL);
	if (!container->by_affinity) {
		free(allowed);
		return;
	}
	container->group.cpus = allowed;
	/* A quota of more than these can't be used up. */
	if (container->group.quota >= usable)
		container->group.quota = 0;
}

bool linux_container_find(const struct sst_env *env, struct linux_container *container)
{
	*container = (struct linux_container){.lxcfs = finds_lxcfs(env)};
	const bool found = linux_cgroup_find_container(env, &container->group);
	if (!container->group.shows_cpuset && !container->lxcfs)
		take_affinity(env, container);
	return found || container->by_affinity || container->lxcfs;
}

void linux_container_free(struct linux_container *container)
{
	free(container->group.cpus);
	container->group.cpus = NULL;
}

void linux_container_describe(const struct linux_container *container, char *text, size_t size)
{
	const struct linux_cgroup_container *const group = &container->group;
	char number[UNITS_TEXT_MAX];
	FILE *const to = fmemopen(text, size, "w");
	text[0] = '\0';
	if (!to)
		return;
	if (group->quota > 0)
		fprintf(to, "a quota of %s processor%s (%s)", units_print_real(group->quota, number),
			group->quota == 1 ? "" : "s", group->group);
	if (group->cpus) {
		fputs(group->quota > 0 ? ", processors " : "processors ", to);
		cpus_print(group->cpus, to);
	}
	if (container->by_affinity)
		fputs(", by affinity, as no control group shows a cpuset", to);
	else if (container->lxcfs)
		fprintf(to, "%slxcfs: /proc/stat shows the container's processors, with numbers of its own",
			group->quota > 0 || group->cpus ? ", " : "");
	fclose(to);
	text[size - 1] = '\0';
}

bool linux_container_keeps_numbers(const struct sst_env *env, const struct linux_container *container)
{
	if (!container->lxcfs)
		return true;
	struct sst_cpus *const allowed = linux_container_allowed(env);
	const bool keeps = allowed && allowed->cpu[allowed->count - 1] == allowed->count - 1 &&
			   linux_container_online(env, NULL) == allowed->count;
	free(allowed);
	return keeps;
}
