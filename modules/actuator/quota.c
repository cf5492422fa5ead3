/* SPDX-License-Identifier: MIT */
/*
 * The bandwidth of a control group: the duty cycle is the share of each period in which as many threads as the workload has may run, on
 * as many processors as it may use. Nothing is ever stopped; the kernel's scheduler throttles what has used its share.
 *
 * The kernel takes no quota below 1 ms, so that small shares have long periods. It hands out a new quota with each change, in the middle
 * of a period too. So a workload gets more than its share, always by as much where changes are regular: control finds that in the gain.
 * To leave small changes out makes the load less even, as what comes now and then can't be learnt. The end of a period that is longer
 * than a step the host waits for: else there would be a quota with each step.
 */
#include "showstopper/module.h"

#define LEAST_QUOTA_NS 1000000
#define MOST_PERIOD_NS 1000000000

struct quota {
	int64_t period_ns, interval_ns;
	int version; /* index of the choice */
};

static int64_t period_of(const struct quota *quota, double processors)
{
	int64_t period_ns = quota->period_ns;
	while (processors * (double)period_ns < LEAST_QUOTA_NS && period_ns < MOST_PERIOD_NS)
		period_ns = period_ns * 2 < MOST_PERIOD_NS ? period_ns * 2 : MOST_PERIOD_NS;
	return period_ns;
}

static struct sst_bandwidth limit(const void *state, const struct sst_actuator_input *in)
{
	const struct quota *quota = state;
	const double processors = in->duty * in->width;
	if (in->duty >= 1)
		return (struct sst_bandwidth){.period_ns = quota->period_ns};
	const int64_t period_ns = period_of(quota, processors);
	const double quota_ns = processors * (double)period_ns;
	return (struct sst_bandwidth){quota_ns > LEAST_QUOTA_NS ? (int64_t)quota_ns : LEAST_QUOTA_NS, period_ns};
}

static int64_t interval(const void *state)
{
	const struct quota *quota = state;
	return quota->interval_ns;
}

static int version(const void *state)
{
	const struct quota *quota = state;
	return quota->version;
}

static const char *const versions[] = {"any", "1", "2", NULL};

static const struct sst_option options[] = {
	{.name = "period",
		.type = SST_TIME,
		.offset = offsetof(struct quota, period_ns),
		.initial = "20m",
		.least = "1m",
		.most = "1s",
		.help = "in which a quota is used; longer where that would be less than 1 ms"},
	{.name = "interval",
		.type = SST_TIME,
		.offset = offsetof(struct quota, interval_ns),
		.initial = "50m",
		.least = "1m",
		.most = "1h",
		.help = "between two steps of control"},
	{.name = "version",
		.type = SST_CHOICE,
		.offset = offsetof(struct quota, version),
		.initial = "any",
		.choices = versions,
		.help = "of control groups; any is 2 where it can be had, else 1"},
	{0},
};

SST_EXPORT const struct sst_actuator sst_module = {
	SST_BASE(actuator, SST_ACTUATOR, .name = "quota", .version = SHOWSTOPPER_VERSION,
		.summary = "the bandwidth of a control group for each workload", .state_size = sizeof(struct quota),
		.options = options),
	.hand = SST_HAND_QUOTA,
	.limit = limit,
	.interval = interval,
	.version = version,
};
