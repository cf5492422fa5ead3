/* SPDX-License-Identifier: MIT */
/* No feedback: the duty cycle is the target load (CDC in paper 000, N-DC and 1-DC in paper 002), or one that is given (1 for N-bench). */
#include <math.h>

#include "showstopper/module.h"

struct open {
	double duty;
};

static const struct sst_option options[] = {
	SST_OPTION("duty", LOAD, struct open, duty, "this duty cycle, whatever the target; without it, the target"),
	{0},
};

static void step(void *state, const struct sst_control_input *in, struct sst_control_output *out)
{
	const struct open *open = state;
	out->published = out->duty = isnan(open->duty) ? in->target : open->duty;
}

SST_EXPORT const struct sst_control sst_module = {
	SST_BASE(control, SST_CONTROL, .name = "open", .version = SHOWSTOPPER_VERSION,
		.summary = "duty cycle equal to the target load, without feedback", .state_size = sizeof(struct open),
		.options = options),
	.step = step,
};
