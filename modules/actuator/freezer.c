/* SPDX-License-Identifier: MIT */
/*
 * The freezer of a control group: one write for a whole tree, of which no parent is told. To the processes it is as if nobody had run them,
 * but that a wait which no signal handler has cut short may end with EINTR.
 */
#include "showstopper/module.h"

struct freezer {
	int version; /* index of the choice */
};

static bool runs(const void *state, const struct sst_actuator_input *in)
{
	(void)state;
	return in->run;
}

static int version(const void *state)
{
	const struct freezer *freezer = state;
	return freezer->version;
}

static const char *const versions[] = {"any", "1", "2", NULL};

static const struct sst_option options[] = {
	{.name = "version",
		.type = SST_CHOICE,
		.offset = offsetof(struct freezer, version),
		.initial = "any",
		.choices = versions,
		.help = "of control groups; any is 2 where it can be had, else 1"},
	{0},
};

SST_EXPORT const struct sst_actuator sst_module = {
	SST_BASE(actuator, SST_ACTUATOR, .name = "freezer", .version = SHOWSTOPPER_VERSION,
		.summary = "a control group for each workload, frozen and thawed", .state_size = sizeof(struct freezer),
		.options = options),
	.hand = SST_HAND_FREEZER,
	.runs = runs,
	.version = version,
};
