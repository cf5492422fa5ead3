/* SPDX-License-Identifier: MIT */
/*
 * What is owed is repaid: the target that control works with is raised by the work that the trace has asked for and that was not done,
 * spread over some seconds. A control that sees a smoothed load at its own edges alone keeps a small mean error for ever. This is
 * ours and not the paper's.
 */
#ifndef REPAY_H
#define REPAY_H

#include <math.h>
#include <stdatomic.h>

#include "showstopper/module.h"

/* What may be added to the target. More can't be repaid within the time, and is forgiven. */
#define REPAY_MOST 0.05

/* The option for it, which is ns in a member of the module's state. */
#define REPAY_OPTION(state, member)                                                                                              \
	{                                                                                                                        \
		.name = "repay", .type = SST_TIME, .offset = offsetof(state, member), .initial = "4s", .least = "0",             \
		.most = "1h", .help = "time in which owed work is repaid; 0: never"                                              \
	}

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
