/* SPDX-License-Identifier: MIT */
#include "ssrequest/schedule.h"

#include "base/splitmix.h"
#include "base/units.h"

/* One call looks no further ahead: a rate may be 0 for hours. */
#define LOOK_AHEAD_NS NS_PER_S
/* The integral of a rate such as 0.07 per ms is a sum of rounded numbers. */
#define ROUNDING 1e-9L

static int64_t cell_length(const struct schedule *schedule)
{
	return schedule->settings.rate ? NS_PER_MS : NS_PER_S;
}

/* Above 0 and below 1. */
static long double uniform(uint64_t *state)
{
	return ((long double)(splitmix_next(state) >> 11) + 0.5L) / 9007199254740992.0L;
}

void schedule_init(struct schedule *schedule, const struct schedule_settings *settings)
{
	*schedule = (struct schedule){.settings = *settings, .random = settings->seed};
	if (settings->arrivals == ARRIVALS_POISSON)
		schedule->wanted = -logl(uniform(&schedule->random));
}

/* What the rate asks for from the beginning of the cell to its end, or to that of the schedule. */
static long double asked_in_cell(const struct schedule *schedule, int64_t end_ns)
{
	const struct schedule_settings *const settings = &schedule->settings;
	const int64_t middle_ns = schedule->cell_ns + cell_length(schedule) / 2;
	const double rate = settings->rate ? settings->rate(settings->context, middle_ns) : settings->constant;
	return rate > 0 ? (long double)rate * (long double)(end_ns - schedule->cell_ns) / NS_PER_S : 0;
}

static int64_t cell_end(const struct schedule *schedule)
{
	const int64_t end_ns = schedule->cell_ns + cell_length(schedule);
	return end_ns < schedule->settings.length_ns ? end_ns : schedule->settings.length_ns;
}

static void take(struct schedule *schedule)
{
	schedule->count++;
	schedule->wanted = schedule->settings.arrivals == ARRIVALS_POISSON ? schedule->wanted - logl(uniform(&schedule->random))
									   : (long double)schedule->count;
}

static enum schedule_answer next_by_itself(struct schedule *schedule, int64_t *when_ns)
{
	const int64_t until_ns = schedule->cell_ns + LOOK_AHEAD_NS;
	while (schedule->cell_ns < schedule->settings.length_ns) {
		const int64_t end_ns = cell_end(schedule);
		const long double cell = asked_in_cell(schedule, end_ns);
		const long double before = schedule->wanted - schedule->asked;
		if (before < cell - ROUNDING) {
			const long double share = before > 0 ? before / cell : 0;
			*when_ns = schedule->cell_ns + (int64_t)llroundl(share * (long double)(end_ns - schedule->cell_ns));
			take(schedule);
			return SCHEDULE_REQUEST;
		}
		schedule->asked += cell;
		schedule->cell_ns = end_ns;
		if (end_ns >= until_ns && end_ns < schedule->settings.length_ns) {
			*when_ns = end_ns;
			return SCHEDULE_NONE_BEFORE;
		}
	}
	return SCHEDULE_END;
}

/* Whole requests of what was asked for. */
static uint64_t whole(long double asked)
{
	return (uint64_t)floorl(asked + ROUNDING);
}

static enum schedule_answer next_of_batch(struct schedule *schedule, int64_t *when_ns)
{
	if (schedule->batch == 0) {
		if (schedule->cell_ns >= schedule->settings.length_ns)
			return SCHEDULE_END;
		const int64_t second_ns = schedule->cell_ns + NS_PER_S;
		const uint64_t before = whole(schedule->asked);
		schedule->batch_ns = schedule->cell_ns;
		while (schedule->cell_ns < second_ns && schedule->cell_ns < schedule->settings.length_ns) {
			const int64_t end_ns = cell_end(schedule);
			schedule->asked += asked_in_cell(schedule, end_ns);
			schedule->cell_ns = end_ns;
		}
		schedule->batch = whole(schedule->asked) - before;
	}
	if (schedule->batch == 0) {
		*when_ns = schedule->cell_ns;
		return SCHEDULE_NONE_BEFORE;
	}
	schedule->batch--;
	schedule->count++;
	*when_ns = schedule->batch_ns;
	return SCHEDULE_REQUEST;
}

enum schedule_answer schedule_next(struct schedule *schedule, int64_t *when_ns)
{
	if (schedule->count >= schedule->settings.most)
		return SCHEDULE_END;
	return schedule->settings.arrivals == ARRIVALS_CONCURRENT ? next_of_batch(schedule, when_ns)
								  : next_by_itself(schedule, when_ns);
}
