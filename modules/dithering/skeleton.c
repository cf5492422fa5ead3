/* SPDX-License-Identifier: MIT */
/*
 * A dithering module to start from. It does something small and real: each workload runs at a place of its own within epochs that all executors
 * share, so that with N workloads their runs begin one N-th of an epoch apart.
 *
 * Copy it to NAME.c, rename the struct, and change what the numbers below mark:
 *   1. the state: option values and whatever is remembered; each executor has its own copy;
 *   2. the options;
 *   3. next: says whether the workload runs from now on, and until which moment (absolute, CLOCK_MONOTONIC). It is asked again
 *      at that moment, with the duty cycle of that time. in->origin_ns is the same in all executors: edges reckoned from it need no message
 *      between them. An answer whose moment has passed counts as now; the next question follows at once.
 */
#include "showstopper/module.h"

/* 1 */
struct skeleton {
	int64_t quantum_ns;
};

/* 2 */
static const struct sst_option options[] = {
	SST_OPTION("quantum", TIME, struct skeleton, quantum_ns, "length of an epoch", .initial = "107m", .least = "1m",
		.most = "1h"),
	{0},
};

/* 3 */
static void next(void *state, const struct sst_dithering_input *in, struct sst_dithering_output *out)
{
	const struct skeleton *skeleton = state;
	const int64_t quantum = skeleton->quantum_ns;
	const int64_t offset = quantum / in->live * in->rank;
	const int64_t place = ((in->now_ns - in->origin_ns - offset) % quantum + quantum) % quantum; /* within the own epoch */
	const int64_t run_ns = (int64_t)(in->duty * (double)quantum);
	out->run = place < run_ns;
	out->until_ns = in->now_ns - place + (out->run ? run_ns : quantum);
}

SST_EXPORT const struct sst_dithering sst_module = {
	SST_BASE(dithering, SST_DITHERING, .name = "skeleton", .version = "1",
		.summary = "epochs on one clock, spread over the workloads", .state_size = sizeof(struct skeleton),
		.options = options),
	.next = next,
};
