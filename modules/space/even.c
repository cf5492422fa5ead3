/* SPDX-License-Identifier: MIT */
/* Every workload gets the global duty cycle (paper 000, Section 3.2.4). */
#include "showstopper/module.h"

static double local(const void *state, double duty, unsigned rank, unsigned live)
{
	(void)state;
	(void)rank;
	(void)live;
	return duty;
}

SST_EXPORT const struct sst_space sst_module = {
	SST_BASE(space, SST_SPACE, .name = "even", .version = SHOWSTOPPER_VERSION,
		.summary = "the same duty cycle for every workload"),
	.local = local,
};
