/* SPDX-License-Identifier: MIT */
/*
 * A trace module to start from. It does something small and real: the load goes from one value to another in a straight line.
 *
 * Copy it to NAME.c, rename the struct, and change what the numbers below mark:
 *   1. the state: option values, and what prepare worked out of them. Each executor has its own copy, made by the fork, so what
 *      prepare opened or mapped is there in all of them. target may write to it, such as the place of the last record;
 *   2. the options. The first one may be given without its name: -T 10%,to=90%;
 *   3. prepare: runs once, before anything is started, and is the only place that may refuse. Check here what a row of the table
 *      can't say, read files here, and write into an option what repeating the run needs (see the seed in modules/trace/random.c of the sources). Optional;
 *   4. target: the load at a moment. Executors ask at different moments and must see the same trace, so the answer depends on
 *      the moment and the state alone: no clock, no file, no rand(). NaN means free: the workloads run uncontrolled then;
 *   5. length: how long the trace is, which is how long a run takes unless the user says otherwise. Leave it out if there is no
 *      end. After the end target is asked all the same when the run is longer; it should stay at the last load;
 *   6. fini (not here, see modules/trace/file.c): gives back what prepare took.
 */
#include "showstopper/module.h"

/* 1 */
struct skeleton {
	double from, to;
	int64_t time_ns;
};

/* 2 */
static const struct sst_option options[] = {
	SST_OPTION("from", LOAD, struct skeleton, from, "load at the start", .initial = "0"),
	SST_OPTION("to", LOAD, struct skeleton, to, "load at the end", .initial = "1"),
	SST_OPTION("time", TIME, struct skeleton, time_ns, "time from start to end", .initial = "1M", .least = "1m"),
	{0},
};

/* 3 */
static int prepare(void *state, const struct sst_env *env)
{
	const struct skeleton *skeleton = state;
	if (skeleton->from == skeleton->to)
		return env->host->refuse(env, "found %g for both from and to, expected two loads (or -t constant)", skeleton->to);
	return 0;
}

/* 4 */
static double target(void *state, int64_t since_ns)
{
	const struct skeleton *skeleton = state;
	if (since_ns >= skeleton->time_ns)
		return skeleton->to;
	const double share = (double)since_ns / (double)skeleton->time_ns;
	return (1 - share) * skeleton->from + share * skeleton->to;
}

/* 5 */
static int64_t length(const void *state)
{
	const struct skeleton *skeleton = state;
	return skeleton->time_ns;
}

SST_EXPORT const struct sst_trace sst_module = {
	SST_BASE(trace, SST_TRACE, .name = "skeleton", .version = "1", .summary = "a straight line from one load to another",
		.state_size = sizeof(struct skeleton), .options = options, .prepare = prepare),
	.target = target,
	.length = length,
};
