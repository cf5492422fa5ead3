/* SPDX-License-Identifier: MIT */
/*
 * Feed-forward by an estimated gain, and the deficit of work repaid within a horizon:
 *
 *	D = (L* + owed / (P·T)) / g
 *
 * `owed` is ∫L*·dcapacity − work, in CPU-seconds. That it stays bounded is what makes the mean error vanish; there is no
 * filter whose lag would have to be waited for.
 *
 * g is the load that a duty cycle of 1 would bring (the plant's gain: about N·threads/P, and what other programs add), the ratio of the
 * work done to the duty cycle asked for over the last seconds, so that a step of the target is met by the right duty cycle at once.
 * Two ratios are kept, over a short and a long time; when the short one says that the workloads have changed, the long one is
 * forgotten. Where nearly all is the load of others, nothing is learnt: their work over a duty cycle of almost nothing would be a
 * gain of hundreds, and a step up would be met by next to no duty cycle.
 *
 * Each executor knows only its own duty cycle, and one that runs more than the others would find its gain the smaller and go on
 * running more. So gains are what is published, and the mean of the own and the peers' is used.
 *
 * Anti-windup: the deficit that counts is held to what a duty cycle of 0 or 1 can repay within the horizon. What is beyond that is
 * forgiven, by all executors together: each sees only the deficit of its own edges, and one that had forgiven more than the others, for
 * having looked at another moment, would run less than they for good. Near loads of 0 and 1 so little can be repaid that
 * the unevenness of ordinary workloads would be forgiven again and again, always on the same side, and add up to a mean error. So
 * `slack` is never forgiven where the workloads can repay it at all.
 *
 * Where all that there is is asked for, nothing can be repaid, and 1/g would be an estimate that nothing corrects: others fill what the
 * workloads leave, so that g is found too large. Then the duty cycle is 1.
 */
#include <math.h>
#include <stdatomic.h>

#include "apart.h"
#include "mean_of_peers.h"
#include "showstopper/module.h"

/* Of all executors. */
struct agreed {
	_Atomic double forgiven; /* of what is owed, CPU-seconds */
	_Atomic unsigned starts; /* of control, the first one included */
	_Atomic double gain;     /* mean of the last ones that executors have estimated; 0: none yet */
	struct apart apart;
};

struct deficit {
	int64_t horizon_ns, slack_ns, memory_ns;
	double change;
	int64_t peers;
	struct ratio {
		double work, duty; /* CPU-seconds worked, and asked for by duty cycle, both fading */
	} fast, slow;
	struct agreed *agreed;
	unsigned starts; /* that this executor knows of */
	bool known;      /* the gain; false in the beginning, … */
	bool full;       /* … where all that was seen is that the machine has no more to give */
	bool starved;    /* the last answer was no load at all: the load is not of our making */
	bool flat_out;   /* the last answer was 1, since all that there is was asked for */
	bool started;
};

/* The short ratio's time, as a part of the long one's. */
#define FAST_PART 8
/* What the first guess of the gain counts for, in seconds of full duty. */
#define GUESS_S 0.05
/* While the workloads make less load than this, what is seen is mostly the load of others, and says next to nothing of the gain. */
#define OWN_LOAD 0.02

/*
 * What is owed is known anew with each sample, so it can't be repaid sooner; repaid in much less time, all of it would be repaid again and
 * again until the next one, and the load would swing between 0 and 1. So it is repaid in so many times what they are too far apart.
 */
#define APART_HORIZON 3
/* Likewise where an answer is in force for a given time. */
#define LAG_HORIZON 4

/* More than this part of the ceiling is all that there is, but for what the counters' unit leaves out. */
#define FULL 0.97
/* Where a load can be more than 1, more than this isn't made to repay what is owed. */
#define BURST 2
#define BOLDNESS 2
#define BEYOND_DOUBT 8
/* Each of fewer workloads sees that of its own runs, and a machine that was full meanwhile is not so for long. */
#define MANY 4

static const struct sst_option options[] = {
	SST_OPTION("horizon", TIME, struct deficit, horizon_ns, "time in which owed work is repaid", .initial = "60m",
		.least = "10m", .most = "1h"),
	SST_OPTION("slack", TIME, struct deficit, slack_ns,
		"time of all processors whose work may be owed without being forgiven", .initial = "80m", .least = "0",
		.most = "1h"),
	SST_OPTION("memory", TIME, struct deficit, memory_ns, "time over which the gain is estimated", .initial = "2500m",
		.least = "10m", .most = "1h"),
	SST_OPTION("change", REAL, struct deficit, change, "relative change of the gain that is believed at once",
		.initial = "0.3", .least = "0", .most = "1000"),
	SST_OPTION("peers", INT, struct deficit, peers,
		"executors whose estimates of the gain are averaged with the own one (kappa)", .initial = "8", .least = "0",
		.most = "1000"),
	{0},
};

static void fade_in(struct ratio *ratio, const struct sst_sample *sample, double duty, double weight, double time)
{
	const double keep = exp(-weight * sample->capacity / time);
	ratio->work = ratio->work * keep + weight * sample->work;
	ratio->duty = ratio->duty * keep + weight * duty * sample->capacity;
}

static double gain_of(const struct ratio *ratio)
{
	const double gain = ratio->work / ratio->duty;
	return gain < 0.01 ? 0.01 : gain > 1000 ? 1000 : gain;
}

/* Each workload has one thread, unless it is known better. */
static void guess(struct deficit *deficit, const struct sst_control_input *in)
{
	const double gain = in->live * (in->limited.width > 0 ? in->limited.width : 1) / in->processors;
	deficit->fast = deficit->slow = (struct ratio){gain * GUESS_S, GUESS_S};
}

static double nearly_all(const struct sst_control_input *in)
{
	return FULL * (isinf(in->ceiling) ? 1 : in->ceiling);
}

static bool is_full(const struct sst_control_input *in)
{
	return in->since.work >= nearly_all(in) * in->since.capacity;
}

/*
 * A machine that is full from the beginning says only what the gain is at least. It may be a hundred times as much, and to find that by
 * what comes out at ever lower duty cycles would take half a second. So it is taken for twice that each time, until the load is below the
 * target. It can't be more than if each workload filled the machine: far beyond that, it is others who do. (A little beyond it, what still
 * runs may have been asked for before.)
 */
static void learn_beginning(struct deficit *deficit, const struct sst_control_input *in)
{
	const struct sst_sample *since = &in->since;
	if (deficit->known || since->capacity <= 0)
		return;
	deficit->known = in->live < MANY || in->target >= nearly_all(in) || since->work < in->target * since->capacity;
	if (deficit->known || deficit->starved || in->duty <= 0 || !is_full(in))
		return;
	deficit->full = true;
	deficit->fast = deficit->slow = (struct ratio){since->work, in->duty / BOLDNESS * since->capacity};
	if (since->work <= BEYOND_DOUBT * in->live * deficit->slow.duty)
		return;
	deficit->known = true;
	guess(deficit, in);
	atomic_store(&deficit->agreed->gain, 0);
}

/* A full machine says of a duty cycle of 1 only that it is enough. So does a sample that reaches over the step down from there. */
static bool says_nothing(const struct deficit *deficit, const struct sst_control_input *in)
{
	return deficit->flat_out && (in->target < in->ceiling || is_full(in));
}

static double estimate_gain(struct deficit *deficit, const struct sst_control_input *in)
{
	const double memory = (double)deficit->memory_ns / 1e9 * in->processors;
	if (in->since.capacity > 0 && in->duty > 0 && !deficit->starved && !says_nothing(deficit, in)) {
		const double weight = 1 / (1 + pow(OWN_LOAD / (gain_of(&deficit->slow) * in->duty), 4));
		fade_in(&deficit->fast, &in->since, in->duty, weight, memory / FAST_PART);
		fade_in(&deficit->slow, &in->since, in->duty, weight, memory);
	}
	learn_beginning(deficit, in);
	if (fabs(gain_of(&deficit->fast) / gain_of(&deficit->slow) - 1) > deficit->change)
		deficit->slow = deficit->fast;
	return gain_of(&deficit->slow);
}

/*
 * The mean of all executors' gains. Where not all others are peers, it runs through shared memory: neighbours would agree with neighbours,
 * and long rows of them drift apart.
 */
static double common_gain(struct deficit *deficit, double own, const struct sst_control_input *in)
{
	if (in->peer_count + 1 >= in->live || deficit->peers == 0)
		return mean_of_peers(own, in);
	double gain = atomic_load(&deficit->agreed->gain);
	double mixed;
	do
		mixed = gain > 0 ? gain + (own - gain) / in->live : own;
	while (!atomic_compare_exchange_weak(&deficit->agreed->gain, &gain, mixed));
	return mixed;
}

static void start(struct deficit *deficit, const struct sst_control_input *in)
{
	deficit->known = deficit->full = deficit->flat_out = false;
	guess(deficit, in);
	/* Who begins first forgives what was owed before; who joins the others later forgives what they did. */
	if (in->joins && in->live > 1) {
		deficit->starts = atomic_load(&deficit->agreed->starts);
	} else if (atomic_compare_exchange_strong(&deficit->agreed->starts, &deficit->starts, deficit->starts + 1)) {
		atomic_store(&deficit->agreed->forgiven, in->owed);
		atomic_store(&deficit->agreed->gain, 0);
		apart_start(&deficit->agreed->apart, in);
		deficit->starts++;
	}
	deficit->started = true;
}

/* What is owed, between two bounds; what is beyond them is forgiven. */
static double bounded(struct deficit *deficit, double owed, double least, double most)
{
	double forgiven = atomic_load(&deficit->agreed->forgiven);
	for (;;) {
		const double counts = fmax(least, fmin(most, owed - forgiven));
		if (counts == owed - forgiven ||
			atomic_compare_exchange_weak(&deficit->agreed->forgiven, &forgiven, owed - counts))
			return counts;
	}
}

/* In CPU-seconds, as what is owed. */
static double horizon_of(struct deficit *deficit, const struct sst_control_input *in)
{
	const double lag_s = LAG_HORIZON * (double)in->limited.lag_ns / 1e9;
	const double least_s = fmax(lag_s, APART_HORIZON * (apart_s(&deficit->agreed->apart, in) - APART_S));
	return fmax((double)deficit->horizon_ns / 1e9, least_s) * in->processors;
}

static void step(void *state, const struct sst_control_input *in, struct sst_control_output *out)
{
	struct deficit *deficit = state;
	if (!deficit->started)
		start(deficit, in);
	out->published = estimate_gain(deficit, in);
	const double mean = common_gain(deficit, out->published, in);
	const double gain = deficit->full && !deficit->known ? fmax(mean, out->published) : mean;
	const double horizon = horizon_of(deficit, in);
	const double slack = (double)deficit->slack_ns / 1e9 * in->processors;
	const double headroom = fmin(gain, fmin(in->ceiling, BURST)) - in->target;
	const double most = headroom > 0 ? fmax(headroom * horizon, slack) : 0;
	const double least = in->target > 0 ? -fmax(in->target * horizon, slack) : 0;
	const double owed = bounded(deficit, in->owed, least, most);
	deficit->starved = owed <= -in->target * horizon;
	deficit->flat_out = in->target >= in->ceiling && !deficit->starved;
	/* Exactly none, which the sum is only up to rounding. */
	out->duty = deficit->starved ? 0 : deficit->flat_out ? 1 : fmin(1, (in->target + owed / horizon) / gain);
}

static unsigned peers(const void *state)
{
	const struct deficit *deficit = state;
	return (unsigned)deficit->peers;
}

static int init(void *state, const struct sst_env *env)
{
	struct deficit *deficit = state;
	deficit->agreed = env->shared;
	return 0;
}

static void resume(void *state)
{
	struct deficit *deficit = state;
	deficit->started = false;
}

SST_EXPORT const struct sst_control sst_module = {
	SST_BASE(control, SST_CONTROL, .name = "deficit", .version = SHOWSTOPPER_VERSION,
		.summary = "estimated gain forwards, the deficit of work back", .state_size = sizeof(struct deficit),
		.shared_size = sizeof(struct agreed), .options = options, .init = init),
	.step = step,
	.peers = peers,
	.resume = resume,
};
