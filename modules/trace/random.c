/* SPDX-License-Identifier: MIT */
/*
 * Random loads. Each is a hash of the seed and of its place in the sequence and of nothing else, so that all executors see
 * the same trace without sharing state, any moment can be asked for, and a run can be repeated from its seed. The hash is
 * part of what a seed means: it must not change.
 */
#include <math.h>

#include "base/splitmix.h"
#include "showstopper/module.h"

enum { STEP, LINEAR };

struct random {
	int64_t seed;
	double min, max;
	int64_t hold_ns;
	int interpolate;
};

static const char *const interpolations[] = {[STEP] = "step", [LINEAR] = "linear", NULL};

static const struct sst_option options[] = {
	SST_OPTION("seed", INT, struct random, seed, "what the loads are made from; without it one is picked and recorded",
		.least = "0"),
	SST_OPTION("min", LOAD, struct random, min, "lowest load", .initial = "0"),
	SST_OPTION("max", LOAD, struct random, max, "highest load", .initial = "1"),
	SST_OPTION("hold", TIME, struct random, hold_ns, "time from one load to the next", .initial = "10s", .least = "1m",
		.most = "1000d"),
	SST_OPTION("interpolate", CHOICE, struct random, interpolate, "hold each load, or go to the next in a straight line",
		.initial = "step", .choices = interpolations),
	{0},
};

static int prepare(void *state, const struct sst_env *env)
{
	struct random *random = state;
	if (random->min > random->max)
		return env->host->refuse(env, "found min=%g above max=%g, expected min up to max", random->min, random->max);
	if (random->seed == SST_UNSET)
		random->seed = (int64_t)(env->entropy & INT64_MAX);
	return 0;
}

/* The load at a place of the sequence, from 0. The seed is mixed first, so that no seed's sequence is a part of another's. */
static double load_at(const struct random *random, int64_t place)
{
	const uint64_t start = splitmix_mix((uint64_t)random->seed + SPLITMIX_STEP);
	const uint64_t hash = splitmix_mix(start + SPLITMIX_STEP * ((uint64_t)place + 1));
	const double share = (double)(hash >> 11) * 0x1p-53;
	return random->min + share * (random->max - random->min);
}

static double target(void *state, int64_t since_ns)
{
	const struct random *random = state;
	const int64_t place = since_ns / random->hold_ns;
	const double load = load_at(random, place);
	if (random->interpolate == STEP)
		return load;
	const double share = (double)(since_ns % random->hold_ns) / (double)random->hold_ns;
	return fmin(1, load + share * (load_at(random, place + 1) - load));
}

SST_EXPORT const struct sst_trace sst_module = {
	SST_BASE(trace, SST_TRACE, .name = "random", .version = SHOWSTOPPER_VERSION,
		.summary = "random loads that never end and can be repeated", .state_size = sizeof(struct random),
		.options = options, .prepare = prepare),
	.target = target,
};
