/* SPDX-License-Identifier: MIT */
/*
 * Epochs of all executors on one clock, their runs spread over the epoch: with N workloads the run of the one at place r begins
 * r/N of an epoch after the common origin. What runs at the same time is then as even as the duty cycle allows, where
 * free-running epochs drift in and out of phase.
 *
 * A run is D·τ long. The duty cycle is asked for at the beginning of the run and, since it may have changed meanwhile, again at its
 * end, where the run may be prolonged. Runs shorter than `least` would be lost in the scheduler's slice and in the
 * kernel's wake-up time; then the epoch is doubled until they are not. A doubled epoch begins where an undoubled one does. Two
 * lengths suit most duty cycles; which of them is used is agreed upon through shared memory, because places within epochs of
 * different lengths are no longer spread. For the same reason many executors change the length at the same moment, where epochs of the
 * old and of the new one begin. Where few change it, or the place changes, the new beginning of a workload's run may lie in the stop that
 * it still kept by the old ones; it then runs at once, or all would miss a part of their runs together.
 *
 * To stop and to continue workloads of many threads or processes may cost more than all else that an executor does. Where there are many
 * workloads, none of which matters much by itself, epochs are doubled for that as well.
 */
#include <math.h>
#include <stdatomic.h>

#include "showstopper/module.h"

/* A run is not prolonged by less than this. */
#define LEAST_PROLONGATION_NS 1000000
/* Long epochs are interrupted for looks at the duty cycle: of all executors together so often, but each at least so often. */
#define LOOK_OF_ALL_NS 8000000
#define LOOK_AT_LEAST_NS 1000000000
/*
 * In the beginning the duty cycle is a guess. Among so many executors, who would all hold on to it, each looks again after LOOK_SOON_NS and so
 * much more for each of them.
 */
#define LOOK_SOON_AMONG 8
#define LOOK_SOON_NS 8000000
#define LOOK_SOON_OF_ALL_NS 200000
#define BEGINNING_NS 300000000
/* An epoch is at most this many doublings of τ: eleven minutes at 83 ms. */
#define MOST_DOUBLINGS 13

/* Among so many, the edges of an epoch may take this part of it at most, unless the epoch were to become so much longer. */
#define CHEAP_AMONG 8
#define MOST_FOR_EDGES 0.0006
#define MOST_LONGER 4

struct spread {
	int64_t quantum_ns;
	int64_t least_ns;
	_Atomic int64_t *agreed; /* what the last executor chose that had to choose anew */
	int doublings;
	int next;                               /* doublings … */
	int64_t change_ns;                      /* … from so long after the origin on; 0: no change is ahead */
	double duty;                            /* mean of the last ones above 0; 0: none yet */
	int64_t unsuited_ns;                    /* since when the length has not suited; 0: it does */
	int64_t length_ns, offset_ns, asked_ns; /* of the last question */
	int64_t began_ns;                       /* of the first one */
};

/* A length, and from when on it holds, in quanta since the origin. */
struct agreed {
	int64_t quanta;
	int doublings;
};

static int64_t pack(const struct agreed *agreed)
{
	return agreed->quanta * (MOST_DOUBLINGS + 1) + agreed->doublings;
}

static struct agreed unpack(int64_t packed)
{
	return (struct agreed){packed / (MOST_DOUBLINGS + 1), (int)(packed % (MOST_DOUBLINGS + 1))};
}

static const struct sst_option options[] = {
	SST_OPTION("quantum", TIME, struct spread, quantum_ns, "length of an epoch, one run and one stop (tau)", .initial = "83m",
		.least = "1m", .most = "1h"),
	SST_OPTION("least", TIME, struct spread, least_ns, "runs shorter than this are avoided by doubling the epoch",
		.initial = "2500u", .least = "0", .most = "1h"),
	{0},
};

/* What others want is accepted while runs are off by no more than this factor, since lengths that differ do more harm. */
#define TOLERANCE 2
/* The length of an epoch is chosen by the mean of so many duty cycles at most. */
#define MOST_REMEMBERED 8
/* Beside so many others a length that doesn't suit is kept for one epoch of the shortest length, among more for longer. */
#define PATIENT_AMONG 8
/* A run may be this many times `least` before the epoch is halved. */
#define HALVE_ABOVE 3.0

/* The length below which epochs are too costly for what their edges take. */
static double cheap_length(const struct spread *spread, const struct sst_dithering_input *in)
{
	const double cheap_ns = 2 * (double)in->edge_ns / MOST_FOR_EDGES;
	return in->live < CHEAP_AMONG ? 0 : fmin(cheap_ns, MOST_LONGER * (double)spread->quantum_ns);
}

/* Of `wanted_ns`, the least length that is long enough. */
static bool suits(const struct spread *spread, double wanted_ns, int doublings, double tolerance)
{
	const double length_ns = (double)(spread->quantum_ns << doublings);
	return (length_ns * tolerance >= wanted_ns || doublings == MOST_DOUBLINGS) &&
	       (length_ns <= tolerance * HALVE_ABOVE * wanted_ns || doublings == 0);
}

/*
 * What is owed makes the duty cycle of a moment swing widely. If the epochs of many executors followed, their changes, which unsettle the
 * load themselves, would make it swing on. So a length is chosen by the mean of the last duty cycles, and given up when it hasn't suited
 * that for a while, a whole epoch at most. The fewer executors there are, the less that matters, and the more a quick answer does.
 */
static double mean_duty(struct spread *spread, double asked, unsigned live)
{
	if (spread->duty <= 0)
		spread->duty = asked;
	else if (asked > 0)
		spread->duty += (asked - spread->duty) / (live < MOST_REMEMBERED ? live : MOST_REMEMBERED);
	return asked > 0 ? spread->duty : 0;
}

static bool is_given_up(struct spread *spread, int64_t at_ns, unsigned live)
{
	const int64_t length_ns = spread->quantum_ns << spread->doublings;
	const int64_t patience_ns = spread->quantum_ns * (live - 1) / PATIENT_AMONG;
	if (spread->length_ns == 0)
		return true;
	if (!spread->unsuited_ns)
		spread->unsuited_ns = at_ns;
	return at_ns - spread->unsuited_ns >= (patience_ns < length_ns ? patience_ns : length_ns);
}

/* Where epochs of both lengths begin, after every other executor has been asked. */
static int64_t common_beginning(const struct spread *spread, int doublings, int64_t since_ns)
{
	const int64_t old_ns = spread->quantum_ns << spread->doublings;
	const int64_t new_ns = spread->quantum_ns << doublings;
	const int64_t longer_ns = old_ns > new_ns ? old_ns : new_ns;
	return ((since_ns + old_ns) / longer_ns + 1) * longer_ns;
}

static void change(struct spread *spread, const struct agreed *agreed, int64_t since_ns)
{
	const int64_t when_ns = agreed->quanta * spread->quantum_ns;
	if (when_ns <= since_ns) {
		spread->doublings = agreed->doublings;
		return;
	}
	spread->next = agreed->doublings;
	spread->change_ns = when_ns;
}

static void choose(struct spread *spread, double wanted_ns, int64_t since_ns, unsigned live)
{
	struct agreed agreed = {0};
	while (!suits(spread, wanted_ns, agreed.doublings, 1))
		agreed.doublings++;
	if (live > PATIENT_AMONG && spread->length_ns)
		agreed.quanta = common_beginning(spread, agreed.doublings, since_ns) / spread->quantum_ns;
	spread->unsuited_ns = 0;
	atomic_store_explicit(spread->agreed, pack(&agreed), memory_order_relaxed);
	change(spread, &agreed, since_ns);
}

/* Sets the number of doublings. True when a change that all had agreed upon comes into force. */
static bool choose_length(struct spread *spread, const struct sst_dithering_input *in)
{
	const double duty = mean_duty(spread, in->duty, in->live);
	const double wanted_ns = duty > 0 ? fmax((double)spread->least_ns / duty, cheap_length(spread, in)) : 0;
	const int64_t since_ns = in->now_ns - in->origin_ns;
	if (spread->change_ns && since_ns < spread->change_ns)
		return false;
	const bool changes = spread->change_ns != 0;
	if (changes) {
		spread->doublings = spread->next;
		spread->unsuited_ns = 0;
	}
	spread->change_ns = 0;
	const struct agreed agreed = unpack(atomic_load_explicit(spread->agreed, memory_order_relaxed));
	if (duty > 0 && agreed.doublings != spread->doublings && suits(spread, wanted_ns, agreed.doublings, TOLERANCE))
		change(spread, &agreed, since_ns);
	else if (duty <= 0 || suits(spread, wanted_ns, spread->doublings, 1))
		spread->unsuited_ns = 0;
	else if (is_given_up(spread, in->now_ns, in->live))
		choose(spread, wanted_ns, since_ns, in->live);
	return changes;
}

static int64_t between_looks(const struct spread *spread, unsigned live)
{
	const int64_t wanted_ns = live < LOOK_AT_LEAST_NS / LOOK_OF_ALL_NS ? live * (int64_t)LOOK_OF_ALL_NS : LOOK_AT_LEAST_NS;
	int doublings = 0;
	while (doublings < spread->doublings && spread->quantum_ns << (doublings + 1) <= wanted_ns)
		doublings++;
	return spread->quantum_ns << doublings;
}

static void next(void *state, const struct sst_dithering_input *in, struct sst_dithering_output *out)
{
	struct spread *spread = state;
	const bool planned = choose_length(spread, in);
	const int64_t length = spread->quantum_ns << spread->doublings;
	const int64_t run_ns = (int64_t)(in->duty * (double)length);
	const int64_t offset = (int64_t)((double)length * in->rank / in->live);
	/* Reckoned from when the question was due: a late answer must not shorten the run and prolong the stop. */
	const int64_t at = in->now_ns - in->due_ns < length ? in->due_ns : in->now_ns;
	const int64_t since = at - in->origin_ns - offset;
	const int64_t place = (since % length + length) % length;
	const int64_t start = at - place;
	const bool moved = !planned && spread->length_ns != 0 && (length != spread->length_ns || offset != spread->offset_ns);
	const bool missed = moved && !in->running && start > spread->asked_ns && place >= run_ns && run_ns > 0;
	if (!spread->length_ns)
		spread->began_ns = at;
	spread->length_ns = length;
	spread->offset_ns = offset;
	spread->asked_ns = at;
	out->run = missed || (place < run_ns && !(in->running && place > 0 && run_ns - place < LEAST_PROLONGATION_NS));
	out->until_ns = start + (out->run && run_ns < length ? run_ns : length);
	if (missed)
		out->until_ns = at + run_ns < start + length ? at + run_ns : start + length;
	/*
	 * In a long epoch the duty cycle may grow so much that the run must not wait for the stop's end, nor last for so long. Looks are as
	 * spread as runs.
	 */
	if (!out->run || spread->doublings > 0) {
		const int64_t look_ns = between_looks(spread, in->live);
		const int64_t next_look = start + (place / look_ns + 1) * look_ns;
		if (next_look < out->until_ns)
			out->until_ns = next_look;
	}
	if (spread->change_ns && in->origin_ns + spread->change_ns < out->until_ns)
		out->until_ns = in->origin_ns + spread->change_ns;
	if (in->live >= LOOK_SOON_AMONG && at - spread->began_ns < BEGINNING_NS) {
		const int64_t look_ns = LOOK_SOON_NS + in->live * (int64_t)LOOK_SOON_OF_ALL_NS;
		if (at + look_ns < out->until_ns)
			out->until_ns = at + look_ns;
	}
}

static int init(void *state, const struct sst_env *env)
{
	struct spread *spread = state;
	spread->agreed = env->shared;
	return 0;
}

SST_EXPORT const struct sst_dithering sst_module = {
	SST_BASE(dithering, SST_DITHERING, .name = "spread", .version = SHOWSTOPPER_VERSION,
		.summary = "epochs on one clock, their runs spread over the workloads", .state_size = sizeof(struct spread),
		.shared_size = sizeof(_Atomic int64_t), .options = options, .init = init),
	.next = next,
};
