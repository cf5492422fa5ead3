/* SPDX-License-Identifier: MIT */
/*
 * An actuator module to start from. It does something small and real: it stops workloads by signals, but not those that are to run
 * nearly all the time.
 *
 * Copy it to NAME.c and change `hand` and `runs`. `hand` says what the host does to a workload; the module itself sends no signal
 * and writes no file. `runs` is asked at every edge, after the dithering module, and says whether the workload runs until the next
 * one. Where it differs from what dithering answered, the control sees by the load that the workload ran more, or less.
 */
#include "showstopper/module.h"

struct skeleton {
	double spare;
};

static bool runs(const void *state, const struct sst_actuator_input *in)
{
	const struct skeleton *skeleton = state;
	return in->run || in->duty >= skeleton->spare;
}

static const struct sst_option options[] = {
	{.name = "spare",
		.type = SST_LOAD,
		.offset = offsetof(struct skeleton, spare),
		.initial = "98%",
		.help = "workloads with this duty cycle, or a larger one, are not stopped"},
	{0},
};

SST_EXPORT const struct sst_actuator sst_module = {
	SST_BASE(actuator, SST_ACTUATOR, .name = "skeleton", .version = "1",
		.summary = "as signals, without stops that are hardly worth it", .state_size = sizeof(struct skeleton),
		.options = options),
	.hand = SST_HAND_SIGNALS,
	.runs = runs,
};
