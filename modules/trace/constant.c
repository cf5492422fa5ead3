/* SPDX-License-Identifier: MIT */
/* One load for ever. */
#include "showstopper/module.h"

struct constant {
	double load;
};

static const struct sst_option options[] = {
	SST_OPTION("load", LOAD, struct constant, load, "target load", .required = true),
	{0},
};

static double target(void *state, int64_t since_ns)
{
	const struct constant *constant = state;
	(void)since_ns;
	return constant->load;
}

SST_EXPORT const struct sst_trace sst_module = {
	SST_BASE(trace, SST_TRACE, .name = "constant", .version = SHOWSTOPPER_VERSION, .summary = "one load that never changes",
		.state_size = sizeof(struct constant), .options = options),
	.target = target,
};
