/* SPDX-License-Identifier: MIT */
/*
 * /proc/stat is read whatever the source is, because it tells how many processors there are; sources other than it are read right after
 * it, with a time of their own.
 */
#include "os/load_source.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "os/cgroup_usage.h"
#include "os/source.h"
#include "os/tree_time.h"

#define TEXT_MAX ((size_t)16 << 20)
#define POSSIBLE "/sys/devices/system/cpu/possible"

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
	char text[4096];
	struct sst_cpus *cpus = NULL;
	const int fd = linux_source_open(root, POSSIBLE);
	if (fd < 0)
		return NULL;
	const ssize_t length = linux_source_read(fd, text, sizeof text, NULL);
	close(fd);
	if (length > 0 && cpus_parse(text, (size_t)length - (text[length - 1] == '\n'), &cpus, NULL) != 0)
		return NULL;
	return cpus;
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
	for (;;) {
		int64_t when_ns;
		const ssize_t length = linux_source_read_record(source->stat, source->text, source->text_size, &when_ns);
		if (length < 0)
			return -1;
		if ((size_t)length < source->text_size || source->text_size >= TEXT_MAX)
			return linux_load_parse(source->text, (size_t)length, when_ns, source->settings.cpus, reading);
		char *const larger = realloc(source->text, 2 * source->text_size);
		if (!larger)
			return -1;
		source->text = larger;
		source->text_size *= 2;
	}
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
