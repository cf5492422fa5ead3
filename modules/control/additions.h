/* SPDX-License-Identifier: MIT */
/*
 * Equal workloads get equal time. The mean of peers (paper 000, Section 3.2.3) makes the duty cycles of neighbours alike, but not the
 * time that they add up to: what is late, rounded or averaged over other moments is never made good. So each executor counts the
 * time its workload had (`surplus`), all together move a mean of that, and who is behind it asks for more until it has caught up. This is
 * ours and not the paper's.
 */
#ifndef ADDITIONS_H
#define ADDITIONS_H

#include <math.h>
#include <stdatomic.h>

#include "showstopper/module.h"

/* What being behind or ahead may change of a duty cycle. */
#define EQUAL_TIME_MOST 0.25
/* How fast the mean follows those that are there, after others have left it with what they were behind. Per step of each. */
#define EQUAL_TIME_FOLLOW 0.1

/* The option for it, which is ns in a member of the module's state. */
#define EQUAL_TIME_OPTION(state, member)                                                                                         \
	SST_OPTION("level", TIME, state, member, "time in which a workload catches up with the mean of all; 0: never",           \
		.initial = "500m", .least = "0", .most = "1h")

struct equal_time {
	double own; /* time that the workload had, in seconds, from where the mean was when it came */
	bool started;
};

static inline double add_to(_Atomic double *sum, double value)
{
	double before = atomic_load(sum);
	while (!atomic_compare_exchange_weak(sum, &before, before + value))
		;
	return before + value;
}

/* What to add to the duty cycle so that the workload has caught up with the mean of all within level_s; 0 turns it off. */
static inline double catch_up(struct equal_time *time, _Atomic double *mean, double level_s, const struct sst_control_input *in)
{
	if (level_s <= 0)
		return 0;
	if (!time->started)
		time->own = atomic_load(mean);
	else
		time->own += in->surplus;
	const double behind = atomic_load(mean) - time->own;
	const double surplus = time->started ? in->surplus : 0;
	time->started = true;
	add_to(mean, (surplus - EQUAL_TIME_FOLLOW * behind) / in->live);
	return fmax(-EQUAL_TIME_MOST, fmin(EQUAL_TIME_MOST, behind / level_s));
}

/*
 * What is owed is repaid: the target that control works with is raised by the work that the trace has asked for and that was not done,
 * spread over some seconds. A control that sees a smoothed load at its own edges alone keeps a small mean error for ever. This is
 * ours and not the paper's.
 */

/* What may be added to the target. More can't be repaid within the time, and is forgiven. */
#define REPAY_MOST 0.05

/* The option for it, which is ns in a member of the module's state. */
#define REPAY_OPTION(state, member)                                                                                              \
	SST_OPTION("repay", TIME, state, member, "time in which owed work is repaid; 0: never", .initial = "4s", .least = "0",   \
		.most = "1h")

/* Of all executors together. */
struct repay {
	_Atomic double forgiven; /* CPU-seconds of what is owed */
	_Atomic double learnt;   /* what is always to be added to the target */
};

static inline double hold_within(double value, double most)
{
	return fmax(-most, fmin(most, value));
}

/* The target with what is owed; repay_s 0 turns it off. */
static inline double with_what_is_owed(struct repay *repay, double repay_s, const struct sst_control_input *in)
{
	const double time = repay_s * in->processors;
	if (!(time > 0))
		return in->target;
	double before = atomic_load(&repay->forgiven);
	double counts;
	do
		counts = hold_within(in->owed - before, REPAY_MOST * time);
	while (counts != in->owed - before && !atomic_compare_exchange_weak(&repay->forgiven, &before, in->owed - counts));
	return fmax(0, fmin(1, in->target + atomic_load(&repay->learnt) + counts / time));
}

/*
 * For a control without an integral: what was repaid all the time, on average over learn_s, needs not be owed for it. `raised` is what
 * with_what_is_owed gave.
 */
static inline void learn_what_is_owed(struct repay *repay, double learn_s, double raised, const struct sst_control_input *in)
{
	if (!(learn_s > 0))
		return;
	const double share = in->since.capacity / in->processors / in->live / learn_s;
	double before = atomic_load(&repay->learnt);
	double after;
	do
		after = hold_within(before + (raised - in->target - before) * share, REPAY_MOST);
	while (!atomic_compare_exchange_weak(&repay->learnt, &before, after));
}

#endif
