/* SPDX-License-Identifier: MIT */
/*
 * The summary line of /proc/stat counts all processors that are possible, and the kernel resets, replaces or corrects the
 * idle time of one that goes offline or comes back. So differences of the summary are used only between readings with the same
 * processors, and else those of the processors which were there at both ends.
 *
 * /proc/stat is read whatever the source is, because it tells how many processors there are; sources other than it are read right after
 * it, with a time of their own.
 */
#include "load/load_source.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "groups/cgroup.h"
#include "load/tree_time.h"
#include "self/host.h"
#include "self/host_text.h"
#include "self/kernel.h"
#include "self/source.h"

/* Inode of the first cgroup namespace (the kernel's PROC_CGROUP_INIT_INO). */
#define FIRST_NAMESPACE "cgroup:[4026531835]"
#define TEXT_MAX ((size_t)16 << 20)
#define USAGE_TEXT_MAX ((size_t)1 << 20)

/* Reads a record whole, for which the buffer grows up to `most` bytes; of a larger one so much. Its length, or -1 with errno. */
static ssize_t read_whole(int fd, char **text, size_t *size, size_t most, int64_t *when_ns)
{
	for (;;) {
		const ssize_t length = linux_source_read_record(fd, *text, *size, when_ns);
		if (length < 0 || (size_t)length < *size || *size >= most)
			return length;
		char *const larger = realloc(*text, 2 * *size);
		if (!larger)
			return -1;
		*text = larger;
		*size *= 2;
	}
}

/* ---- The processor time of a control group ---------------------------------------------------------------------------- */

/* 0, or -1 with errno. */
static int begin_usage(struct linux_cgroup_usage *usage, int fd, enum linux_cgroup_format format)
{
	*usage = (struct linux_cgroup_usage){.fd = fd, .format = format, .size = 4096};
	usage->text = fd < 0 ? NULL : malloc(usage->size);
	return usage->text ? 0 : -1;
}

static int fail_usage(struct linux_cgroup_usage *usage, char error[static LINUX_CGROUP_ERROR_MAX], const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fail_usage(struct linux_cgroup_usage *usage, char error[static LINUX_CGROUP_ERROR_MAX], const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error, LINUX_CGROUP_ERROR_MAX, format, arguments);
	va_end(arguments);
	linux_cgroup_usage_close(usage);
	return -1;
}

int linux_cgroup_usage_open(
	struct linux_cgroup_usage *usage, const char *root, const char *path, char error[static LINUX_CGROUP_ERROR_MAX])
{
	struct host_env host;
	enum linux_cgroup_format format;
	*usage = (struct linux_cgroup_usage){.fd = -1};
	/* Handles of this host are descriptors. */
	host_env_init(&host, root, 1, 0);
	const int fd = linux_cgroup_open_usage(&host.env, path, &format, error);
	if (fd < 0)
		return -1;
	return begin_usage(usage, fd, format) == 0 ? 0 : fail_usage(usage, error, "%s", strerror(errno));
}

int linux_cgroup_usage_open_machine(
	struct linux_cgroup_usage *usage, const char *root, int by_processor, char error[static LINUX_CGROUP_ERROR_MAX])
{
	const char *const name = by_processor ? "cpuacct.usage_percpu" : "cpuacct.usage";
	char point[PATH_MAX] = "", part[PATH_MAX], path[2 * PATH_MAX], space[64] = FIRST_NAMESPACE;
	struct host_env host;
	uint64_t ns;
	int64_t when_ns;
	*usage = (struct linux_cgroup_usage){.fd = -1};
	host_env_init(&host, root, 1, 0);
	char *const mounts = host_text(&host.env, "/proc/self/mountinfo", NULL);
	if (!mounts)
		return fail_usage(usage, error, "can't read %s/proc/self/mountinfo: %s", root, strerror(errno));
	const int found = linux_cgroup_find_mount(mounts, strlen(mounts), "cgroup", "cpuacct", point, part, PATH_MAX);
	free(mounts);
	if (found != 0)
		return fail_usage(usage, error, "this machine has no cpuacct hierarchy (cgroup v1)");
	snprintf(path, sizeof path, "%s/proc/self/ns/cgroup", root);
	const ssize_t length = readlink(path, space, sizeof space - 1);
	if (length >= 0)
		space[length] = '\0';
	if (strcmp(part, "/") != 0 || strcmp(space, FIRST_NAMESPACE) != 0)
		return fail_usage(usage, error, "the root group of cpuacct is that of a container here, not the machine's");
	snprintf(path, sizeof path, "%s/%s", point, name);
	/* Opened, and tried. */
	if (begin_usage(usage, linux_source_open(root, path), by_processor ? LINUX_CGROUP_PER_CPU : LINUX_CGROUP_V1) != 0 ||
		linux_cgroup_usage_read(usage, &ns, 1, &when_ns) <= 0)
		return fail_usage(usage, error, "can't read %.200s/%s: %s", point, name, strerror(errno));
	return 0;
}

ssize_t linux_cgroup_usage_read(struct linux_cgroup_usage *usage, uint64_t *ns, size_t room, int64_t *when_ns)
{
	const ssize_t length = read_whole(usage->fd, &usage->text, &usage->size, USAGE_TEXT_MAX, when_ns);
	if (length < 0 || (size_t)length < USAGE_TEXT_MAX)
		return length < 0 ? -1 : linux_cgroup_usage_parse(usage->format, usage->text, (size_t)length, ns, room);
	errno = EINVAL;
	return -1;
}

void linux_cgroup_usage_close(struct linux_cgroup_usage *usage)
{
	if (usage->fd >= 0)
		close(usage->fd);
	free(usage->text);
	*usage = (struct linux_cgroup_usage){.fd = -1};
}

/* ---- The load between two readings of /proc/stat -------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
	const struct linux_stat_cpu *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static bool is_ascending(const struct linux_load_reading *reading)
{
	for (size_t i = 1; i < reading->count; i++)
		if (reading->cpu[i].id <= reading->cpu[i - 1].id)
			return false;
	return true;
}

int linux_load_parse(
	const char *text, size_t length, int64_t when_ns, const struct sst_cpus *subset, struct linux_load_reading *reading)
{
	reading->when_ns = when_ns;
	reading->count = 0;
	if (linux_stat_parse(text, length, subset, &reading->stat) != 0) {
		if (!subset || linux_stat_parse(text, length, NULL, &reading->stat) != 0)
			return -1;
		reading->stat.processors = 0;
		return 0;
	}
	size_t count = linux_stat_parse_cpus(text, length, subset, reading->cpu, reading->room);
	if (count > reading->room) {
		struct linux_stat_cpu *const larger = realloc(reading->cpu, count * sizeof *larger);
		if (!larger)
			return -1;
		reading->cpu = larger;
		reading->room = count;
		count = linux_stat_parse_cpus(text, length, subset, reading->cpu, reading->room);
	}
	reading->count = count;
	if (!is_ascending(reading))
		qsort(reading->cpu, count, sizeof *reading->cpu, by_id);
	return 0;
}

void linux_load_free(struct linux_load_reading *reading)
{
	free(reading->cpu);
	*reading = (struct linux_load_reading){0};
}

static bool sample(const struct linux_stat_times *before, int64_t before_ns, double processors_before,
	const struct linux_stat_times *now, int64_t now_ns, double processors_now, enum linux_load_counters counters, double hz,
	struct sst_sample *result)
{
	const struct sst_reading from = linux_stat_reading(before, processors_before, before_ns);
	const struct sst_reading to = linux_stat_reading(now, processors_now, now_ns);
	return counters == LINUX_LOAD_IDLE ? linux_stat_sample_idle(&from, &to, hz, result)
					   : linux_stat_sample_ticks(&from, &to, hz, result);
}

static bool same_processors(const struct linux_load_reading *before, const struct linux_load_reading *now)
{
	if (before->stat.processors != now->stat.processors || before->count != now->count)
		return false;
	for (size_t i = 0; i < now->count; i++)
		if (before->cpu[i].id != now->cpu[i].id)
			return false;
	return true;
}

static const struct linux_stat_times *find(const struct linux_load_reading *reading, unsigned id)
{
	const struct linux_stat_cpu key = {.id = id};
	const struct linux_stat_cpu *const found =
		reading->count ? bsearch(&key, reading->cpu, reading->count, sizeof key, by_id) : NULL;
	return found ? &found->times : NULL;
}

bool linux_load_has_cpu(const struct linux_load_reading *reading, unsigned id)
{
	return find(reading, id) != NULL;
}

bool linux_load_sample_cpu(const struct linux_load_reading *before, const struct linux_load_reading *now, unsigned id,
	enum linux_load_counters counters, double hz, struct sst_sample *result)
{
	const struct linux_stat_times *const from = find(before, id), *const to = find(now, id);
	return from && to && sample(from, before->when_ns, 1, to, now->when_ns, 1, counters, hz, result);
}

bool linux_load_sample(const struct linux_load_reading *before, const struct linux_load_reading *now,
	enum linux_load_counters counters, double hz, struct sst_sample *result)
{
	if (before->stat.processors == 0 || now->stat.processors == 0)
		return false;
	if (same_processors(before, now) && sample(&before->stat.total, before->when_ns, before->stat.processors,
						    &now->stat.total, now->when_ns, now->stat.processors, counters, hz, result))
		return true;
	struct sst_sample sum = {0}, one;
	for (size_t i = 0; i < now->count; i++) {
		if (linux_load_sample_cpu(before, now, now->cpu[i].id, counters, hz, &one)) {
			sum.work += one.work;
			sum.capacity += one.capacity;
		}
	}
	if (!(sum.capacity > 0))
		return false;
	*result = sum;
	return true;
}

double linux_load_steal(const struct linux_load_reading *before, const struct linux_load_reading *now, double hz)
{
	if (!(before->stat.present & now->stat.present & LINUX_STAT_STEAL) || now->when_ns <= before->when_ns ||
		before->stat.processors == 0 || now->stat.processors == 0)
		return NAN;
	const double seconds = ((double)now->when_ns - (double)before->when_ns) / 1e9;
	if (same_processors(before, now)) {
		if (now->stat.total.steal < before->stat.total.steal)
			return NAN;
		return (double)(now->stat.total.steal - before->stat.total.steal) / hz / (seconds * now->stat.processors);
	}
	double ticks = 0, processors = 0;
	for (size_t i = 0; i < now->count; i++) {
		const struct linux_stat_times *const from = find(before, now->cpu[i].id);
		if (from && now->cpu[i].times.steal >= from->steal) {
			ticks += (double)(now->cpu[i].times.steal - from->steal);
			processors++;
		}
	}
	return processors > 0 ? ticks / hz / (seconds * processors) : NAN;
}

struct reading {
	struct linux_load_reading stat;
	/* Of kinds that have a source beside /proc/stat: */
	int64_t when_ns;
	double used;       /* seconds */
	uint64_t *per_cpu; /* ns of possible processors */
	size_t per_cpu_count;
	bool has_usage;
};

struct linux_load_source {
	struct linux_load_settings settings;
	double hz;
	int stat;
	char *text;
	size_t text_size;
	struct linux_cgroup_usage usage;
	struct linux_tree_time *tree;
	struct sst_cpus *possible; /* what the numbers of per_cpu belong to; NULL: 0, 1, 2, … */
	size_t per_cpu_room;
	struct reading reading[2], *now, *before; /* before is NULL until there are two */
	bool has_ended;
};

/* ---- Opening ---------------------------------------------------------------------------------------------------------- */

static struct sst_cpus *read_possible(const char *root)
{
	struct host_env host;
	host_env_init(&host, root, 1, 0);
	return linux_cpu_list(&host.env, "possible");
}

static bool reads_per_cpu(const struct linux_load_settings *settings)
{
	return settings->kind == LINUX_LOAD_KIND_CPUACCT && (settings->per_cpu || settings->cpus);
}

static int open_source(struct linux_load_source *source, char error[static LINUX_LOAD_SOURCE_ERROR_MAX])
{
	const struct linux_load_settings *const settings = &source->settings;
	switch (settings->kind) {
	case LINUX_LOAD_KIND_IDLE:
	case LINUX_LOAD_KIND_TICKS:
		return 0;
	case LINUX_LOAD_KIND_CPUACCT:
		return linux_cgroup_usage_open_machine(&source->usage, settings->root, reads_per_cpu(settings), error);
	case LINUX_LOAD_KIND_CGROUP:
		return linux_cgroup_usage_open(&source->usage, settings->root, settings->cgroup, error);
	case LINUX_LOAD_KIND_TREE:
		source->tree = linux_tree_time_open(settings->root, settings->pid);
		if (source->tree)
			return 0;
		if (errno == ENOENT || errno == ESRCH)
			snprintf(error, LINUX_LOAD_SOURCE_ERROR_MAX, "there is no process %d", (int)settings->pid);
		else
			snprintf(error, LINUX_LOAD_SOURCE_ERROR_MAX, "can't follow process %d: %s", (int)settings->pid,
				strerror(errno));
		return -1;
	}
	return -1;
}

/* Checks that the processors asked for exist. */
static int check_cpus(const struct linux_load_source *source, char error[static LINUX_LOAD_SOURCE_ERROR_MAX])
{
	const struct sst_cpus *const cpus = source->settings.cpus;
	for (size_t i = 0; cpus && source->possible && i < cpus->count; i++) {
		if (!cpus_contain(source->possible, cpus->cpu[i])) {
			snprintf(error, LINUX_LOAD_SOURCE_ERROR_MAX, "this machine has no processor %u", cpus->cpu[i]);
			return -1;
		}
	}
	if (source->now->stat.stat.processors == 0) {
		snprintf(error, LINUX_LOAD_SOURCE_ERROR_MAX, "none of these processors is online");
		return -1;
	}
	return 0;
}

struct linux_load_source *linux_load_source_open(
	const struct linux_load_settings *settings, char error[static LINUX_LOAD_SOURCE_ERROR_MAX])
{
	struct linux_load_source *const source = calloc(1, sizeof *source);
	if (!source) {
		snprintf(error, LINUX_LOAD_SOURCE_ERROR_MAX, "%s", strerror(errno));
		return NULL;
	}
	*source = (struct linux_load_source){
		.settings = *settings, .hz = linux_stat_hz(), .usage = {.fd = -1}, .text_size = (size_t)16 << 10};
	source->text = malloc(source->text_size);
	source->stat = linux_source_open(settings->root, "/proc/stat");
	if (source->stat < 0 || !source->text) {
		snprintf(error, LINUX_LOAD_SOURCE_ERROR_MAX, "can't open %.400s/proc/stat: %s", settings->root, strerror(errno));
		goto fail;
	}
	source->possible = read_possible(settings->root);
	if (open_source(source, error) != 0)
		goto fail;
	if (linux_load_source_read(source) != 0) {
		snprintf(error, LINUX_LOAD_SOURCE_ERROR_MAX, "can't read %.400s/proc/stat: %s", settings->root,
			errno == EINVAL ? "it has no line of a processor" : strerror(errno));
		goto fail;
	}
	if (check_cpus(source, error) != 0)
		goto fail;
	return source;
fail:
	linux_load_source_close(source);
	return NULL;
}

void linux_load_source_close(struct linux_load_source *source)
{
	if (!source)
		return;
	if (source->stat >= 0)
		close(source->stat);
	free(source->text);
	linux_cgroup_usage_close(&source->usage);
	linux_tree_time_close(source->tree);
	free(source->possible);
	for (int i = 0; i < 2; i++) {
		linux_load_free(&source->reading[i].stat);
		free(source->reading[i].per_cpu);
	}
	free(source);
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

static int read_stat(struct linux_load_source *source, struct linux_load_reading *reading)
{
	int64_t when_ns;
	const ssize_t length = read_whole(source->stat, &source->text, &source->text_size, TEXT_MAX, &when_ns);
	return length < 0 ? -1 : linux_load_parse(source->text, (size_t)length, when_ns, source->settings.cpus, reading);
}

/* The processor that the number at place i of cpuacct.usage_percpu belongs to. */
static unsigned per_cpu_id(const struct linux_load_source *source, size_t i)
{
	return source->possible && i < source->possible->count ? source->possible->cpu[i] : (unsigned)i;
}

static int read_usage(struct linux_load_source *source, struct reading *reading)
{
	uint64_t ns = 0;
	double sum = 0;
	const bool per_cpu = reads_per_cpu(&source->settings);
	const ssize_t count = linux_cgroup_usage_read(
		&source->usage, per_cpu ? reading->per_cpu : &ns, per_cpu ? source->per_cpu_room : 1, &reading->when_ns);
	if (count < 0) {
		/* What a group that was removed answers. */
		if (errno != ENODEV)
			return -1;
		source->has_ended = true;
		return 0;
	}
	reading->has_usage = true;
	reading->used = (double)ns / 1e9;
	if (!per_cpu)
		return 0;
	if ((size_t)count > source->per_cpu_room) {
		for (int i = 0; i < 2; i++) {
			uint64_t *const larger = realloc(source->reading[i].per_cpu, (size_t)count * sizeof *larger);
			if (!larger)
				return -1;
			source->reading[i].per_cpu = larger;
		}
		source->per_cpu_room = (size_t)count;
		return read_usage(source, reading);
	}
	reading->per_cpu_count = (size_t)count;
	for (size_t i = 0; i < reading->per_cpu_count; i++)
		if (!source->settings.cpus || cpus_contain(source->settings.cpus, per_cpu_id(source, i)))
			sum += (double)reading->per_cpu[i] / 1e9;
	reading->used = sum;
	return 0;
}

static int read_tree(struct linux_load_source *source, struct reading *reading)
{
	struct linux_tree_time_reading tree;
	if (linux_tree_time_read(source->tree, reading->stat.stat.forks, &tree) != 0)
		return -1;
	reading->when_ns = tree.when_ns;
	reading->used = tree.used;
	reading->has_usage = tree.known > 0;
	source->has_ended = tree.alive == 0;
	return 0;
}

int linux_load_source_read(struct linux_load_source *source)
{
	struct reading *const reading = source->now == &source->reading[0] ? &source->reading[1] : &source->reading[0];
	reading->has_usage = false;
	if (read_stat(source, &reading->stat) != 0)
		return -1;
	reading->when_ns = reading->stat.when_ns;
	if (source->usage.fd >= 0 && read_usage(source, reading) != 0)
		return -1;
	if (source->tree && read_tree(source, reading) != 0)
		return -1;
	source->before = source->now;
	source->now = reading;
	return 0;
}

int64_t linux_load_source_when(const struct linux_load_source *source)
{
	return source->now->when_ns;
}

bool linux_load_source_has_ended(const struct linux_load_source *source)
{
	return source->has_ended;
}

const struct linux_load_reading *linux_load_source_now(const struct linux_load_source *source)
{
	return &source->now->stat;
}

/* ---- Subtracting ------------------------------------------------------------------------------------------------------ */

static bool is_of_stat(const struct linux_load_source *source)
{
	return source->settings.kind == LINUX_LOAD_KIND_IDLE || source->settings.kind == LINUX_LOAD_KIND_TICKS;
}

static enum linux_load_counters counters(const struct linux_load_source *source)
{
	return source->settings.kind == LINUX_LOAD_KIND_IDLE ? LINUX_LOAD_IDLE : LINUX_LOAD_TICKS;
}

static double capacity_between(const struct linux_load_source *source, double processors)
{
	return ((double)source->now->when_ns - (double)source->before->when_ns) / 1e9 * processors;
}

bool linux_load_source_sample(const struct linux_load_source *source, struct sst_sample *sample)
{
	const struct reading *const before = source->before, *const now = source->now;
	if (!before)
		return false;
	if (is_of_stat(source))
		return linux_load_sample(&before->stat, &now->stat, counters(source), source->hz, sample);
	const double capacity = capacity_between(source, (before->stat.stat.processors + now->stat.stat.processors) / 2.0);
	if (!before->has_usage || !now->has_usage || now->used < before->used || !(capacity > 0))
		return false;
	*sample = (struct sst_sample){.work = now->used - before->used, .capacity = capacity};
	return true;
}

bool linux_load_source_sample_cpu(const struct linux_load_source *source, unsigned id, struct sst_sample *sample)
{
	const struct reading *const before = source->before, *const now = source->now;
	if (!before)
		return false;
	if (is_of_stat(source))
		return linux_load_sample_cpu(&before->stat, &now->stat, id, counters(source), source->hz, sample);
	const double capacity = capacity_between(source, 1);
	if (!linux_load_has_cpu(&before->stat, id) || !linux_load_has_cpu(&now->stat, id) || !(capacity > 0))
		return false;
	for (size_t i = 0; i < now->per_cpu_count && i < before->per_cpu_count; i++) {
		if (per_cpu_id(source, i) != id)
			continue;
		if (now->per_cpu[i] < before->per_cpu[i])
			return false;
		*sample = (struct sst_sample){.work = (double)(now->per_cpu[i] - before->per_cpu[i]) / 1e9, .capacity = capacity};
		return true;
	}
	return false;
}

double linux_load_source_noise(const struct linux_load_source *source, double processors)
{
	return 2 / source->hz * processors;
}

double linux_load_source_steal(const struct linux_load_source *source)
{
	return source->before ? linux_load_steal(&source->before->stat, &source->now->stat, source->hz) : NAN;
}
