/* SPDX-License-Identifier: MIT */
/*
 * Whole quanta of a fixed length, run or stopped so that their average is the duty cycle (paper 002, Section III). What has been
 * asked for and not yet been run is carried from quantum to quantum, as in one-dimensional error diffusion.
 */
#include "showstopper/module.h"

struct fixedq {
	int64_t quantum_ns;
	double owed; /* quanta: asked for less run, from -0.5 to 0.5 */
};

static const struct sst_option options[] = {
	SST_OPTION(
		"quantum", TIME, struct fixedq, quantum_ns, "length of a quantum", .initial = "20m", .least = "1m", .most = "1h"),
	{0},
};

static void next(void *state, const struct sst_dithering_input *in, struct sst_dithering_output *out)
{
	struct fixedq *fixedq = state;
	const int64_t from = in->now_ns - in->due_ns > fixedq->quantum_ns ? in->now_ns : in->due_ns;
	fixedq->owed += in->duty;
	out->run = fixedq->owed >= 0.5;
	fixedq->owed -= out->run;
	out->until_ns = from + fixedq->quantum_ns;
}

SST_EXPORT const struct sst_dithering sst_module = {
	SST_BASE(dithering, SST_DITHERING, .name = "fixedq", .version = SHOWSTOPPER_VERSION,
		.summary = "whole quanta, run or stopped", .state_size = sizeof(struct fixedq), .options = options),
	.next = next,
};
