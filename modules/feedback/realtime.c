/* SPDX-License-Identifier: MIT */
/*
 * The load of the machine (or of some of its processors) from /proc/stat or, where the kernel has it, from the root cgroup's
 * cpuacct.usage, filtered as in paper 000, Section 3.2.2.
 *
 * The sources, see showstopper-modules(7): `idle` takes the idle columns against the clock, `ticks` all columns against each
 * other, `cpuacct` the CPU time of all tasks against the clock. What each is good for depends on the kernel's accounting; `prepare`
 * picks.
 *
 * `combined` has the resolution of cpuacct (a nanosecond) and the mean of idle. The CPU time of tasks leaves out what
 * interrupts and the way into and out of idle take, a few tenths of a percentage point; the idle columns come in units of
 * 10 ms. So the CPU time is corrected by the filtered difference of the two since the start. (correction.h)
 * /proc/stat costs many times what cpuacct.usage does and is read a few times a second.
 *
 * In a container the machine is what the container has: with a quota, the group that has it (source `cgroup`); with a cpuset and no
 * quota, the processors of it, as if they had been given as `cpus`. Where no cpuset can be seen, as in containers without control
 * groups, they are those that we may use. lxcfs shows a /proc/stat of the container, which is taken for the machine's; its numbers of
 * processors mean nothing.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "correction.h"
#include "filter.h"
#include "load/container.h"
#include "load/core_load.h"
#include "load/stat.h"
#include "self/kernel.h"
#include "showstopper/module.h"

/* Enough for the processors' lines of the largest machines; what follows them is cut off when it doesn't fit. */
#define TEXT_SIZE (16 * 1024)
#define TEXT_SIZE_MANY (512 * 1024)

/* How often the correction is brought up to date. */
#define CORRECTION_EVERY_NS (200 * NS_PER_MS)

/* Behind those of linux_stat_reading. */
#define COUNTER_MOVES 5

enum source { SOURCE_IDLE, SOURCE_TICKS, SOURCE_CPUACCT, SOURCE_COMBINED, SOURCE_CGROUP };

static const char *const sources[] = {"idle", "ticks", "cpuacct", "combined", "cgroup", NULL};

/* Of all executors: what a container may use, and what `combined` adds to cpuacct. */
struct common {
	struct linux_cgroup_capacity capacity;
	struct correction correction;
};

static const char *const units[] = {[SST_UNIT_PROCESSOR] = "processor", [SST_UNIT_CORE] = "core", NULL};

struct realtime {
	struct filter filter;
	int source;
	int unit;                         /* enum sst_unit */
	struct linux_core_load core_load; /* of cores */
	const struct sst_cpus *cpus;      /* of the option, or those of the workloads, … */
	bool moving;                      /* … which change */
	int stat;                         /* handle of /proc/stat; always open, since P comes from it */
	int cpuacct;                      /* handle, or -1 */
	enum sst_scope scope;
	double hz;
	char *text;
	size_t text_size;
	double processors;  /* for cpuacct: as /proc/stat last said */
	int64_t counted_ns; /* … and when */
	struct linux_online online;
	int64_t start_ns; /* of `combined`: when, and what the counters were */
	uint64_t start_cpuacct, start_idle;
	bool container;            /* may be looked for */
	struct linux_cgroup group; /* the container's */
	struct sst_cpus *cpuset;   /* the container's, or what we may use, where `cpus` is it; owned */
	bool contained;            /* nobody in the container gets out of what is measured */
	bool lxcfs;                /* /proc/stat is that of lxcfs */
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
		"what is read: idle or all columns of /proc/stat, cpuacct.usage, idle and cpuacct together, or a container's "
		"group; without it, what suits",
		.choices = sources),
	SST_OPTION("cpus", CPUS, struct realtime, cpus, "measure these processors only, or those that this process may use",
		.choices = allowed),
	{0},
};

/* True where the lines of the processors may not have fitted and now have more room; some may have come online since. */
static bool made_room(struct realtime *realtime, size_t length, bool is_whole)
{
	if (is_whole || length < realtime->text_size || realtime->text_size == TEXT_SIZE_MANY)
		return false;
	char *const larger = realloc(realtime->text, TEXT_SIZE_MANY);
	if (!larger)
		return false;
	realtime->text = larger;
	realtime->text_size = TEXT_SIZE_MANY;
	return true;
}

/* The text of /proc/stat: its length, or -1 with errno. */
static ssize_t read_stat(struct realtime *realtime, const struct sst_env *env, int64_t *when_ns)
{
	return env->host->read(env, realtime->stat, realtime->text, realtime->text_size, when_ns);
}

static int parse_stat(struct realtime *realtime, const struct sst_env *env, struct linux_stat *stat, int64_t *when_ns)
{
	for (;;) {
		const ssize_t length = read_stat(realtime, env, when_ns);
		if (length < 0)
			return -1;
		const int result = linux_online_parse(env, realtime->text, (size_t)length, realtime->cpus, stat);
		if (!made_room(realtime, (size_t)length, result == 0 && (stat->present & LINUX_STAT_ALL_PROCESSORS)))
			return result;
	}
}

static int begin_stat(struct realtime *realtime, const struct sst_env *env, struct linux_stat *stat)
{
	bool parsed;
	ssize_t length;
	free(realtime->text);
	realtime->text_size = TEXT_SIZE;
	realtime->text = malloc(TEXT_SIZE);
	if (!realtime->text)
		return env->host->refuse(env, "%s", strerror(errno));
	do {
		int64_t when_ns;
		length = read_stat(realtime, env, &when_ns);
		if (length < 0)
			return env->host->refuse(env, "can't read /proc/stat: %s", strerror(errno));
		parsed = linux_stat_parse(realtime->text, (size_t)length, realtime->cpus, stat) == 0;
	} while (made_room(realtime, (size_t)length, parsed && (stat->present & LINUX_STAT_ALL_PROCESSORS)));
	if (!parsed)
		return env->host->refuse(env, realtime->cpus ? "/proc/stat has none of the processors of option 'cpus'"
							     : "/proc/stat has no line of a processor");
	return 0;
}

/* Of a subset the columns of cpuacct.usage_percpu are added up; that of a processor is found by its number. */
static const char *usage_name(const struct realtime *realtime)
{
	return realtime->cpus ? "cpuacct.usage_percpu" : "cpuacct.usage";
}

/* There is a column for each processor that is possible, and no other. */
static bool columns_have_numbers(const struct sst_env *env)
{
	char text[64] = "";
	int64_t ignored;
	const int handle = env->host->open(env, "/sys/devices/system/cpu/possible");
	if (handle < 0)
		return false;
	const ssize_t length = env->host->read(env, handle, text, sizeof text - 1, &ignored);
	env->host->close(env, handle);
	return length > 0 && text[0] == '0' && !memchr(text, ',', (size_t)length);
}

static int open_cpuacct(struct realtime *realtime, const struct sst_env *env)
{
	static const char *const folders[] = {"cpuacct", "cpu,cpuacct"};
	char path[64];
	if (realtime->cpus && !columns_have_numbers(env)) {
		errno = ENOTSUP;
		return -1;
	}
	for (size_t i = 0; realtime->cpuacct < 0 && i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "/sys/fs/cgroup/%s/%s", folders[i], usage_name(realtime));
		realtime->cpuacct = env->host->open(env, path);
	}
	return realtime->cpuacct < 0 ? -1 : 0;
}

static int read_usage(const struct realtime *realtime, const struct sst_env *env, uint64_t *usage, int64_t *when_ns)
{
	const ssize_t length = env->host->read(env, realtime->cpuacct, realtime->text, realtime->text_size - 1, when_ns);
	if (length <= 0) {
		errno = length == 0 ? EIO : errno;
		return -1;
	}
	realtime->text[length] = '\0';
	if (!realtime->cpus) {
		*usage = strtoull(realtime->text, NULL, 10);
		return 0;
	}
	char *at = realtime->text;
	unsigned column = 0;
	*usage = 0;
	for (size_t i = 0; i < realtime->cpus->count; column++) {
		char *end;
		const uint64_t value = strtoull(at, &end, 10);
		if (end == at) {
			errno = ENODATA;
			return -1;
		}
		at = end;
		if (column == realtime->cpus->cpu[i]) {
			*usage += value;
			i++;
		}
	}
	return 0;
}

/* In a container the root group's file may be that of the container; since boot it has counted far less than the machine has worked. */
static bool counts_the_machine(const struct realtime *realtime, const struct sst_env *env, const struct linux_stat *stat)
{
	uint64_t usage;
	int64_t ignored;
	const double busy_ns = (double)linux_stat_busy(&stat->total) / realtime->hz * 1e9;
	return read_usage(realtime, env, &usage, &ignored) == 0 && (double)usage > 0.8 * busy_ns;
}

static int choose_source(struct realtime *realtime, const struct sst_env *env, const struct linux_stat *stat)
{
	if (!linux_accounting_idle_clock(env))
		return SOURCE_TICKS;
	/* Beside the machine's counter, what lxcfs shows is a part. */
	if (!realtime->lxcfs && !realtime->moving && open_cpuacct(realtime, env) == 0 && counts_the_machine(realtime, env, stat))
		return SOURCE_COMBINED;
	return SOURCE_IDLE;
}

static int start_combined(struct realtime *realtime, const struct sst_env *env)
{
	struct linux_stat stat;
	int64_t ignored;
	if (read_usage(realtime, env, &realtime->start_cpuacct, &ignored) != 0 ||
		parse_stat(realtime, env, &stat, &realtime->start_ns) != 0)
		return env->host->refuse(
			env, "source=combined: can't read the root cgroup's %s: %s", usage_name(realtime), strerror(errno));
	realtime->start_idle = linux_stat_idle(&stat.total);
	realtime->processors = stat.processors;
	return 0;
}

/* The processors of a cpuset, where /proc/stat has others beside them. (Where it shows the container's alone they have other numbers.) */
static int take_cpuset(
	struct realtime *realtime, const struct sst_env *env, struct linux_container *container, struct linux_stat *stat)
{
	const unsigned all = stat->processors;
	int64_t ignored;
	realtime->cpus = realtime->cpuset = container->group.cpus;
	container->group.cpus = NULL;
	/* An affinity may have processors that are offline. */
	realtime->contained = parse_stat(realtime, env, stat, &ignored) == 0 && stat->processors < all &&
			      (container->by_affinity || stat->processors == realtime->cpus->count);
	if (!realtime->contained)
		realtime->cpus = NULL;
	return begin_stat(realtime, env, stat);
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

/* What `cpus` asks for, before /proc/stat is looked at for it. */
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
static int enter_container(
	struct realtime *realtime, const struct sst_env *env, struct linux_container *container, struct linux_stat *stat)
{
	char error[LINUX_CGROUP_ERROR_MAX];
	struct common *common = env->shared;
	const bool may = realtime->source < 0 && realtime->container && !realtime->cpus;
	const bool by_quota = may && container->group.quota > 0;
	if (by_quota)
		realtime->source = SOURCE_CGROUP;
	else if (may && container->group.cpus && !container->lxcfs && !realtime->moving)
		return take_cpuset(realtime, env, container, stat);
	if (realtime->source != SOURCE_CGROUP ||
		linux_cgroup_open_container(&realtime->group, env, &common->capacity, error) == 0)
		return 0;
	if (!by_quota)
		return env->host->refuse(env, "source=cgroup: %s", error);
	return env->host->refuse(env, "a quota of %g processors holds for %s: %s (container=no measures the machine)",
		container->group.quota, container->group.group, error);
}

/*
 * The cores of the processors that are measured. A quota is one of processor time, which says nothing of cores.
 */
static int start_cores(struct realtime *realtime, const struct sst_env *env)
{
	char error[LINUX_CORE_LOAD_ERROR_MAX];
	struct sst_reading ignored;
	int64_t when_ns;
	if (realtime->source >= 0 && realtime->source != SOURCE_IDLE)
		return env->host->refuse(env,
			"unit=core can't be had with source=%s, which doesn't tell cores apart: expected idle%s",
			sources[realtime->source], realtime->source == SOURCE_CGROUP ? ", or container=no" : "");
	if (realtime->moving)
		return env->host->refuse(env, "unit=core can't follow workloads that are moved");
	if (realtime->lxcfs)
		return env->host->refuse(env, "unit=core is unavailable: lxcfs gives processors other numbers than the kernel");
	const ssize_t length = read_stat(realtime, env, &when_ns);
	if (length < 0)
		return env->host->refuse(env, "can't read /proc/stat: %s", strerror(errno));
	if (linux_core_load_open(&realtime->core_load, env, realtime->text, (size_t)length, realtime->cpus, error) != 0)
		return env->host->refuse(env, "unit=core is unavailable: %s", error);
	realtime->source = SOURCE_IDLE;
	if (linux_core_load_read(&realtime->core_load, realtime->text, (size_t)length, when_ns, &ignored) == 0)
		return 0;
	return env->host->refuse(env, "unit=core: can't use /proc/stat: %s", strerror(errno));
}

static enum sst_scope find_scope(struct realtime *realtime, const struct sst_env *env)
{
	struct linux_stat stat;
	struct linux_stat all;
	int64_t ignored;
	/* Of the time of a core it can't be said whose it is. */
	if (realtime->unit == SST_UNIT_CORE)
		return SST_SCOPE_UNKNOWN;
	/* Nobody in it gets out of a container, neither of its group nor of its processors. */
	if (realtime->source == SOURCE_CGROUP || realtime->contained || (realtime->lxcfs && !realtime->cpus && !realtime->moving))
		return SST_SCOPE_CONTAINER;
	if (realtime->moving)
		return SST_SCOPE_UNKNOWN;
	if (!realtime->cpus)
		return SST_SCOPE_MACHINE;
	const ssize_t length = read_stat(realtime, env, &ignored);
	const bool is_all = length > 0 && linux_stat_parse(realtime->text, (size_t)length, realtime->cpus, &stat) == 0 &&
			    linux_stat_parse(realtime->text, (size_t)length, NULL, &all) == 0 &&
			    stat.processors == all.processors;
	return is_all ? SST_SCOPE_MACHINE : SST_SCOPE_UNKNOWN;
}

/* Sets source and cpus where they weren't given, and opens /proc/stat. */
static int choose(struct realtime *realtime, const struct sst_env *env)
{
	struct linux_stat stat = {0};
	struct linux_container container;
	linux_container_find(env, &container);
	int result = choose_cpus(realtime, env, &container);
	if (result == 0 && (realtime->stat = env->host->open(env, "/proc/stat")) < 0)
		result = env->host->refuse(env, "can't open /proc/stat: %s", strerror(errno));
	if (result == 0)
		result = begin_stat(realtime, env, &stat);
	if (result == 0)
		result = enter_container(realtime, env, &container, &stat);
	linux_container_free(&container);
	if (result == 0 && realtime->unit == SST_UNIT_CORE)
		result = start_cores(realtime, env);
	if (result == 0 && realtime->source < 0)
		realtime->source = choose_source(realtime, env, &stat);
	return result;
}

static int prepare(void *state, const struct sst_env *env)
{
	struct realtime *realtime = state;
	realtime->hz = linux_stat_hz();
	realtime->group = LINUX_CGROUP_NONE;
	realtime->cpuacct = -1;
	realtime->stat = -1;
	realtime->online = LINUX_ONLINE_NONE;
	if (realtime->source == SOURCE_CGROUP && realtime->cpus)
		return env->host->refuse(env, "option 'cpus' can't be had with source=cgroup, which counts a group");
	if (choose(realtime, env) != 0)
		return -1;
	realtime->scope = find_scope(realtime, env);
	const bool needs_cpuacct = realtime->source == SOURCE_CPUACCT || realtime->source == SOURCE_COMBINED;
	if (needs_cpuacct && realtime->moving)
		return env->host->refuse(env, "source=%s can't follow workloads that are moved: expected idle or ticks",
			sources[realtime->source]);
	if (needs_cpuacct && realtime->cpuacct < 0 && open_cpuacct(realtime, env) != 0)
		return env->host->refuse(env, "source=%s: can't open the root cgroup's %s: %s", sources[realtime->source],
			usage_name(realtime), strerror(errno));
	if (needs_cpuacct)
		linux_online_open(&realtime->online, env);
	return realtime->source == SOURCE_COMBINED ? start_combined(realtime, env) : 0;
}

/* At each change, or once a second where the kernel doesn't list the processors that are online. */
static int count_processors(struct realtime *realtime, const struct sst_env *env, int64_t when_ns)
{
	struct linux_stat stat;
	int64_t ignored;
	const bool due = realtime->online.handle < 0 && when_ns - realtime->counted_ns >= NS_PER_S;
	if (!linux_online_changed(&realtime->online, env) && !due && realtime->counted_ns != 0)
		return 0;
	realtime->counted_ns = 0;
	if (parse_stat(realtime, env, &stat, &ignored) != 0)
		return -1;
	realtime->processors = stat.processors;
	realtime->counted_ns = when_ns;
	return 0;
}

static int read_cpuacct(struct realtime *realtime, const struct sst_env *env, struct sst_reading *now)
{
	uint64_t usage;
	int64_t when_ns;
	if (read_usage(realtime, env, &usage, &when_ns) != 0 || count_processors(realtime, env, when_ns) != 0)
		return -1;
	*now = (struct sst_reading){.when_ns = when_ns, .processors = realtime->processors, .counter = {usage}};
	return 0;
}

/* Brings the correction up to date. One executor at a time. */
static int correct(struct realtime *realtime, const struct sst_env *env, uint64_t usage, int64_t updated_ns)
{
	struct common *common = env->shared;
	struct linux_stat stat;
	int64_t when_ns;
	if (parse_stat(realtime, env, &stat, &when_ns) != 0)
		return -1;
	/* What it is since the start means nothing where processors came or went meanwhile; how it changes does. */
	const double idle_ns = (double)(int64_t)(linux_stat_idle(&stat.total) - realtime->start_idle) / realtime->hz * 1e9;
	const double worked_ns = (double)(when_ns - realtime->start_ns) * stat.processors - idle_ns;
	const double difference_ns = worked_ns - (double)(usage - realtime->start_cpuacct);
	correction_follow(&common->correction, difference_ns, stat.processors, updated_ns ? when_ns - updated_ns : 0);
	return 0;
}

static int read_combined(struct realtime *realtime, const struct sst_env *env, struct sst_reading *now)
{
	struct correction *correction = &((struct common *)env->shared)->correction;
	uint64_t usage;
	int64_t when_ns;
	if (read_usage(realtime, env, &usage, &when_ns) != 0)
		return -1;
	if (realtime->online.handle >= 0 && count_processors(realtime, env, when_ns) != 0)
		return -1;
	int64_t updated_ns = atomic_load_explicit(&correction->updated_ns, memory_order_relaxed);
	if ((updated_ns == 0 || when_ns - updated_ns >= CORRECTION_EVERY_NS) &&
		atomic_compare_exchange_strong(&correction->updated_ns, &updated_ns, when_ns) &&
		correct(realtime, env, usage, updated_ns) != 0)
		return -1;
	const double seen = atomic_load_explicit(&correction->processors, memory_order_relaxed);
	if (realtime->online.handle < 0 && seen > 0)
		realtime->processors = seen;
	const double ns = atomic_load_explicit(&correction->ns, memory_order_relaxed);
	*now = (struct sst_reading){
		.when_ns = when_ns,
		.processors = realtime->processors,
		.counter = {usage + (uint64_t)(int64_t)ns},
	};
	return 0;
}

static int read_cores(struct realtime *realtime, const struct sst_env *env, struct sst_reading *now)
{
	int64_t when_ns;
	const ssize_t length = read_stat(realtime, env, &when_ns);
	if (length < 0)
		return -1;
	return linux_core_load_read(&realtime->core_load, realtime->text, (size_t)length, when_ns, now);
}

static int read_source(void *state, const struct sst_env *env, struct sst_reading *now)
{
	struct realtime *realtime = state;
	struct linux_stat stat;
	int64_t when_ns;
	if (realtime->unit == SST_UNIT_CORE)
		return read_cores(realtime, env, now);
	if (realtime->source == SOURCE_CPUACCT)
		return read_cpuacct(realtime, env, now);
	if (realtime->source == SOURCE_COMBINED)
		return read_combined(realtime, env, now);
	if (realtime->source == SOURCE_CGROUP)
		return linux_cgroup_read(&realtime->group, env, &((struct common *)env->shared)->capacity, now);
	uint64_t moves = 0;
	if (realtime->moving)
		realtime->cpus = env->host->cpus(env, &moves);
	if (parse_stat(realtime, env, &stat, &when_ns) != 0)
		return -1;
	*now = linux_stat_reading(&stat.total, stat.processors, when_ns);
	now->counter[COUNTER_MOVES] = moves;
	return 0;
}

static bool sample(const void *state, const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	const struct realtime *realtime = state;
	if (realtime->unit == SST_UNIT_CORE)
		return linux_core_load_sample(before, now, sample);
	/* Readings of different processors have no difference. */
	if (realtime->moving && realtime->source != SOURCE_CGROUP &&
		before->counter[COUNTER_MOVES] != now->counter[COUNTER_MOVES])
		return false;
	if (realtime->source == SOURCE_IDLE)
		return linux_stat_sample_idle(before, now, realtime->hz, sample);
	if (realtime->source == SOURCE_TICKS)
		return linux_stat_sample_ticks(before, now, realtime->hz, sample);
	if (realtime->source == SOURCE_CGROUP)
		return sst_sample_ns(before, now, sample);
	/* When in between processors came or went can't be told. */
	if (before->processors != now->processors)
		return false;
	if (realtime->source == SOURCE_CPUACCT)
		return sst_sample_ns(before, now, sample);
	const double elapsed = (double)(now->when_ns - before->when_ns) / (double)NS_PER_S;
	/* Signed: on an idle machine a correction that shrinks may take more away than was worked. */
	const int64_t worked = (int64_t)(now->counter[0] - before->counter[0]);
	if (elapsed <= 0)
		return false;
	sample->capacity = elapsed * now->processors;
	sample->work = (double)worked / (double)NS_PER_S;
	return true;
}

static int64_t interval(const void *state, double processors)
{
	const struct realtime *realtime = state;
	const int64_t unit = realtime->source >= SOURCE_CPUACCT ? NS_PER_MS : (int64_t)((double)NS_PER_S / realtime->hz);
	/* The shorter, the better the estimate. */
	if (realtime->unit == SST_UNIT_CORE)
		return LINUX_CORE_LOAD_STEP_NS;
	return filter_interval(&realtime->filter, processors, unit);
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

static void fini(void *state, const struct sst_env *env)
{
	struct realtime *realtime = state;
	if (realtime->hz <= 0)
		return;
	if (realtime->stat >= 0)
		env->host->close(env, realtime->stat);
	if (realtime->cpuacct >= 0)
		env->host->close(env, realtime->cpuacct);
	linux_cgroup_close(&realtime->group, env);
	linux_online_close(&realtime->online, env);
	linux_core_load_close(&realtime->core_load);
	free(realtime->cpuset);
	realtime->cpuset = NULL;
	free(realtime->text);
	realtime->text = NULL;
	realtime->hz = 0;
}

SST_EXPORT const struct sst_feedback sst_module = {
	SST_BASE(feedback, SST_FEEDBACK, .name = "realtime", .version = SHOWSTOPPER_VERSION,
		.summary = "load of the machine, or of a subset of its processors, as it is now",
		.state_size = sizeof(struct realtime), .shared_size = sizeof(struct common), .options = options,
		.prepare = prepare, .fini = fini),
	.read = read_source,
	.sample = sample,
	.estimate = filter_estimate,
	.interval = interval,
	.scope = scope,
	.unit = unit,
};
