/* SPDX-License-Identifier: MIT */
#include "record/miss.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "record/summary.h"

/* Nearly all of the time. */
#define ALWAYS 0.9
/* A load that is so far from its target, in pp: workloads that run all the time may be a little slow, and a target that moves is ahead of the load. */
#define FAR_PP 3
/* A target that moves by more, in pp. */
#define STEADY_PP 0.01
/* What comes so long after the sample before isn't its neighbour. */
#define GAP_NS (100 * NS_PER_MS)

static double known(double load)
{
	return isnan(load) ? 0 : load;
}

static void push(struct miss *miss, const struct record *record)
{
	if (record->end_ns - record->length_ns > miss->end_ns + GAP_NS)
		miss->samples = 0;
	miss->end_ns = record->end_ns;
	miss->sample[miss->samples++ % MISS_SAMPLES] = (struct miss_sample){
		.length_ns = (double)record->length_ns,
		.target = record->target,
		.load = record->load,
		.others = record->others + known(record->watched_all) + known(record->free),
		.gone = 1 - record->alive,
		.saturated = record->saturated,
		.starved = record->starved,
	};
}

/* Means of the samples; false where the target moves. */
static bool find_means(const struct miss *miss, struct miss_sample *mean)
{
	double least = INFINITY, most = -INFINITY;
	*mean = (struct miss_sample){0};
	for (unsigned i = 0; i < MISS_SAMPLES; i++)
		mean->length_ns += miss->sample[i].length_ns;
	for (unsigned i = 0; i < MISS_SAMPLES; i++) {
		const struct miss_sample *const sample = &miss->sample[i];
		const double part = sample->length_ns / mean->length_ns;
		mean->target += part * sample->target;
		mean->load += part * sample->load;
		mean->others += part * sample->others;
		mean->gone += part * sample->gone;
		mean->saturated += part * sample->saturated;
		mean->starved += part * sample->starved;
		least = fmin(least, sample->target);
		most = fmax(most, sample->target);
	}
	return 100 * (most - least) < STEADY_PP;
}

static enum miss_cause find_cause(const struct miss *miss, struct miss_found *found)
{
	struct miss_sample mean;
	const bool is_steady = find_means(miss, &mean);
	const double above_pp = 100 * (mean.load - mean.target);
	*found = (struct miss_found){MISS_NONE, mean.length_ns / NS_PER_S, mean.target, mean.load, mean.others, mean.gone};
	if (mean.gone > NOTABLE_SHARE && above_pp < -NOTABLE_ERROR_PP)
		return MISS_GONE;
	if (mean.saturated > ALWAYS && above_pp < -FAR_PP)
		return MISS_SATURATED;
	if (mean.starved > ALWAYS && above_pp > (is_steady ? NOTABLE_ERROR_PP : FAR_PP) && !(mean.others <= mean.target))
		return MISS_OTHERS;
	return MISS_NONE;
}

bool miss_add(struct miss *miss, const struct record *record, struct miss_found *found)
{
	push(miss, record);
	miss->now = miss->samples < MISS_SAMPLES ? MISS_NONE : find_cause(miss, found);
	miss->clear = miss->now == MISS_NONE ? miss->clear + 1 : 0;
	/* Twice, since a cause takes as long to be seen. */
	if (miss->clear >= 2 * MISS_SAMPLES)
		miss->told = 0;
	if (miss->now == MISS_NONE || miss->told & 1U << miss->now)
		return false;
	miss->told |= 1U << miss->now;
	found->cause = miss->now;
	return true;
}

void miss_describe(
	const struct miss_found *found, double may_use, double processors, bool respawn, char text[static MISS_TEXT_MAX])
{
	const double target = 100 * found->target, load = 100 * found->load;
	if (found->cause == MISS_GONE)
		snprintf(text, MISS_TEXT_MAX,
			"the workloads were gone for %.1f %% of the last %.1f s, and the load is %.1f pp below the target%s",
			100 * found->gone, found->seconds, target - load,
			respawn ? ": there are 100 ms or more between starts; ssiterate in front of the command leaves none"
				: "");
	else if (found->cause == MISS_OTHERS && isnan(found->others))
		snprintf(text, MISS_TEXT_MAX,
			"the workloads stood still for the last %.1f s, and the load was %.1f %%, above the target of %.1f %%: "
			"end "
			"what else runs, or set a higher target",
			found->seconds, load, target);
	else if (found->cause == MISS_OTHERS)
		snprintf(text, MISS_TEXT_MAX,
			"in the last %.1f s what isn't controlled made a load of %.1f %% by itself, more than the target of %.1f "
			"%%: the workloads stand still; end what else runs, or set a higher target",
			found->seconds, 100 * found->others, target);
	else if (found->target > may_use / processors + known(found->others))
		snprintf(text, MISS_TEXT_MAX,
			"the workloads ran all of the last %.1f s, and the load was %.1f %%, below the target of %.1f %%: they "
			"may use "
			"%.4g of %.4g processors, and need more (affinity, --cpus, --pin, quota)",
			found->seconds, load, target, may_use, processors);
	else
		snprintf(text, MISS_TEXT_MAX,
			"the workloads ran all of the last %.1f s, and the load was %.1f %%, below the target of %.1f %%: more "
			"instances (-n), or more threads, are needed",
			found->seconds, load, target);
}

const char *miss_note(enum miss_cause cause)
{
	static const char *const note[] = {[MISS_NONE] = "",
		[MISS_GONE] = "workloads gone",
		[MISS_OTHERS] = "others make more",
		[MISS_SATURATED] = "saturated"};
	return note[cause];
}
