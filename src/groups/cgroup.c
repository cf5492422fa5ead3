/* SPDX-License-Identifier: MIT */
#include "groups/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/units.h"

/* A list of every second of CPUS_LIMIT processors. */
#define CPUS_TEXT_MAX ((size_t)3 * CPUS_LIMIT)
/* How often quotas and cpuset are looked at. */
#define CAPACITY_EVERY_NS NS_PER_S

/* ---- What a group may use --------------------------------------------------------------------------------------------- */

/* Moves a folder one level up; false at the mount point. */
static bool go_up(char *folder, const char *point)
{
	char *const slash = strrchr(folder, '/');
	if (!slash || (size_t)(slash - folder) < strlen(point))
		return false;
	*slash = '\0';
	return true;
}

static void add_quotas(
	struct linux_cgroup *group, const struct sst_env *env, const struct linux_cgroup_place *place, bool unified)
{
	char folder[PATH_MAX];
	if (!place->mounted)
		return;
	/* What can't be seen may still be below a quota of what is mounted. */
	strcpy(folder, place->folder[0] ? place->folder : place->point);
	unsigned up = 0;
	do {
		if (group->quotas == LINUX_CGROUP_QUOTAS_MAX)
			return;
		struct linux_cgroup_quota quota = {.period = -1, .unified = unified, .up = up++};
		quota.quota = linux_cgroup_open_file(env, folder, unified ? "/cpu.max" : "/cpu.cfs_quota_us");
		if (quota.quota >= 0 && !unified)
			quota.period = linux_cgroup_open_file(env, folder, "/cpu.cfs_period_us");
		if (quota.quota >= 0 && (unified || quota.period >= 0))
			group->quota[group->quotas++] = quota;
		else
			linux_cgroup_close_file(env, &quota.quota);
	} while (go_up(folder, place->point));
}

static void add_cpuset(
	struct linux_cgroup *group, const struct sst_env *env, const struct linux_cgroup_place *place, bool unified)
{
	static const char *const names[2][2] = {
		{"/cpuset.effective_cpus", "/cpuset.cpus"}, {"/cpuset.cpus.effective", "/cpuset.cpus"}};
	char folder[PATH_MAX];
	if (!place->folder[0])
		return;
	strcpy(folder, place->folder);
	do
		for (int i = 0; group->cpuset < 0 && i < 2 - unified; i++)
			group->cpuset = linux_cgroup_open_file(env, folder, names[unified][i]);
	while (group->cpuset < 0 && go_up(folder, place->point));
}

static void add_limits(struct linux_cgroup *group, const struct sst_env *env, const struct linux_cgroup_place *places)
{
	add_quotas(group, env, &places[LINUX_CGROUP_UNIFIED], true);
	add_quotas(group, env, &places[LINUX_CGROUP_CPU], false);
	add_cpuset(group, env, &places[LINUX_CGROUP_CPUSET], false);
	if (group->cpuset < 0)
		add_cpuset(group, env, &places[LINUX_CGROUP_UNIFIED], true);
	group->online = env->host->open(env, "/sys/devices/system/cpu/online");
}

static ssize_t read_text(const struct sst_env *env, int handle, char *text, size_t size)
{
	int64_t when_ns;
	return handle < 0 ? -1 : env->host->read(env, handle, text, size, &when_ns);
}

/* A file of one number; 0 when it has none, or -1, which is no quota. */
static double read_number(const struct sst_env *env, int handle)
{
	char text[64];
	uint64_t value;
	const char *at = text;
	const ssize_t length = read_text(env, handle, text, sizeof text);
	return length > 0 && linux_number(&at, text + length, &value) ? (double)value : 0;
}

static double read_quota(const struct sst_env *env, const struct linux_cgroup_quota *quota)
{
	char text[64];
	if (quota->unified) {
		const ssize_t length = read_text(env, quota->quota, text, sizeof text);
		return length > 0 ? linux_cgroup_parse_max(text, (size_t)length) : 0;
	}
	const double us = read_number(env, quota->quota), period_us = read_number(env, quota->period);
	return period_us > 0 ? us / period_us : 0;
}

/* The smallest quota in processors, or 0 for none. */
static double smallest_quota(const struct linux_cgroup *group, const struct sst_env *env, const struct linux_cgroup_quota **whose)
{
	double smallest = 0;
	for (unsigned i = 0; i < group->quotas; i++) {
		const double quota = read_quota(env, &group->quota[i]);
		if (!(quota > 0) || (smallest > 0 && quota >= smallest))
			continue;
		smallest = quota;
		if (whose)
			*whose = &group->quota[i];
	}
	return smallest;
}

/* A list of processors, to be freed, or NULL. */
static struct sst_cpus *read_cpus(const struct sst_env *env, int handle)
{
	struct sst_cpus *cpus = NULL;
	char *text = malloc(CPUS_TEXT_MAX);
	ssize_t length = text ? read_text(env, handle, text, CPUS_TEXT_MAX) : -1;
	while (length > 0 && text[length - 1] == '\n')
		length--;
	if (length > 0 && cpus_parse(text, (size_t)length, &cpus, NULL) != 0)
		cpus = NULL;
	free(text);
	return cpus;
}

static double count_cpus(const struct sst_env *env, int handle)
{
	struct sst_cpus *const cpus = read_cpus(env, handle);
	const double count = cpus ? (double)cpus->count : 0;
	free(cpus);
	return count;
}

/* The smaller one, where 0 is none. */
static double smaller(double a, double b)
{
	return a > 0 && (a < b || !(b > 0)) ? a : b;
}

/* What the group may use, in processors, or 0 when nothing says. */
static double look(const struct linux_cgroup *group, const struct sst_env *env)
{
	return smaller(smallest_quota(group, env, NULL), smaller(count_cpus(env, group->cpuset), count_cpus(env, group->online)));
}

static int take_first_look(struct linux_cgroup *group, const struct sst_env *env, struct linux_cgroup_capacity *capacity,
	char error[static LINUX_CGROUP_ERROR_MAX])
{
	const double processors = look(group, env);
	if (!(processors > 0)) {
		snprintf(error, LINUX_CGROUP_ERROR_MAX,
			"nothing says how many processors the group may use: no quota, no cpuset, no "
			"/sys/devices/system/cpu/online");
		return -1;
	}
	atomic_store(&capacity->processors, processors);
	return 0;
}

/* ---- The whole -------------------------------------------------------------------------------------------------------- */

/*
 * Opens the usage of the own group, or of one `up` levels above it: a handle, or -1 with a message. `unified`: the group that is meant is
 * that of version 2.
 */
static int open_own(const struct sst_env *env, const struct linux_cgroup_place *places, bool unified, unsigned up,
	enum linux_cgroup_format *format, char error[static LINUX_CGROUP_ERROR_MAX])
{
	/* What the other version counts is of the same processes if the groups have one name, other than that of any namespace's root. */
	const struct linux_cgroup_place *const first = &places[unified ? LINUX_CGROUP_UNIFIED : LINUX_CGROUP_CPU];
	const enum linux_cgroup_hierarchy counting[] = {
		unified ? LINUX_CGROUP_UNIFIED : LINUX_CGROUP_CPUACCT, unified ? LINUX_CGROUP_CPUACCT : LINUX_CGROUP_UNIFIED};
	if (!first->listed) {
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "/proc/self/cgroup doesn't name the own cgroup");
		return -1;
	}
	for (int i = 0; i < 2; i++) {
		const struct linux_cgroup_place *const place = &places[counting[i]];
		char folder[PATH_MAX];
		if (i == 1 && (strcmp(first->own, "/") == 0 || strcmp(places[counting[0]].own, first->own) == 0))
			break;
		if (!place->folder[0] || strcmp(place->own, first->own) != 0)
			continue;
		strcpy(folder, place->folder);
		bool there = true;
		for (unsigned k = 0; k < up && there; k++)
			there = go_up(folder, place->point);
		const int handle = there ? linux_cgroup_open_usage_in(env, folder, format) : -1;
		if (handle >= 0)
			return handle;
	}
	snprintf(error, LINUX_CGROUP_ERROR_MAX, "nothing that is mounted counts the processor time of the own cgroup %s%.200s%s",
		unified ? "" : "cpu:", first->own,
		places[LINUX_CGROUP_CPUACCT].listed && strcmp(places[LINUX_CGROUP_CPUACCT].own, first->own) != 0
			? " (in cpuacct it is another one)"
			: "");
	return -1;
}

int linux_cgroup_open(struct linux_cgroup *group, const struct sst_env *env, const char *path,
	struct linux_cgroup_capacity *capacity, char error[static LINUX_CGROUP_ERROR_MAX])
{
	*group = LINUX_CGROUP_NONE;
	struct linux_cgroup_place *const places = linux_cgroup_find_places(env, error);
	if (!places)
		return -1;
	const bool unified = !places[LINUX_CGROUP_CPU].mounted || !places[LINUX_CGROUP_CPU].listed;
	group->usage = strcmp(path, "self") == 0 ? open_own(env, places, unified, 0, &group->format, error)
						 : linux_cgroup_open_named(env, places, path, &group->format, error);
	int result = group->usage < 0 ? -1 : 0;
	if (result == 0) {
		add_limits(group, env, places);
		result = take_first_look(group, env, capacity, error);
	}
	free(places);
	if (result != 0)
		linux_cgroup_close(group, env);
	return result;
}

void linux_cgroup_close(struct linux_cgroup *group, const struct sst_env *env)
{
	for (unsigned i = 0; i < group->quotas; i++) {
		linux_cgroup_close_file(env, &group->quota[i].quota);
		linux_cgroup_close_file(env, &group->quota[i].period);
	}
	linux_cgroup_close_file(env, &group->usage);
	linux_cgroup_close_file(env, &group->cpuset);
	linux_cgroup_close_file(env, &group->online);
	*group = LINUX_CGROUP_NONE;
}

/* The quota that takes something away, or 0; *whose is it. */
static double binding_quota(const struct linux_cgroup *group, const struct sst_env *env, const struct linux_cgroup_quota **whose)
{
	const double quota = smallest_quota(group, env, whose);
	const double processors = smaller(count_cpus(env, group->cpuset), count_cpus(env, group->online));
	return quota > 0 && (quota < processors || !(processors > 0)) ? quota : 0;
}

int linux_cgroup_open_container(struct linux_cgroup *group, const struct sst_env *env, struct linux_cgroup_capacity *capacity,
	char error[static LINUX_CGROUP_ERROR_MAX])
{
	const struct linux_cgroup_quota *whose = NULL;
	int result = -1;
	*group = LINUX_CGROUP_NONE;
	struct linux_cgroup_place *const places = linux_cgroup_find_places(env, error);
	if (!places)
		return -1;
	add_limits(group, env, places);
	if (binding_quota(group, env, &whose) > 0) {
		group->usage = open_own(env, places, whose->unified, whose->up, &group->format, error);
		result = group->usage < 0 ? -1 : take_first_look(group, env, capacity, error);
	} else {
		snprintf(error, LINUX_CGROUP_ERROR_MAX, "no quota takes anything away from the own cgroup");
	}
	free(places);
	if (result != 0)
		linux_cgroup_close(group, env);
	return result;
}

bool linux_cgroup_find_container(const struct sst_env *env, struct linux_cgroup_container *container)
{
	char ignored[LINUX_CGROUP_ERROR_MAX];
	const struct linux_cgroup_quota *whose = NULL;
	*container = (struct linux_cgroup_container){0};
	struct linux_cgroup_place *const places = linux_cgroup_find_places(env, ignored);
	if (!places)
		return false;
	struct linux_cgroup group = LINUX_CGROUP_NONE;
	add_limits(&group, env, places);
	container->quota = binding_quota(&group, env, &whose);
	if (container->quota > 0) {
		const struct linux_cgroup_place *const place = &places[whose->unified ? LINUX_CGROUP_UNIFIED : LINUX_CGROUP_CPU];
		strcpy(container->group, place->folder[0] ? place->folder : place->point);
		for (unsigned i = 0; i < whose->up; i++)
			go_up(container->group, place->point);
	}
	container->cpus = read_cpus(env, group.cpuset);
	container->shows_cpuset = container->cpus != NULL;
	if (container->cpus && (double)container->cpus->count >= count_cpus(env, group.online)) {
		free(container->cpus);
		container->cpus = NULL;
	}
	linux_cgroup_close(&group, env);
	free(places);
	return container->quota > 0 || container->cpus;
}

int linux_cgroup_read(const struct linux_cgroup *group, const struct sst_env *env, struct linux_cgroup_capacity *capacity,
	struct sst_reading *now)
{
	uint64_t ns;
	int64_t when_ns;
	if (linux_cgroup_used(env, group->usage, group->format, &ns, &when_ns) != 0)
		return -1;
	int64_t looked_ns = atomic_load(&capacity->looked_ns);
	if (when_ns - looked_ns >= CAPACITY_EVERY_NS &&
		atomic_compare_exchange_strong(&capacity->looked_ns, &looked_ns, when_ns)) {
		const double processors = look(group, env);
		if (processors > 0)
			atomic_store(&capacity->processors, processors);
	}
	*now = (struct sst_reading){.when_ns = when_ns, .processors = atomic_load(&capacity->processors), .counter = {ns}};
	return 0;
}
