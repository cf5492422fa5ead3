/* SPDX-License-Identifier: MIT */
/* No feedback: the duty cycle is the target load (CDC in paper 000, N-DC and 1-DC in paper 002). */
#include "showstopper/module.h"

static void step(void *state, const struct sst_control_input *in, struct sst_control_output *out)
{
	(void)state;
	out->published = out->duty = in->target;
}

SST_EXPORT const struct sst_control sst_module = {
	SST_BASE(control, SST_CONTROL, .name = "open", .version = SHOWSTOPPER_VERSION,
		.summary = "duty cycle equal to the target load, without feedback"),
	.step = step,
};
