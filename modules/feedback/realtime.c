/* SPDX-License-Identifier: MIT */
/*
 * The load of the machine, of some of its processors or of its cores, filtered as in paper 000, Section 3.2.2. The sources are in
 * load/machine_load.h, and explained in showstopper-modules(7).
 *
 * In a container the machine is what the container has: with a quota, the group that has it (source `cgroup`); with a cpuset and no
 * quota, the processors of it, as if they had been given as `cpus`. Where no cpuset can be seen, as in containers without control
 * groups, they are those that we may use. lxcfs shows a /proc/stat of the container, which is taken for the machine's; its numbers of
 * processors mean nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "filter.h"
#include "load/container.h"
#include "load/core_load.h"
#include "load/machine_load.h"
#include "offline.h"
#include "showstopper/module.h"

#define SOURCE_CGROUP ((int)LINUX_MACHINE_SOURCES)

static const char *const sources[] = {LINUX_MACHINE_SOURCE_NAMES, "cgroup", NULL};

static const char *const units[] = {[SST_UNIT_PROCESSOR] = "processor", [SST_UNIT_CORE] = "core", NULL};

struct realtime {
	struct filter filter;
	int source;                    /* enum linux_machine_source, or SOURCE_CGROUP */
	int unit;                      /* enum sst_unit */
	const struct sst_cpus *cpus;   /* of the option, or those of the workloads, … */
	bool moving;                   /* … which change */
	bool container;                /* may be looked for */
	struct linux_machine *machine; /* NULL with source=cgroup */
	struct linux_cgroup group;     /* the container's, of source=cgroup */
	struct sst_cpus *cpuset;       /* the container's, or what we may use, where `cpus` is it; owned */
	bool contained;                /* nobody in the container gets out of what is measured */
	bool lxcfs;                    /* /proc/stat is that of lxcfs */
	bool prepared;
	enum sst_scope scope;
	char trouble[LINUX_MACHINE_TROUBLE_MAX];
};

static const char *const allowed[] = {"allowed", NULL};

static const struct sst_option options[] = {
	{FILTER_BASE},
	{FILTER_SHARE " (160m in the paper)"},
	SST_OPTION("unit", CHOICE, struct realtime, unit,
		"what the load is of: processors, or cores, each busy when any of its processors is", .initial = "processor",
		.choices = units),
	SST_OPTION("container", FLAG, struct realtime, container,
		"in a container with a quota or a cpuset, measure what that allows instead of the machine", .initial = "yes"),
	SST_OPTION("source", CHOICE, struct realtime, source,
		"what is read: idle or all columns of /proc/stat, cpuacct.usage, idle and cpuacct together, all groups of "
		"version 2, /proc/schedstat, or a container's group; without it, the best of this machine",
		.choices = sources),
	SST_OPTION("cpus", CPUS, struct realtime, cpus, "measure these processors only, or those that this process may use",
		.choices = allowed),
	{0},
};

/* ---- What is measured ------------------------------------------------------------------------------------------------- */

/* The processors of a cpuset, where /proc/stat has others beside them. (Where it shows the container's alone they have other numbers.) */
static void take_cpuset(struct realtime *realtime, const struct sst_env *env, struct linux_container *container)
{
	struct sst_cpus *const cpus = container->group.cpus;
	const unsigned online = linux_container_online(env, cpus);
	/* An affinity may have processors that are offline. */
	realtime->contained =
		online > 0 && online < linux_container_online(env, NULL) && (container->by_affinity || online == cpus->count);
	if (!realtime->contained)
		return;
	realtime->cpus = realtime->cpuset = cpus;
	container->group.cpus = NULL;
}

/* cpus=allowed: what may be used now. lxcfs shows nothing else. */
static int take_allowed(struct realtime *realtime, const struct sst_env *env, const struct linux_container *container)
{
	realtime->cpuset = container->lxcfs ? NULL : linux_container_allowed(env);
	realtime->cpus = realtime->cpuset;
	realtime->contained = realtime->cpuset && container->by_affinity;
	return realtime->cpus || container->lxcfs ? 0
						  : env->host->refuse(env, "option 'cpus': /proc/self/status doesn't say which "
									   "processors are allowed");
}

/* What `cpus` asks for. */
static int choose_cpus(struct realtime *realtime, const struct sst_env *env, const struct linux_container *container)
{
	const bool is_word = realtime->cpus && realtime->cpus->count == 0;
	realtime->lxcfs = container->lxcfs;
	if (is_word)
		return take_allowed(realtime, env, container);
	if (!realtime->cpus) {
		realtime->cpus = env->cpus;
		realtime->moving = env->moving;
	}
	if ((realtime->cpus || realtime->moving) && realtime->source != SOURCE_CGROUP &&
		!linux_container_keeps_numbers(env, container))
		return env->host->refuse(env,
			"lxcfs has numbers of its own for the processors of /proc/stat, so that some of them can't be "
			"told: expected cpus=allowed, or neither --cpus, --pin nor cpus=LIST");
	return 0;
}

/* What the user has chosen goes first. Sets source or cpus in a container; the container's list of processors is taken over. */
static int enter_container(struct realtime *realtime, const struct sst_env *env, struct linux_container *container)
{
	char error[LINUX_CGROUP_ERROR_MAX];
	const bool may = realtime->source < 0 && realtime->container && !realtime->cpus;
	const bool by_quota = may && container->group.quota > 0;
	if (by_quota)
		realtime->source = SOURCE_CGROUP;
	else if (may && container->group.cpus && !container->lxcfs && !realtime->moving)
		take_cpuset(realtime, env, container);
	if (realtime->source != SOURCE_CGROUP || linux_cgroup_open_container(&realtime->group, env, env->shared, error) == 0)
		return 0;
	if (!by_quota)
		return env->host->refuse(env, "source=cgroup: %s", error);
	return env->host->refuse(env, "a quota of %g processors holds for %s: %s (container=no measures the machine)",
		container->group.quota, container->group.group, error);
}

/* The cores of the processors that are measured. A quota is one of processor time, which says nothing of cores. */
static int check_cores(const struct realtime *realtime, const struct sst_env *env)
{
	const int source = realtime->source;
	if (source >= 0 && source != LINUX_MACHINE_IDLE && source != LINUX_MACHINE_SCHEDSTAT)
		return env->host->refuse(env,
			"unit=core can't be had with source=%s, which doesn't tell cores apart: expected idle or schedstat%s",
			sources[source], source == SOURCE_CGROUP ? ", or container=no" : "");
	if (realtime->moving)
		return env->host->refuse(env, "unit=core can't follow workloads that are moved");
	if (realtime->lxcfs)
		return env->host->refuse(env, "unit=core is unavailable: lxcfs gives processors other numbers than the kernel");
	return 0;
}

static int check_moving(const struct realtime *realtime, const struct sst_env *env)
{
	const int source = realtime->source;
	if (!realtime->moving || source < 0 || source == LINUX_MACHINE_IDLE || source == LINUX_MACHINE_TICKS ||
		source == LINUX_MACHINE_SCHEDSTAT || source == SOURCE_CGROUP)
		return 0;
	return env->host->refuse(
		env, "source=%s can't follow workloads that are moved: expected idle, ticks or schedstat", sources[source]);
}

static int open_machine(struct realtime *realtime, const struct sst_env *env)
{
	char error[LINUX_MACHINE_ERROR_MAX];
	const struct linux_machine_settings settings = {
		.source = realtime->source,
		.cpus = realtime->cpus,
		.moving = realtime->moving,
		.of_cores = realtime->unit == SST_UNIT_CORE,
		.is_lxcfs = realtime->lxcfs,
	};
	if ((settings.of_cores && check_cores(realtime, env) != 0) || check_moving(realtime, env) != 0)
		return -1;
	if (realtime->cpus && linux_container_online(env, NULL) && !linux_container_online(env, realtime->cpus))
		return env->host->refuse(env, "/proc/stat has none of the processors of option 'cpus'");
	realtime->machine = linux_machine_open(env, &settings, error);
	if (!realtime->machine)
		return env->host->refuse(env, "%s%s%s%s",
			realtime->source < 0 ? "" : "source=", realtime->source < 0 ? "" : sources[realtime->source],
			realtime->source < 0 ? "" : ": ", error);
	realtime->source = (int)linux_machine_source(realtime->machine);
	return 0;
}

static enum sst_scope find_scope(const struct realtime *realtime, const struct sst_env *env)
{
	/* Of the time of a core it can't be said whose it is. */
	if (realtime->unit == SST_UNIT_CORE)
		return SST_SCOPE_UNKNOWN;
	/* Nobody in it gets out of a container, neither of its group nor of its processors. */
	if (realtime->source == SOURCE_CGROUP || realtime->contained || (realtime->lxcfs && !realtime->cpus && !realtime->moving))
		return SST_SCOPE_CONTAINER;
	if (realtime->moving)
		return SST_SCOPE_UNKNOWN;
	return !realtime->cpus || linux_container_online(env, realtime->cpus) == linux_container_online(env, NULL)
		       ? SST_SCOPE_MACHINE
		       : SST_SCOPE_UNKNOWN;
}

static int prepare(void *state, const struct sst_env *env)
{
	struct realtime *realtime = state;
	struct linux_container container;
	realtime->group = LINUX_CGROUP_NONE;
	realtime->prepared = true;
	if (realtime->source == SOURCE_CGROUP && realtime->cpus)
		return env->host->refuse(env, "option 'cpus' can't be had with source=cgroup, which counts a group");
	linux_container_find(env, &container);
	int result = choose_cpus(realtime, env, &container);
	if (result == 0)
		result = enter_container(realtime, env, &container);
	linux_container_free(&container);
	if (result == 0 && realtime->source != SOURCE_CGROUP)
		result = open_machine(realtime, env);
	else if (result == 0 && realtime->unit == SST_UNIT_CORE)
		result = check_cores(realtime, env);
	if (result == 0)
		realtime->scope = find_scope(realtime, env);
	return result;
}

/* ---- Readings --------------------------------------------------------------------------------------------------------- */

static int read_source(void *state, const struct sst_env *env, struct sst_reading *now)
{
	struct realtime *realtime = state;
	if (realtime->source == SOURCE_CGROUP)
		return linux_cgroup_read(&realtime->group, env, env->shared, now);
	if (linux_machine_read(realtime->machine, env, now) != 0)
		return -1;
	if (now->processors > 0)
		return 0;
	offline_refuse(env, realtime->cpus);
	errno = EINVAL;
	return -1;
}

static bool sample(const void *state, const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	const struct realtime *realtime = state;
	return realtime->source == SOURCE_CGROUP ? sst_sample_ns(before, now, sample)
						 : linux_machine_sample(realtime->machine, before, now, sample);
}

static int64_t interval(const void *state, double processors)
{
	const struct realtime *realtime = state;
	/* The shorter, the better the estimate. */
	if (realtime->unit == SST_UNIT_CORE)
		return LINUX_CORE_LOAD_STEP_NS;
	return filter_interval(
		&realtime->filter, processors, realtime->machine ? linux_machine_unit_ns(realtime->machine) : NS_PER_MS);
}

static enum sst_scope scope(const void *state)
{
	const struct realtime *realtime = state;
	return realtime->scope;
}

static enum sst_unit unit(const void *state)
{
	const struct realtime *realtime = state;
	return (enum sst_unit)realtime->unit;
}

static const char *trouble(void *state)
{
	struct realtime *realtime = state;
	return realtime->machine && linux_machine_trouble(realtime->machine, false, realtime->trouble) ? realtime->trouble : NULL;
}

static void fini(void *state, const struct sst_env *env)
{
	struct realtime *realtime = state;
	if (!realtime->prepared)
		return;
	linux_machine_close(realtime->machine, env);
	realtime->machine = NULL;
	linux_cgroup_close(&realtime->group, env);
	free(realtime->cpuset);
	realtime->cpuset = NULL;
	realtime->prepared = false;
}

SST_EXPORT const struct sst_feedback sst_module = {
	SST_BASE(feedback, SST_FEEDBACK, .name = "realtime", .version = SHOWSTOPPER_VERSION,
		.summary = "load of the machine, or of a subset of its processors, as it is now",
		.state_size = sizeof(struct realtime), .shared_size = sizeof(struct linux_cgroup_capacity), .options = options,
		.prepare = prepare, .fini = fini),
	.read = read_source,
	.sample = sample,
	.estimate = filter_estimate,
	.interval = interval,
	.scope = scope,
	.unit = unit,
	.trouble = trouble,
};
