/* SPDX-License-Identifier: MIT */
/* The machine is read whatever the source is, because it tells how many processors there are; others are read right after it. */
#include "cpuload/load_source.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "groups/cgroup_places.h"
#include "load/tree_time.h"
#include "self/host.h"
#include "self/kernel.h"

struct reading {
	struct sst_reading machine;
	double steal;    /* s, so far */
	int64_t when_ns; /* of a tree or a group, as what follows: */
	double used;     /* s */
	bool has_used;
	struct sst_sample *cpu; /* so far, by number; known where the capacity isn't NaN */
};

struct linux_load_source {
	struct linux_load_settings settings;
	struct host_env host;
	struct linux_machine *machine;
	int group; /* handle of its usage, or -1 */
	enum linux_cgroup_format format;
	struct linux_tree_time *tree;
	unsigned cpus;                            /* numbers of processors that can be asked for are below this; 0: none */
	struct reading reading[2], *now, *before; /* before is NULL until there are two */
	bool has_ended;
};

/* ---- Opening ---------------------------------------------------------------------------------------------------------- */

static int open_part(struct linux_load_source *source, char error[static LINUX_LOAD_SOURCE_ERROR_MAX])
{
	const struct linux_load_settings *const settings = &source->settings;
	if (settings->cgroup)
		source->group = linux_cgroup_open_usage(&source->host.env, settings->cgroup, &source->format, error);
	else if (settings->pid)
		source->tree = linux_tree_time_open(settings->root, settings->pid);
	if (settings->cgroup ? source->group >= 0 : !settings->pid || source->tree)
		return 0;
	if (settings->pid && (errno == ENOENT || errno == ESRCH))
		snprintf(error, LINUX_LOAD_SOURCE_ERROR_MAX, "there is no process %d", (int)settings->pid);
	else if (settings->pid)
		snprintf(error, LINUX_LOAD_SOURCE_ERROR_MAX, "can't follow process %d: %s", (int)settings->pid, strerror(errno));
	return -1;
}

/* Checks that the processors asked for exist. */
static int check_cpus(const struct linux_load_source *source, char error[static LINUX_LOAD_SOURCE_ERROR_MAX])
{
	const struct sst_cpus *const cpus = source->settings.cpus;
	struct sst_cpus *const possible = linux_cpu_list(&source->host.env, "possible");
	unsigned missing = 0;
	bool exist = true;
	for (size_t i = 0; cpus && possible && exist && i < cpus->count; i++) {
		missing = cpus->cpu[i];
		exist = cpus_contain(possible, missing);
	}
	free(possible);
	if (!exist)
		snprintf(error, LINUX_LOAD_SOURCE_ERROR_MAX, "this machine has no processor %u", missing);
	else if (!(linux_machine_processors(source->machine) > 0))
		snprintf(error, LINUX_LOAD_SOURCE_ERROR_MAX, "none of these processors is online");
	return exist && linux_machine_processors(source->machine) > 0 ? 0 : -1;
}

/* Room for those that can be asked for: the ones of the list, or those that are there now. */
static int make_room(struct linux_load_source *source)
{
	const struct busy_reading *const now = linux_machine_stat(source->machine);
	const struct sst_cpus *const cpus = source->settings.cpus;
	if (!source->settings.per_cpu)
		return 0;
	source->cpus = 1 + (cpus ? cpus->cpu[cpus->count - 1] : now->cpu[now->count - 1].id);
	for (int i = 0; i < 2; i++)
		if (!(source->reading[i].cpu = calloc(source->cpus, sizeof *source->reading[i].cpu)))
			return -1;
	return 0;
}

static int start(struct linux_load_source *source, char error[static LINUX_LOAD_SOURCE_ERROR_MAX])
{
	const struct linux_load_settings *const settings = &source->settings;
	const bool is_part = settings->pid || settings->cgroup;
	const struct linux_machine_settings machine = {.source = is_part ? LINUX_MACHINE_IDLE : settings->source,
		.cpus = settings->cpus,
		.by_processor = settings->per_cpu,
		.of_cores = settings->of_cores,
		.always_stat = true};
	if (open_part(source, error) != 0)
		return -1;
	source->machine = linux_machine_open(&source->host.env, &machine, error);
	if (!source->machine) {
		if (*settings->root)
			snprintf(error + strlen(error), LINUX_LOAD_SOURCE_ERROR_MAX - strlen(error), " (below %.200s)",
				settings->root);
		return -1;
	}
	if (make_room(source) != 0 || linux_load_source_read(source) != 0) {
		snprintf(error, LINUX_LOAD_SOURCE_ERROR_MAX, "can't read the load: %s", strerror(errno));
		return -1;
	}
	return check_cpus(source, error);
}

struct linux_load_source *linux_load_source_open(
	const struct linux_load_settings *settings, char error[static LINUX_LOAD_SOURCE_ERROR_MAX])
{
	struct linux_load_source *const source = calloc(1, sizeof *source);
	snprintf(error, LINUX_LOAD_SOURCE_ERROR_MAX, "%s", strerror(ENOMEM));
	if (!source)
		return NULL;
	*source = (struct linux_load_source){.settings = *settings, .group = -1};
	host_env_init(&source->host, settings->root, 1, 0);
	if (start(source, error) == 0)
		return source;
	linux_load_source_close(source);
	return NULL;
}

void linux_load_source_close(struct linux_load_source *source)
{
	if (!source)
		return;
	if (source->group >= 0)
		source->host.env.host->close(&source->host.env, source->group);
	linux_machine_close(source->machine, &source->host.env);
	linux_tree_time_close(source->tree);
	for (int i = 0; i < 2; i++)
		free(source->reading[i].cpu);
	free(source);
}

/* ---- Reading ---------------------------------------------------------------------------------------------------------- */

static int read_group(struct linux_load_source *source, struct reading *reading)
{
	uint64_t ns;
	const int result = linux_cgroup_used(&source->host.env, source->group, source->format, &ns, &reading->when_ns);
	source->has_ended = result != 0 && errno == ENODEV;
	if (result != 0)
		return source->has_ended ? 0 : -1;
	reading->has_used = true;
	reading->used = (double)ns / 1e9;
	return 0;
}

static int read_tree(struct linux_load_source *source, struct reading *reading)
{
	struct linux_tree_time_reading tree;
	if (linux_tree_time_read(source->tree, linux_machine_stat(source->machine)->stat.forks, &tree) != 0)
		return -1;
	reading->when_ns = tree.when_ns;
	reading->used = tree.used;
	reading->has_used = tree.known > 0;
	source->has_ended = tree.alive == 0;
	return 0;
}

int linux_load_source_read(struct linux_load_source *source)
{
	struct reading *const reading = source->now == &source->reading[0] ? &source->reading[1] : &source->reading[0];
	reading->has_used = false;
	if (linux_machine_read(source->machine, &source->host.env, &reading->machine) != 0)
		return -1;
	reading->when_ns = reading->machine.when_ns;
	reading->steal = linux_machine_steal(source->machine);
	for (unsigned i = 0; i < source->cpus; i++)
		if (!linux_machine_cpu(source->machine, i, &reading->cpu[i]))
			reading->cpu[i].capacity = NAN;
	if ((source->group >= 0 && read_group(source, reading) != 0) || (source->tree && read_tree(source, reading) != 0))
		return -1;
	source->before = source->now;
	source->now = reading;
	return 0;
}

int linux_load_source_look(struct linux_load_source *source)
{
	struct sst_reading ignored;
	return linux_machine_read(source->machine, &source->host.env, &ignored);
}

/* ---- What was read ---------------------------------------------------------------------------------------------------- */

int64_t linux_load_source_when(const struct linux_load_source *source)
{
	return source->now->when_ns;
}

bool linux_load_source_has_ended(const struct linux_load_source *source)
{
	return source->has_ended;
}

double linux_load_source_processors(const struct linux_load_source *source)
{
	return linux_machine_processors(source->machine);
}

const struct busy_reading *linux_load_source_now(const struct linux_load_source *source)
{
	return linux_machine_stat(source->machine);
}

enum linux_machine_source linux_load_source_kind(const struct linux_load_source *source)
{
	return linux_machine_source(source->machine);
}

bool linux_load_source_trouble(const struct linux_load_source *source, char text[static LINUX_MACHINE_TROUBLE_MAX])
{
	return source->group < 0 && !source->tree && linux_machine_trouble(source->machine, false, text);
}

static double elapsed_s(const struct linux_load_source *source)
{
	return ((double)source->now->when_ns - (double)source->before->when_ns) / 1e9;
}

bool linux_load_source_sample(const struct linux_load_source *source, struct sst_sample *sample)
{
	const struct reading *const before = source->before, *const now = source->now;
	if (!before)
		return false;
	if (source->group < 0 && !source->tree)
		return linux_machine_sample(source->machine, &before->machine, &now->machine, sample);
	const double capacity = elapsed_s(source) * (before->machine.processors + now->machine.processors) / 2;
	if (!before->has_used || !now->has_used || now->used < before->used || !(capacity > 0))
		return false;
	*sample = (struct sst_sample){.work = now->used - before->used, .capacity = capacity};
	return true;
}

bool linux_load_source_sample_cpu(const struct linux_load_source *source, unsigned id, struct sst_sample *sample)
{
	if (!source->before || id >= source->cpus)
		return false;
	const struct sst_sample *const before = &source->before->cpu[id], *const now = &source->now->cpu[id];
	if (!(now->capacity > before->capacity))
		return false;
	*sample = (struct sst_sample){now->work - before->work, now->capacity - before->capacity};
	return true;
}

double linux_load_source_noise(const struct linux_load_source *source, double processors)
{
	(void)source;
	return 2 / linux_stat_hz() * processors;
}

double linux_load_source_steal(const struct linux_load_source *source)
{
	if (!source->before)
		return NAN;
	const double capacity = elapsed_s(source) * source->now->machine.processors;
	if (!(capacity > 0) || !(linux_load_source_now(source)->stat.present & LINUX_STAT_STEAL))
		return NAN;
	return (source->now->steal - source->before->steal) / capacity;
}
