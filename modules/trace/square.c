/* SPDX-License-Identifier: MIT */
/* High, low, high, low, … */
#include <math.h>

#include "showstopper/module.h"

struct square {
	double low, high;
	int64_t period_ns;
	double share, phase; /* of the period */
};

static const struct sst_option options[] = {
	SST_OPTION("low", LOAD, struct square, low, "lower load", .initial = "10%"),
	SST_OPTION("high", LOAD, struct square, high, "higher load", .initial = "90%"),
	SST_OPTION("period", TIME, struct square, period_ns, "length of a period, which begins high", .initial = "1M",
		.least = "1m", .most = "1000d"),
	SST_OPTION("share", LOAD, struct square, share, "share of a period that is high", .initial = "50%"),
	SST_OPTION("phase", LOAD, struct square, phase, "share of a period to start at", .initial = "0"),
	{0},
};

static int prepare(void *state, const struct sst_env *env)
{
	const struct square *square = state;
	if (square->low > square->high)
		return env->host->refuse(env, "found low=%g above high=%g, expected low up to high", square->low, square->high);
	return 0;
}

static int64_t part(const struct square *square, double share)
{
	return llround(share * (double)square->period_ns);
}

static double target(void *state, int64_t since_ns)
{
	const struct square *square = state;
	const int64_t within = (since_ns % square->period_ns + part(square, square->phase)) % square->period_ns;
	return within < part(square, square->share) ? square->high : square->low;
}

SST_EXPORT const struct sst_trace sst_module = {
	SST_BASE(trace, SST_TRACE, .name = "square", .version = SHOWSTOPPER_VERSION, .summary = "two loads in turn, without end",
		.state_size = sizeof(struct square), .options = options, .prepare = prepare),
	.target = target,
};
