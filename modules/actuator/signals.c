/* SPDX-License-Identifier: MIT */
/* SIGSTOP and SIGCONT, as the paper has it: needs no more than the right to send signals. */
#include "showstopper/module.h"

static bool runs(const void *state, const struct sst_actuator_input *in)
{
	(void)state;
	return in->run;
}

SST_EXPORT const struct sst_actuator sst_module = {
	SST_BASE(actuator, SST_ACTUATOR, .name = "signals", .version = SHOWSTOPPER_VERSION,
		.summary = "SIGSTOP and SIGCONT for each process"),
	.hand = SST_HAND_SIGNALS,
	.runs = runs,
};
