/* SPDX-License-Identifier: MIT */
/* mean + amplitude · sin(2π (t / period + phase)) */
#include <math.h>

#include "showstopper/module.h"

struct sine {
	double mean, amplitude;
	int64_t period_ns;
	double phase; /* as a share of the period */
};

static const struct sst_option options[] = {
	SST_OPTION("mean", LOAD, struct sine, mean, "mean load", .initial = "50%"),
	SST_OPTION("amplitude", LOAD, struct sine, amplitude, "how far the load goes above and below the mean", .initial = "40%",
		.most = "50%"),
	SST_OPTION("period", TIME, struct sine, period_ns, "length of a period", .initial = "1M", .least = "1m", .most = "1000d"),
	SST_OPTION("phase", LOAD, struct sine, phase, "share of a period to start at: 1/4 is the maximum, 3/4 the minimum",
		.initial = "0"),
	{0},
};

static int prepare(void *state, const struct sst_env *env)
{
	const struct sine *sine = state;
	const double rounding = 1e-9; /* 2/3 and 1/3 may add up to a little more than 1 */
	if (sine->mean - sine->amplitude < -rounding || sine->mean + sine->amplitude > 1 + rounding)
		return env->host->refuse(env, "found loads from %g to %g (mean %g, amplitude %g), expected them within 0 to 1",
			sine->mean - sine->amplitude, sine->mean + sine->amplitude, sine->mean, sine->amplitude);
	return 0;
}

static double target(void *state, int64_t since_ns)
{
	const struct sine *sine = state;
	const double periods = (double)(since_ns % sine->period_ns) / (double)sine->period_ns + sine->phase;
	return fmin(1, fmax(0, sine->mean + sine->amplitude * sin(2 * M_PI * periods)));
}

SST_EXPORT const struct sst_trace sst_module = {
	SST_BASE(trace, SST_TRACE, .name = "sine", .version = SHOWSTOPPER_VERSION, .summary = "a sine wave that never ends",
		.state_size = sizeof(struct sine), .options = options, .prepare = prepare),
	.target = target,
};
