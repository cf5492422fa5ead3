/* SPDX-License-Identifier: MIT */
/*
 * Runs for D·τ, then, with the duty cycle asked for again, stops for (1 − D)·τ (paper 000, Section 3.2.5), so that τ is the average
 * length of an epoch. A part of no length is left out: at D = 1 there is no stop and at D = 0 no run.
 *
 * Edges are reckoned from when the last one was due and not from when it was answered, so that delays don't add up; after a break of
 * more than an epoch the count starts again.
 */
#include "showstopper/module.h"

struct averageq {
	int64_t quantum_ns;
};

static const struct sst_option options[] = {
	{.name = "quantum",
		.type = SST_TIME,
		.offset = offsetof(struct averageq, quantum_ns),
		.initial = "107m",
		.least = "1m",
		.most = "1h",
		.help = "average length of an epoch, one run and one stop (tau)"},
	{0},
};

static void next(void *state, const struct sst_dithering_input *in, struct sst_dithering_output *out)
{
	const struct averageq *averageq = state;
	const int64_t run_ns = (int64_t)(in->duty * (double)averageq->quantum_ns + 0.5);
	const int64_t stop_ns = averageq->quantum_ns - run_ns;
	const int64_t from = in->now_ns - in->due_ns > averageq->quantum_ns ? in->now_ns : in->due_ns;
	out->run = in->running ? stop_ns == 0 : run_ns > 0;
	out->until_ns = from + (out->run ? run_ns : stop_ns);
}

SST_EXPORT const struct sst_dithering sst_module = {
	SST_BASE(dithering, SST_DITHERING, .name = "averageq", .version = SHOWSTOPPER_VERSION,
		.summary = "epochs of a constant average length, split by the duty cycle", .state_size = sizeof(struct averageq),
		.options = options),
	.next = next,
};
