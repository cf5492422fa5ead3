/* SPDX-License-Identifier: MIT */
/*
 * Runs for D·τ, then, with the duty cycle asked for again, stops for (1 − D)·τ (paper 000, Section 3.2.5), so that τ is the average
 * length of an epoch. A part of no length is left out: at D = 1 there is no stop and at D = 0 no run.
 *
 * Equal epochs of executors that agree on D fall into step: all stop while the load is seen to be high, and it swings from end
 * to end. So the first epoch has a random length, and each later one differs by up to `jitter` of τ, less where they are few. `jitter=0` is the paper's.
 *
 * Edges are reckoned from when the last one was due and not from when it was answered, so that delays don't add up; after a break of
 * more than an epoch the count starts again.
 */
#include "base/splitmix.h"
#include "showstopper/module.h"

struct averageq {
	int64_t quantum_ns;
	double jitter;
	int64_t seed;
	int64_t epoch_ns; /* length of the present one; 0 before the first */
	uint64_t random;
};

static const struct sst_option options[] = {
	SST_OPTION("quantum", TIME, struct averageq, quantum_ns, "average length of an epoch, one run and one stop (tau)",
		.initial = "107m", .least = "1m", .most = "1h"),
	SST_OPTION("jitter", LOAD, struct averageq, jitter, "how much epochs differ from the quantum, up and down",
		.initial = "20%", .least = "0", .most = "90%"),
	SST_OPTION("seed", INT, struct averageq, seed, "what the lengths are made from; without it one is picked and recorded",
		.least = "0"),
	{0},
};

static int prepare(void *state, const struct sst_env *env)
{
	struct averageq *averageq = state;
	if (averageq->seed == SST_UNSET)
		averageq->seed = (int64_t)(env->entropy & INT64_MAX);
	return 0;
}

static int init(void *state, const struct sst_env *env)
{
	struct averageq *averageq = state;
	averageq->random = splitmix_mix((uint64_t)averageq->seed + SPLITMIX_STEP * (env->index + UINT64_C(1)));
	return 0;
}

/* From 0 to 1. */
static double draw(struct averageq *averageq)
{
	return (double)(splitmix_next(&averageq->random) >> 11) * 0x1p-53;
}

/* So many get all of the jitter. A few keep out of one another's way by themselves, and do so best undisturbed. */
#define MANY 8

static int64_t epoch(struct averageq *averageq, unsigned live)
{
	const bool first = averageq->epoch_ns == 0;
	const double jitter = averageq->jitter * (live < MANY ? (live - 1.0) / (MANY - 1) : 1);
	if (averageq->jitter == 0)
		return averageq->quantum_ns;
	const double part = first ? draw(averageq) : 1 + jitter * (2 * draw(averageq) - 1);
	const int64_t length_ns = (int64_t)(part * (double)averageq->quantum_ns + 0.5);
	return length_ns > 0 ? length_ns : 1;
}

static void next(void *state, const struct sst_dithering_input *in, struct sst_dithering_output *out)
{
	struct averageq *averageq = state;
	/* A run begins an epoch, and so does what follows a part that filled one. */
	if (averageq->epoch_ns == 0 || !in->running || in->duty >= 1)
		averageq->epoch_ns = epoch(averageq, in->live);
	const int64_t run_ns = (int64_t)(in->duty * (double)averageq->epoch_ns + 0.5);
	const int64_t stop_ns = averageq->epoch_ns - run_ns;
	const int64_t from = in->now_ns - in->due_ns > averageq->quantum_ns ? in->now_ns : in->due_ns;
	out->run = in->running ? stop_ns == 0 : run_ns > 0;
	out->until_ns = from + (out->run ? run_ns : stop_ns);
}

SST_EXPORT const struct sst_dithering sst_module = {
	SST_BASE(dithering, SST_DITHERING, .name = "averageq", .version = SHOWSTOPPER_VERSION,
		.summary = "epochs of a constant average length, split by the duty cycle", .state_size = sizeof(struct averageq),
		.options = options, .prepare = prepare, .init = init),
	.next = next,
};
