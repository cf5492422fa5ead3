/* SPDX-License-Identifier: MIT */
/*
 * A space module to start from. It does something small and real: it fills workloads as `uneven` does, but from the last one down.
 *
 * Copy it to NAME.c and change `local`. It answers with the duty cycle of the workload at place `rank` among the `live` ones;
 * over all places the answers must have the mean `duty`, or the controller works against the module. Ranks close up when a
 * workload ends. Options and state are declared as in the skeleton of a control module.
 */
#include "showstopper/module.h"

static double local(const void *state, double duty, unsigned rank, unsigned live)
{
	(void)state;
	const double left = duty * live - (live - 1 - rank);
	return left <= 0 ? 0 : left >= 1 ? 1 : left;
}

SST_EXPORT const struct sst_space sst_module = {
	SST_BASE(space, SST_SPACE, .name = "skeleton", .version = "1", .summary = "as uneven, the last workload first"),
	.local = local,
};
