/* SPDX-License-Identifier: MIT */
/*
 * The load that the controlled workloads make, and nobody else: the processor time of their trees, relative to the processors of the
 * machine, or those that they may use.
 *
 * The host's counter never goes back and leaves nothing out but for a moment: what it misses of a process that ends during a look it
 * has with the next one. A look costs some system calls for each process and thread; the host makes samples rarer when that is
 * dear.
 */
#include "base/units.h"
#include "filter.h"
#include "processors.h"
#include "showstopper/module.h"

struct workloads {
	struct filter filter;
	struct processors processors;
};

static const struct sst_option options[] = {
	{FILTER_BASE},
	{FILTER_SHARE},
	SST_OPTION("processors", INT, struct workloads, processors.given,
		"so many fully used ones are a load of 100 %; 0: all of the machine, or those that the workloads may use",
		.initial = "0", .least = "0", .most = "100000"),
	{0},
};

static int prepare(void *state, const struct sst_env *env)
{
	struct workloads *workloads = state;
	return processors_open(&workloads->processors, env->shared, env);
}

static enum sst_scope scope(const void *state)
{
	(void)state;
	return SST_SCOPE_WORKLOADS;
}

static double ceiling(const void *state, const struct sst_env *env)
{
	(void)state;
	const struct processors_found *found = env->shared;
	return atomic_load(&found->usable) / atomic_load(&found->count);
}

static int read_source(void *state, const struct sst_env *env, struct sst_reading *now)
{
	struct processors *processors = &((struct workloads *)state)->processors;
	int64_t when_ns;
	double count;
	if (processors_clock(processors, env, &when_ns) != 0)
		return -1;
	const int64_t used_ns = processors_used(env);
	if (used_ns < 0 || processors_count(processors, env->shared, env, when_ns, &count) != 0)
		return -1;
	*now = (struct sst_reading){.when_ns = when_ns, .processors = count, .counter = {(uint64_t)used_ns}};
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
	processors_close(&((struct workloads *)state)->processors, env);
}

SST_EXPORT const struct sst_feedback sst_module = {
	SST_BASE(feedback, SST_FEEDBACK, .name = "workloads", .version = SHOWSTOPPER_VERSION,
		.summary = "load of the controlled workloads alone, relative to the machine",
		.state_size = sizeof(struct workloads), .shared_size = sizeof(struct processors_found), .options = options,
		.prepare = prepare, .fini = fini),
	.read = read_source,
	.sample = filter_sample_ns,
	.estimate = filter_estimate,
	.interval = interval,
	.scope = scope,
	.ceiling = ceiling,
};
