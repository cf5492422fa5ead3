/* SPDX-License-Identifier: MIT */
/*
 * The load that the controlled workloads make, and nobody else: the processor time of their trees, relative to the processors of the
 * machine, or those that they may use.
 *
 * The host's counter never goes back and leaves nothing out but for a moment: what it misses of a process that ends during a look it
 * has with the next one. A look costs some system calls for each process and thread; the host makes samples rarer when that is
 * dear.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "filter.h"
#include "load/stat.h"
#include "showstopper/module.h"

/* Enough for the processors' lines of the largest machines. */
#define TEXT_SIZE (512 * 1024)

/* Shared by all executors: how many processors there are, and when that was looked up. */
struct machine {
	_Atomic double processors;
	_Atomic int64_t looked_ns;
	_Atomic uint64_t moves; /* of the workloads to other processors, at that time */
};

struct workloads {
	struct filter filter;
	int64_t processors; /* that a load of 100 % is; 0: see look() */
	int stat;           /* handle of /proc/stat, which has the processors */
	int clock;          /* of a file that is read for the time alone, or -1 */
	struct linux_online online;
	char *text;
	bool open;
};

static const struct sst_option options[] = {
	{FILTER_BASE},
	{FILTER_SHARE},
	SST_OPTION("processors", INT, struct workloads, processors,
		"so many fully used ones are a load of 100 %; 0: all of the machine, or those that the workloads may use",
		.initial = "0", .least = "0", .most = "100000"),
	{0},
};

static int look(struct workloads *workloads, const struct sst_env *env, const struct sst_cpus *cpus)
{
	struct machine *machine = env->shared;
	struct linux_stat stat;
	int64_t ignored;
	if (workloads->processors) {
		atomic_store(&machine->processors, (double)workloads->processors);
		return 0;
	}
	const ssize_t length = env->host->read(env, workloads->stat, workloads->text, TEXT_SIZE, &ignored);
	if (length < 0 || linux_online_parse(env, workloads->text, (size_t)length, cpus, &stat) != 0)
		return -1;
	atomic_store(&machine->processors, (double)stat.processors);
	return 0;
}

static int prepare(void *state, const struct sst_env *env)
{
	struct workloads *workloads = state;
	workloads->stat = env->host->open(env, "/proc/stat");
	if (workloads->stat < 0)
		return env->host->refuse(env, "can't open /proc/stat: %s", strerror(errno));
	/* The shortest there is: the host has no other clock, and /proc/stat is made anew for the first of its bytes. */
	workloads->clock = env->host->open(env, "/proc/loadavg");
	linux_online_open(&workloads->online, env);
	workloads->open = true;
	workloads->text = malloc(TEXT_SIZE);
	if (!workloads->text)
		return env->host->refuse(env, "%s", strerror(errno));
	if (look(workloads, env, env->cpus) != 0)
		return env->host->refuse(
			env, "can't read /proc/stat: %s", errno == EINVAL ? "it has no line of a processor" : strerror(errno));
	return 0;
}

static int read_source(void *state, const struct sst_env *env, struct sst_reading *now)
{
	struct workloads *workloads = state;
	struct machine *machine = env->shared;
	char first[64];
	int64_t when_ns;
	if (env->host->read(env, workloads->clock >= 0 ? workloads->clock : workloads->stat, first, sizeof first, &when_ns) < 0)
		return -1;
	int64_t used_ns = env->host->tree_cpu_time(env);
	if (used_ns < 0 && errno == EAGAIN)
		used_ns = 0; /* there are no workloads yet */
	if (used_ns < 0)
		return -1;
	const struct sst_cpus *cpus = env->cpus;
	uint64_t moves = 0;
	if (env->moving)
		cpus = env->host->cpus(env, &moves);
	/* A second is for kernels that don't list the processors that are online. */
	if (atomic_exchange(&machine->moves, moves) != moves || linux_online_changed(&workloads->online, env))
		atomic_store(&machine->looked_ns, 0);
	int64_t looked_ns = atomic_load(&machine->looked_ns);
	if (when_ns - looked_ns >= NS_PER_S && atomic_compare_exchange_strong(&machine->looked_ns, &looked_ns, when_ns) &&
		look(workloads, env, cpus) != 0) {
		atomic_store(&machine->looked_ns, 0); /* what is known holds no more */
		return -1;
	}
	*now = (struct sst_reading){
		.when_ns = when_ns, .processors = atomic_load(&machine->processors), .counter = {(uint64_t)used_ns}};
	return 0;
}

/* What has ended is counted in ticks of 10 ms. */
static int64_t interval(const void *state, double processors)
{
	const struct workloads *workloads = state;
	return filter_interval(&workloads->filter, processors, 10 * NS_PER_MS);
}

static void fini(void *state, const struct sst_env *env)
{
	struct workloads *workloads = state;
	if (workloads->open && workloads->clock >= 0)
		env->host->close(env, workloads->clock);
	if (workloads->open)
		env->host->close(env, workloads->stat);
	if (workloads->open)
		linux_online_close(&workloads->online, env);
	workloads->open = false;
	free(workloads->text);
	workloads->text = NULL;
}

SST_EXPORT const struct sst_feedback sst_module = {
	SST_BASE(feedback, SST_FEEDBACK, .name = "workloads", .version = SHOWSTOPPER_VERSION,
		.summary = "load of the controlled workloads alone, relative to the machine",
		.state_size = sizeof(struct workloads), .shared_size = sizeof(struct machine), .options = options,
		.prepare = prepare, .fini = fini),
	.read = read_source,
	.sample = filter_sample_ns,
	.estimate = filter_estimate,
	.interval = interval,
};
