/* SPDX-License-Identifier: MIT */
/*
 * Equal workloads get equal time. The mean of peers (paper 000, Section 3.2.3) makes the duty cycles of neighbours alike, but not the
 * time that they add up to: what is late, rounded or averaged over other moments is never made good. So each executor counts the
 * time its workload had (`surplus`), all together move a mean of that, and who is behind it asks for more until it has caught up. This is
 * ours and not the paper's.
 */
#ifndef EQUAL_TIME_H
#define EQUAL_TIME_H

#include <math.h>
#include <stdatomic.h>

#include "showstopper/module.h"

/* What being behind or ahead may change of a duty cycle. */
#define EQUAL_TIME_MOST 0.25
/* How fast the mean follows those that are there, after others have left it with what they were behind. Per step of each. */
#define EQUAL_TIME_FOLLOW 0.1

/* The option for it, which is ns in a member of the module's state. */
#define EQUAL_TIME_OPTION(state, member)                                                                                         \
	{                                                                                                                        \
		.name = "level", .type = SST_TIME, .offset = offsetof(state, member), .initial = "500m", .least = "0",           \
		.most = "1h", .help = "time in which a workload catches up with the mean of all; 0: never"                       \
	}

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

#endif
