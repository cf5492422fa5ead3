/* SPDX-License-Identifier: MIT */
/*
 * Signals need no more than the right to send them, as the paper has it. The freezer is one write for a whole tree, of which no parent is
 * told: to the processes it is as if nobody had run them, but that a wait which no signal handler has cut short may end with EINTR.
 *
 * With a quota the duty cycle is the share of each period in which as many threads as the workload has may run, on as many processors as
 * it may use. Nothing is ever stopped; the kernel's scheduler throttles what has used its share. The kernel takes no quota below 1 ms, so
 * that small shares have long periods. It hands out a new quota with each change, in the middle of a period too. So a workload gets more
 * than its share, always by as much where changes are regular: control finds that in the gain. To leave small changes out makes the load
 * less even, as what comes now and then can't be learnt. The end of a period that is longer than a step is waited for: else there would be
 * a quota with each step.
 */
#include "module/actuator.h"

#include <string.h>

#include "base/kinds.h"
#include "base/units.h"

#define LEAST_QUOTA_NS NS_PER_MS
#define MOST_PERIOD_NS NS_PER_S

#define SETTING(member) .offset = offsetof(struct actuator_settings, member)

static const char *const versions[] = {"any", "1", "2", NULL};

#define VERSION                                                                                                                  \
	{                                                                                                                        \
		.name = "version", .type = SST_CHOICE, SETTING(version), .initial = "any", .choices = versions,                  \
		.help = "of control groups; any is 2 where it can be had, else 1"                                                \
	}

static const struct sst_option freezer_options[] = {VERSION, {0}};

static const struct sst_option quota_options[] = {
	{.name = "period",
		.type = SST_TIME,
		SETTING(period_ns),
		.initial = "20m",
		.least = "1m",
		.most = "1s",
		.help = "in which a quota is used; longer where that would be less than 1 ms"},
	{.name = "interval",
		.type = SST_TIME,
		SETTING(interval_ns),
		.initial = "50m",
		.least = "1m",
		.most = "1h",
		.help = "between two steps of control"},
	VERSION,
	{0},
};

#define ACTUATOR(...)                                                                                                            \
	{                                                                                                                        \
		.kind = KIND_ACTUATOR, .version = SHOWSTOPPER_VERSION, .state_size = sizeof(struct actuator_settings),           \
		__VA_ARGS__                                                                                                      \
	}

const struct sst_module actuator_table[ACTUATORS] = {
	[ACTUATOR_SIGNALS] = ACTUATOR(.name = "signals", .summary = "SIGSTOP and SIGCONT for each process"),
	[ACTUATOR_FREEZER] = ACTUATOR(.name = "freezer", .summary = "a control group for each workload, frozen and thawed",
		.options = freezer_options),
	[ACTUATOR_QUOTA] = ACTUATOR(.name = "quota", .summary = "the bandwidth of a control group for each workload",
		.options = quota_options),
};

enum actuator actuator_find(const char *name)
{
	int i = 0;
	while (i < ACTUATORS && strcmp(actuator_table[i].name, name) != 0)
		i++;
	return (enum actuator)i;
}

enum actuator actuator_of(const struct sst_module *element)
{
	return (enum actuator)(element - actuator_table);
}

struct bandwidth actuator_limit(const struct actuator_settings *settings, double duty, double width)
{
	const double processors = duty * width;
	struct bandwidth limit = {.period_ns = settings->period_ns};
	if (duty >= 1)
		return limit;
	while (processors * (double)limit.period_ns < LEAST_QUOTA_NS && limit.period_ns < MOST_PERIOD_NS)
		limit.period_ns = limit.period_ns * 2 < MOST_PERIOD_NS ? limit.period_ns * 2 : MOST_PERIOD_NS;
	const double quota_ns = processors * (double)limit.period_ns;
	limit.quota_ns = quota_ns > LEAST_QUOTA_NS ? (int64_t)quota_ns : LEAST_QUOTA_NS;
	return limit;
}
