/* SPDX-License-Identifier: MIT */
/* As few workloads as possible run, all but one of them without a stop (paper 000, Section 3.2.4); instance 0 is filled first. */
#include "showstopper/module.h"

static double local(const void *state, double duty, unsigned rank, unsigned live)
{
	(void)state;
	const double left = duty * live - rank; /* for this workload and those after it, in workloads */
	return left <= 0 ? 0 : left >= 1 ? 1 : left;
}

SST_EXPORT const struct sst_space sst_module = {
	SST_BASE(space, SST_SPACE, .name = "uneven", .version = SHOWSTOPPER_VERSION,
		.summary = "workloads are filled to 100 % one after another"),
	.local = local,
};
