/* SPDX-License-Identifier: MIT */
/*
 * The sources, see showstopper-modules(7). Those that count processor by processor (idle, ticks, schedstat) are counted in load/busy_times.c.
 *
 * The others count nanoseconds of tasks on the whole machine, and are cheap to read: cpuacct, or the groups of version 2. They leave out what
 * interrupts and the way into and out of idle take, a few tenths of a percentage point, and groups also the tasks in the root group and
 * what a group used just before its end. So the time is corrected by the filtered difference (correction.h) to what is read a few times a second: for
 * groups /proc/schedstat, if there is one, else the idle columns unless these can't be true.
 */
#include "load/machine_load.h"

#include <errno.h>
#include <linux/limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cpus.h"
#include "base/units.h"
#include "groups/cgroup_text.h"
#include "load/core_load.h"
#include "load/correction.h"
#include "load/group_sum.h"
#include "self/host_text.h"
#include "self/kernel.h"

#define CORRECTION_EVERY_NS (200 * NS_PER_MS)
/* A witness is asked once in so many readings of /proc/stat at most … */
#define WITNESS_READINGS 8
/* … and so often, where it costs more with each process. */
#define WITNESS_EVERY_NS (2 * NS_PER_S)
/* Readings that lie further apart are not compared. */
#define TOGETHER_NS (5 * NS_PER_MS)
#define TEXT_SIZE ((size_t)16 << 10)
#define TEXT_MOST ((size_t)16 << 20)

/* Of all readers. */
struct shared {
	struct correction correction;
	_Atomic int64_t witness_ns; /* when the witness was asked last; 0: never */
};

/* A file of the kernel, and its last text. */
struct source {
	int handle;
	char *text;
	size_t size;
};

struct linux_machine {
	struct linux_machine_settings settings;
	enum linux_machine_source source;
	struct busy_times busy;
	struct linux_core_load cores;
	struct source stat, schedstat;
	struct source usage; /* of cpuacct, in one number or by processor; also as a witness */
	bool by_processor;
	struct sst_cpus *possible; /* whose columns these are; NULL: not needed */
	uint64_t *used_ns;         /* by column … */
	int64_t used_when_ns;      /* … at this time */
	struct group_sum *groups;
	struct linux_online online;
	bool idle_is_clock; /* the idle columns are not made of ticks */
	int64_t counted_ns; /* when processors were counted, where the kernel doesn't list them */
	struct shared *shared;
};

/* ---- Files ------------------------------------------------------------------------------------------------------------ */

static int open_source(struct source *source, const struct sst_env *env, const char *path)
{
	source->handle = env->host->open(env, path);
	if (source->handle < 0)
		return -1;
	if (!source->text) {
		source->size = TEXT_SIZE;
		source->text = malloc(source->size);
	}
	return source->text ? 0 : -1;
}

static void close_source(struct source *source, const struct sst_env *env)
{
	if (source->handle >= 0)
		env->host->close(env, source->handle);
	source->handle = -1;
	free(source->text);
	source->text = NULL;
}

/* The whole text: its length, or -1 with errno. */
static ssize_t read_source(struct source *source, const struct sst_env *env, int64_t *when_ns)
{
	for (;;) {
		const ssize_t length = env->host->read(env, source->handle, source->text, source->size, when_ns);
		if (length < (ssize_t)source->size || source->size >= TEXT_MOST)
			return length;
		char *const larger = realloc(source->text, 2 * source->size);
		if (!larger)
			return -1;
		source->text = larger;
		source->size *= 2;
	}
}

/* ---- cpuacct ---------------------------------------------------------------------------------------------------------- */

static const char *usage_name(const struct linux_machine *machine)
{
	return machine->by_processor ? "cpuacct.usage_percpu" : "cpuacct.usage";
}

/* Where the whole hierarchy is mounted, or where it would be. False in a container that has a part of it. */
static bool find_cpuacct(const struct sst_env *env, char point[static PATH_MAX])
{
	char part[PATH_MAX];
	size_t length = 0;
	char *const mounts = host_text(env, "/proc/self/mountinfo", &length);
	const bool found = mounts && linux_cgroup_find_mount(mounts, length, "cgroup", "cpuacct", point, part, PATH_MAX) == 0;
	free(mounts);
	if (!found)
		strcpy(point, "/sys/fs/cgroup/cpuacct");
	return !found || strcmp(part, "/") == 0;
}

static int open_cpuacct(struct linux_machine *machine, const struct sst_env *env)
{
	char point[PATH_MAX], path[PATH_MAX + 32];
	if (machine->usage.handle >= 0)
		return 0;
	if (machine->by_processor && !machine->possible)
		machine->possible = linux_cpu_list(env, "possible");
	if ((machine->by_processor && !machine->possible) || !find_cpuacct(env, point)) {
		errno = ENOTSUP;
		return -1;
	}
	snprintf(path, sizeof path, "%s/%s", point, usage_name(machine));
	return open_source(&machine->usage, env, path);
}

/* There is a column for each processor that is possible, and no other. */
static int read_columns(struct linux_machine *machine, size_t length, uint64_t *used_ns)
{
	const struct sst_cpus *const cpus = machine->settings.cpus, *const possible = machine->possible;
	if (!machine->used_ns && !(machine->used_ns = calloc(possible->count, sizeof *machine->used_ns)))
		return -1;
	const ssize_t count =
		linux_cgroup_usage_parse(LINUX_CGROUP_PER_CPU, machine->usage.text, length, machine->used_ns, possible->count);
	if (count >= 0 && (size_t)count < possible->count)
		errno = ENODATA;
	if (count < 0 || (size_t)count < possible->count)
		return -1;
	*used_ns = 0;
	for (size_t i = 0; i < possible->count; i++)
		if (!cpus || cpus_contain(cpus, possible->cpu[i]))
			*used_ns += machine->used_ns[i];
	return 0;
}

static int read_cpuacct(struct linux_machine *machine, const struct sst_env *env, uint64_t *used_ns, int64_t *when_ns)
{
	const ssize_t length = read_source(&machine->usage, env, when_ns);
	machine->used_when_ns = *when_ns;
	if (length == 0)
		errno = EIO;
	if (length <= 0)
		return -1;
	if (machine->by_processor)
		return read_columns(machine, (size_t)length, used_ns);
	return linux_cgroup_usage_parse(LINUX_CGROUP_V1, machine->usage.text, (size_t)length, used_ns, 1) == 1 ? 0 : -1;
}

/* In a container the root group's file may be that of the container; since boot it has counted far less than the machine has worked. */
static bool counts_the_machine(struct linux_machine *machine, const struct sst_env *env)
{
	struct linux_stat_times sum = {0};
	uint64_t used_ns;
	int64_t ignored;
	for (size_t i = 0; i < machine->busy.reading.count; i++) {
		const struct linux_stat_cpu *const cpu = &machine->busy.reading.cpu[i];
		if (!machine->settings.cpus || cpus_contain(machine->settings.cpus, cpu->id))
			sum.user += linux_stat_busy(&cpu->times);
	}
	return read_cpuacct(machine, env, &used_ns, &ignored) == 0 &&
	       (double)used_ns > 0.8 * (double)sum.user / machine->busy.hz * 1e9;
}

static int read_used(struct linux_machine *machine, const struct sst_env *env, uint64_t *used_ns, int64_t *when_ns)
{
	return machine->groups ? group_sum_read(machine->groups, env, used_ns, when_ns)
			       : read_cpuacct(machine, env, used_ns, when_ns);
}

/* ---- Processor by processor ------------------------------------------------------------------------------------------- */

/* Once in a while, one reader. */
static bool is_due(_Atomic int64_t *last_ns, int64_t now_ns, int64_t every_ns)
{
	int64_t before_ns = atomic_load_explicit(last_ns, memory_order_relaxed);
	return (before_ns == 0 || now_ns - before_ns >= every_ns) && atomic_compare_exchange_strong(last_ns, &before_ns, now_ns);
}

/* The time of tasks as somebody else counts it, read together with /proc/stat; NaN: nobody does, or not now. */
static double ask_witness(struct linux_machine *machine, const struct sst_env *env, int64_t stat_ns, bool *is_whole)
{
	_Atomic int64_t *const asked_ns = &machine->shared->witness_ns;
	struct busy_total last;
	uint64_t used_ns;
	int64_t when_ns = stat_ns;
	*is_whole = machine->groups || machine->usage.handle >= 0;
	if (*is_whole) {
		/* Readings that are expensive, and so rare, don't become more so by this one. */
		busy_last(&machine->busy, &last);
		const int64_t rarely_ns = WITNESS_READINGS * (stat_ns - last.when_ns);
		if (!is_due(asked_ns, stat_ns, rarely_ns > CORRECTION_EVERY_NS ? rarely_ns : CORRECTION_EVERY_NS))
			return NAN;
		return read_used(machine, env, &used_ns, &when_ns) == 0 && llabs(when_ns - stat_ns) < TOGETHER_NS
			       ? (double)used_ns / 1e9
			       : NAN;
	}
	/* The workloads' own time, where they are among what is measured. */
	if ((machine->settings.cpus && machine->settings.cpus != env->cpus) || !env->host->tree_cpu_time ||
		!is_due(asked_ns, stat_ns, WITNESS_EVERY_NS))
		return NAN;
	const int64_t tree_ns = env->host->tree_cpu_time(env);
	return tree_ns < 0 ? NAN : (double)tree_ns / 1e9;
}

/* The time of all tasks as it was read just before. */
struct tasks {
	uint64_t used_ns;
	int64_t when_ns;
};

/* Counts on; without `tasks` it looks for a witness itself. */
static int count_columns(
	struct linux_machine *machine, const struct sst_env *env, const struct tasks *tasks, struct busy_total *total)
{
	struct busy_news news = {.witness = NAN, .is_whole = true};
	uint64_t moves = 0;
	int64_t when_ns, ignored;
	if (machine->settings.moving)
		machine->busy.cpus = env->host->cpus(env, &moves);
	machine->busy.moves = moves;
	const ssize_t length = read_source(&machine->stat, env, &when_ns);
	if (length < 0)
		return -1;
	if (machine->schedstat.handle >= 0) {
		const ssize_t more = read_source(&machine->schedstat, env, &ignored);
		if (more < 0)
			return -1;
		news.schedstat = machine->schedstat.text;
		news.length = (size_t)more;
	}
	if (tasks && when_ns - tasks->when_ns < TOGETHER_NS) {
		news.witness = (double)tasks->used_ns / 1e9;
	} else if (!tasks && !news.schedstat) {
		news.witness = ask_witness(machine, env, when_ns, &news.is_whole);
	}
	return busy_count(&machine->busy, machine->stat.text, (size_t)length, when_ns, &news, total);
}

static struct sst_reading reading_of(const struct busy_total *total)
{
	return (struct sst_reading){
		.when_ns = total->when_ns,
		.processors = total->processors,
		.counter = {(uint64_t)(int64_t)(total->work * 1e9), (uint64_t)(int64_t)(total->capacity * 1e9)},
	};
}

static int read_processors(struct linux_machine *machine, const struct sst_env *env, struct sst_reading *now)
{
	struct busy_total total;
	if (count_columns(machine, env, NULL, &total) != 0)
		return -1;
	if (machine->settings.of_cores)
		return linux_core_load_read(&machine->cores, &machine->busy, total.when_ns, now);
	*now = reading_of(&total);
	return 0;
}

/* ---- All tasks -------------------------------------------------------------------------------------------------------- */

/* Processors have come or gone, or may have: at each change, or once a second where the kernel doesn't list those that are online. */
static bool must_count(struct linux_machine *machine, const struct sst_env *env, int64_t when_ns)
{
	const bool is_due = machine->online.handle < 0 && when_ns - machine->counted_ns >= NS_PER_S;
	return linux_online_changed(&machine->online, env) || is_due || machine->counted_ns == 0 || machine->settings.always_stat;
}

static bool must_correct(struct linux_machine *machine, int64_t when_ns, int64_t *updated_ns)
{
	struct correction *const correction = &machine->shared->correction;
	*updated_ns = atomic_load_explicit(&correction->updated_ns, memory_order_relaxed);
	return machine->source != LINUX_MACHINE_CPUACCT && (*updated_ns == 0 || when_ns - *updated_ns >= CORRECTION_EVERY_NS) &&
	       atomic_compare_exchange_strong(&correction->updated_ns, updated_ns, when_ns);
}

/* Columns that can't be true correct nothing, nor do ticks; but busy columns are better than tasks that are missing. */
static bool can_correct(const struct linux_machine *machine, const struct busy_total *total)
{
	if (machine->schedstat.handle >= 0)
		return busy_has_ratio(&machine->busy);
	return !(total->trouble & BUSY_UNKNOWN) && (!(total->trouble & BUSY_FAST) || !total->agrees) &&
	       (machine->idle_is_clock || machine->source == LINUX_MACHINE_COMBINED);
}

static int read_tasks(struct linux_machine *machine, const struct sst_env *env, struct sst_reading *now)
{
	struct correction *const correction = &machine->shared->correction;
	struct busy_total total;
	struct tasks tasks;
	int64_t updated_ns;
	if (read_used(machine, env, &tasks.used_ns, &tasks.when_ns) != 0)
		return -1;
	const bool counts = must_count(machine, env, tasks.when_ns), corrects = must_correct(machine, tasks.when_ns, &updated_ns);
	if (counts || corrects) {
		machine->counted_ns = 0;
		if (count_columns(machine, env, &tasks, &total) != 0)
			return -1;
		machine->counted_ns = tasks.when_ns;
	} else {
		busy_last(&machine->busy, &total);
	}
	const bool by_tasks = machine->schedstat.handle >= 0;
	if (corrects)
		correction_follow(correction, 1e9 * (by_tasks ? total.tasks : total.work) - (double)tasks.used_ns,
			total.processors, updated_ns ? tasks.when_ns - updated_ns : 0,
			by_tasks ? CORRECTION_TASKS_S : CORRECTION_IDLE_S, can_correct(machine, &total));
	*now = (struct sst_reading){
		.when_ns = tasks.when_ns,
		.processors = total.processors,
		.counter = {tasks.used_ns + (uint64_t)(int64_t)correction_get(&correction->ns)},
	};
	return 0;
}

/* When in between processors came or went can't be told. Signed: a correction that shrinks may take more away than was worked. */
static bool sample_tasks(const struct linux_machine *machine, const struct sst_reading *before, const struct sst_reading *now,
	struct sst_sample *sample)
{
	const int64_t worked_ns = (int64_t)(now->counter[0] - before->counter[0]);
	const double capacity = (double)(now->when_ns - before->when_ns) / 1e9 * now->processors;
	if (before->processors != now->processors || !(capacity > 0) ||
		(worked_ns < 0 && (machine->source == LINUX_MACHINE_CPUACCT || (double)worked_ns < -capacity * 1e9)))
		return false;
	*sample = (struct sst_sample){(double)worked_ns / 1e9, capacity};
	return true;
}

/* ---- Choosing --------------------------------------------------------------------------------------------------------- */

static bool is_by_processor(enum linux_machine_source source)
{
	return source == LINUX_MACHINE_IDLE || source == LINUX_MACHINE_TICKS || source == LINUX_MACHINE_SCHEDSTAT;
}

static int fail(char error[static LINUX_MACHINE_ERROR_MAX], const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(char error[static LINUX_MACHINE_ERROR_MAX], const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error, LINUX_MACHINE_ERROR_MAX, format, arguments);
	va_end(arguments);
	return -1;
}

/* It has the time of each processor that is online, in the numbers that /proc/stat has. */
static bool has_schedstat(struct linux_machine *machine, const struct sst_env *env)
{
	int64_t ignored;
	if (open_source(&machine->schedstat, env, "/proc/schedstat") != 0)
		return false;
	const ssize_t length = read_source(&machine->schedstat, env, &ignored);
	if (length > 0 && busy_schedstat_has(&machine->busy.reading, machine->schedstat.text, (size_t)length))
		return true;
	close_source(&machine->schedstat, env);
	return false;
}

/* Whether the groups have (nearly) all work of the machine; else they stay closed. */
static bool groups_suit(struct linux_machine *machine, const struct sst_env *env)
{
	char ignored[GROUP_SUM_ERROR_MAX];
	bool suits = false;
	machine->groups = group_sum_open(env, &suits, ignored);
	if (suits)
		return true;
	group_sum_close(machine->groups, env);
	machine->groups = NULL;
	return false;
}

/* The best: nanoseconds and the right mean before either. A source that isn't taken stays closed. */
static enum linux_machine_source choose(struct linux_machine *machine, const struct sst_env *env)
{
	const struct linux_machine_settings *const settings = &machine->settings;
	const bool whole = !settings->moving && !settings->of_cores && !settings->is_lxcfs && !settings->by_processor;
	if (whole && machine->idle_is_clock && open_cpuacct(machine, env) == 0 && counts_the_machine(machine, env))
		return LINUX_MACHINE_COMBINED;
	close_source(&machine->usage, env);
	if (whole && !settings->cpus && groups_suit(machine, env))
		return LINUX_MACHINE_GROUPS;
	if (!settings->is_lxcfs && has_schedstat(machine, env))
		return LINUX_MACHINE_SCHEDSTAT;
	return machine->idle_is_clock ? LINUX_MACHINE_IDLE : LINUX_MACHINE_TICKS;
}

/* Opens what a source that was named needs. */
static int open_named(struct linux_machine *machine, const struct sst_env *env, char error[static LINUX_MACHINE_ERROR_MAX])
{
	char why[GROUP_SUM_ERROR_MAX];
	switch (machine->source) {
	case LINUX_MACHINE_CPUACCT:
	case LINUX_MACHINE_COMBINED:
		return open_cpuacct(machine, env) == 0
			       ? 0
			       : fail(error, "can't open the root cgroup's %s: %s", usage_name(machine), strerror(errno));
	case LINUX_MACHINE_GROUPS:
		if (machine->settings.cpus || machine->settings.by_processor)
			return fail(error, "control groups of version 2 don't tell processors apart");
		machine->groups = group_sum_open(env, NULL, why);
		return machine->groups ? 0 : fail(error, "%s", why);
	case LINUX_MACHINE_SCHEDSTAT:
		return has_schedstat(machine, env)
			       ? 0
			       : fail(error, "/proc/schedstat doesn't tell how long tasks ran on each processor");
	default:
		return 0;
	}
}

/* What can tell whether the columns of /proc/stat are true, where these alone are read. */
static void open_witness(struct linux_machine *machine, const struct sst_env *env)
{
	const bool whole = !machine->settings.cpus && !machine->settings.moving && !machine->settings.is_lxcfs;
	if (whole && open_cpuacct(machine, env) == 0 && counts_the_machine(machine, env))
		return;
	close_source(&machine->usage, env);
	if (whole && groups_suit(machine, env))
		return;
	if (!machine->settings.is_lxcfs)
		has_schedstat(machine, env);
}

/* A first reading of /proc/stat, which says what there is to choose from. */
static int look(struct linux_machine *machine, const struct sst_env *env, char error[static LINUX_MACHINE_ERROR_MAX])
{
	int64_t when_ns;
	if (open_source(&machine->stat, env, "/proc/stat") != 0)
		return fail(error, "can't open /proc/stat: %s", strerror(errno));
	const ssize_t length = read_source(&machine->stat, env, &when_ns);
	if (length < 0)
		return fail(error, "can't read /proc/stat: %s", strerror(errno));
	if (busy_parse(machine->stat.text, (size_t)length, &machine->busy.reading) != 0)
		return fail(error, "/proc/stat has no line of a processor");
	return 0;
}

static int start_cores(struct linux_machine *machine, const struct sst_env *env, char error[static LINUX_MACHINE_ERROR_MAX])
{
	char why[LINUX_CORE_LOAD_ERROR_MAX];
	if (!machine->settings.of_cores)
		return 0;
	if (machine->source != LINUX_MACHINE_IDLE && machine->source != LINUX_MACHINE_SCHEDSTAT)
		return fail(error, "this source doesn't tell cores apart: expected idle or schedstat");
	return linux_core_load_open(&machine->cores, env, &machine->busy, why) == 0
		       ? 0
		       : fail(error, "unit=core is unavailable: %s", why);
}

static int start(struct linux_machine *machine, const struct sst_env *env, char error[static LINUX_MACHINE_ERROR_MAX])
{
	static const enum busy_source counted[LINUX_MACHINE_SOURCES] = {
		[LINUX_MACHINE_TICKS] = BUSY_TICKS, [LINUX_MACHINE_SCHEDSTAT] = BUSY_SCHEDSTAT};
	struct sst_reading ignored;
	if (look(machine, env, error) != 0)
		return -1;
	if (machine->settings.source < 0)
		machine->source = choose(machine, env);
	else if (open_named(machine, env, error) != 0)
		return -1;
	if (machine->source == LINUX_MACHINE_GROUPS)
		has_schedstat(machine, env);
	machine->busy.source = counted[machine->source];
	if (machine->source == LINUX_MACHINE_IDLE || machine->source == LINUX_MACHINE_TICKS)
		open_witness(machine, env);
	if (start_cores(machine, env, error) != 0)
		return -1;
	if (!is_by_processor(machine->source))
		linux_online_open(&machine->online, env);
	if (linux_machine_read(machine, env, &ignored) == 0)
		return 0;
	return fail(error, "can't read %s: %s", is_by_processor(machine->source) ? "/proc/stat" : "the time of all tasks",
		strerror(errno));
}

struct linux_machine *linux_machine_open(
	const struct sst_env *env, const struct linux_machine_settings *settings, char error[static LINUX_MACHINE_ERROR_MAX])
{
	struct linux_machine *const machine = calloc(1, sizeof *machine);
	snprintf(error, LINUX_MACHINE_ERROR_MAX, "%s", strerror(ENOMEM));
	if (!machine)
		return NULL;
	*machine = (struct linux_machine){.settings = *settings,
		.source = settings->source < 0 ? LINUX_MACHINE_IDLE : (enum linux_machine_source)settings->source,
		.stat.handle = -1,
		.schedstat.handle = -1,
		.usage.handle = -1,
		.by_processor = settings->cpus || settings->by_processor,
		.online = LINUX_ONLINE_NONE,
		.idle_is_clock = linux_accounting_idle_clock(env)};
	void *const memory = mmap(NULL, sizeof *machine->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	machine->shared = memory == MAP_FAILED ? NULL : memory;
	const bool has_memory = busy_open(&machine->busy) == 0 && machine->shared;
	machine->busy.cpus = settings->cpus;
	if (has_memory && start(machine, env, error) == 0)
		return machine;
	linux_machine_close(machine, env);
	return NULL;
}

void linux_machine_close(struct linux_machine *machine, const struct sst_env *env)
{
	if (!machine)
		return;
	close_source(&machine->stat, env);
	close_source(&machine->schedstat, env);
	close_source(&machine->usage, env);
	group_sum_close(machine->groups, env);
	linux_online_close(&machine->online, env);
	linux_core_load_close(&machine->cores);
	busy_close(&machine->busy);
	if (machine->shared)
		munmap(machine->shared, sizeof *machine->shared);
	free(machine->used_ns);
	free(machine->possible);
	free(machine);
}

/* ---- What was read ---------------------------------------------------------------------------------------------------- */

enum linux_machine_source linux_machine_source(const struct linux_machine *machine)
{
	return machine->source;
}

int linux_machine_read(struct linux_machine *machine, const struct sst_env *env, struct sst_reading *now)
{
	return is_by_processor(machine->source) ? read_processors(machine, env, now) : read_tasks(machine, env, now);
}

bool linux_machine_sample(const struct linux_machine *machine, const struct sst_reading *before, const struct sst_reading *now,
	struct sst_sample *sample)
{
	if (machine->settings.of_cores)
		return linux_core_load_sample(before, now, sample);
	if (!is_by_processor(machine->source))
		return sample_tasks(machine, before, now, sample);
	const int64_t work_ns = (int64_t)(now->counter[0] - before->counter[0]);
	const int64_t capacity_ns = (int64_t)(now->counter[1] - before->counter[1]);
	if (now->when_ns <= before->when_ns || capacity_ns <= 0)
		return false;
	*sample = (struct sst_sample){(double)work_ns / 1e9, (double)capacity_ns / 1e9};
	return true;
}

int64_t linux_machine_unit_ns(const struct linux_machine *machine)
{
	return is_by_processor(machine->source) ? (int64_t)((double)NS_PER_S / machine->busy.hz) : NS_PER_MS;
}

bool linux_machine_cpu(const struct linux_machine *machine, unsigned id, struct sst_sample *so_far)
{
	if (is_by_processor(machine->source))
		return busy_of(&machine->busy, id, &so_far->work, &so_far->capacity);
	for (size_t i = 0; machine->used_ns && i < machine->possible->count; i++) {
		if (machine->possible->cpu[i] != id || !busy_has_cpu(&machine->busy.reading, id))
			continue;
		*so_far = (struct sst_sample){(double)machine->used_ns[i] / 1e9, (double)machine->used_when_ns / 1e9};
		return true;
	}
	return false;
}

const struct busy_reading *linux_machine_stat(const struct linux_machine *machine)
{
	return &machine->busy.reading;
}

double linux_machine_processors(const struct linux_machine *machine)
{
	struct busy_total total;
	busy_last(&machine->busy, &total);
	return total.processors;
}

double linux_machine_steal(const struct linux_machine *machine)
{
	struct busy_total total;
	busy_last(&machine->busy, &total);
	return total.steal;
}

bool linux_machine_trouble(const struct linux_machine *machine, bool always, char text[static LINUX_MACHINE_TROUBLE_MAX])
{
	char which[96];
	struct busy_total total;
	busy_last(&machine->busy, &total);
	const bool needs = machine->source == LINUX_MACHINE_IDLE || machine->source == LINUX_MACHINE_TICKS;
	text[0] = '\0';
	if (!(needs || always) || !total.trouble)
		return false;
	if (total.trouble & BUSY_STOPPED)
		snprintf(text, LINUX_MACHINE_TROUBLE_MAX,
			"the columns of /proc/stat don't pass as the clock does, on any processor%s",
			needs ? ": the load is not known" : "");
	else if (total.trouble & BUSY_UNKNOWN) {
		busy_describe_unknown(&machine->busy, which, sizeof which);
		snprintf(text, LINUX_MACHINE_TROUBLE_MAX, "the columns of /proc/stat don't pass as the clock does on %s%s", which,
			needs ? ": the load is that of the others" : "");
	} else if (total.trouble & BUSY_FAST) {
		snprintf(text, LINUX_MACHINE_TROUBLE_MAX, "the idle time in /proc/stat passes faster than the clock%s",
			needs ? ": the load is that of the busy columns" : "");
	} else {
		snprintf(text, LINUX_MACHINE_TROUBLE_MAX, "the columns of /proc/stat pass slower than the clock%s",
			needs ? ": the load is taken from their shares of each other" : "");
	}
	return true;
}
