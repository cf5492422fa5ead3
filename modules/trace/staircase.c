/* SPDX-License-Identifier: MIT */
/*
 * A sweep over loads in equal steps, each held for the same time. Papers 000 (Section 6) and 002 go down and up again, so
 * that each load is seen twice, before and after, and a workload that changes over the run gives itself away. 19 levels make
 * 38 steps there: the lowest load is held twice as well, once on the way down and once on the way up.
 */
#include <math.h>

#include "showstopper/module.h"

struct staircase {
	double from, to, step;
	int64_t hold_ns;
	bool symmetric;
	int64_t levels; /* set by prepare */
};

/* The bounds of step and hold keep the length of the longest staircase (2002 steps of 30 days) within an int64_t. */
static const struct sst_option options[] = {
	SST_OPTION("from", LOAD, struct staircase, from, "first load", .initial = "19/20"),
	SST_OPTION("to", LOAD, struct staircase, to, "last load, or the one where it turns", .initial = "1/20"),
	SST_OPTION("step", LOAD, struct staircase, step, "difference between one load and the next", .initial = "1/20",
		.least = "0.001"),
	SST_OPTION("hold", TIME, struct staircase, hold_ns, "how long each load is held", .initial = "3M", .least = "1m",
		.most = "30d"),
	SST_OPTION("symmetric", FLAG, struct staircase, symmetric, "go back to the first load, step by step", .initial = "yes"),
	{0},
};

static int prepare(void *state, const struct sst_env *env)
{
	struct staircase *staircase = state;
	const double steps = fabs(staircase->to - staircase->from) / staircase->step;
	if (fabs(steps - round(steps)) > 1e-6)
		return env->host->refuse(env,
			"found %.6g steps of %g from %g to %g, expected a step that fits a whole number of times", steps,
			staircase->step, staircase->from, staircase->to);
	staircase->levels = llround(steps) + 1;
	return 0;
}

static int64_t step_count(const struct staircase *staircase)
{
	return staircase->symmetric ? 2 * staircase->levels : staircase->levels;
}

static double target(void *state, int64_t since_ns)
{
	const struct staircase *staircase = state;
	const int64_t last = staircase->levels - 1;
	const int64_t count = step_count(staircase);
	int64_t at = since_ns / staircase->hold_ns;
	if (at >= count)
		at = count - 1;
	if (at > last)
		at = count - 1 - at;
	/* Not from + at · step, so that rounding doesn't add up and both ends are met exactly. */
	const double share = last ? (double)at / (double)last : 0;
	return (1 - share) * staircase->from + share * staircase->to;
}

static int64_t length(const void *state)
{
	const struct staircase *staircase = state;
	return step_count(staircase) * staircase->hold_ns;
}

SST_EXPORT const struct sst_trace sst_module = {
	SST_BASE(trace, SST_TRACE, .name = "staircase", .version = SHOWSTOPPER_VERSION,
		.summary = "equal steps from one load to another and back", .state_size = sizeof(struct staircase),
		.options = options, .prepare = prepare),
	.target = target,
	.length = length,
};
