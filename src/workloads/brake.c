/* SPDX-License-Identifier: MIT */
/*
 * Signals need to know every process of the tree, and so look for new ones. A group has them all: its freezer is one write, whatever is
 * in it, and what is forked in it is in it.
 */
#include "workloads/brake.h"

#include "base/clock.h"
#include "base/units.h"

/* So much is to be left for other things. */
#define SETTLE_NS NS_PER_MS

static void freeze(struct brake *brake, bool frozen)
{
	if (brake->found)
		attached_group_freeze(brake->found, &brake->group, frozen);
	else
		workload_group_freeze(&brake->group, frozen);
}

static void write_limit(struct brake *brake, const struct bandwidth *limit)
{
	if (brake->found)
		attached_group_limit(brake->found, &brake->group, limit);
	else
		workload_group_limit(&brake->group, limit);
}

void brake_stop(struct brake *brake, int64_t now_ns)
{
	if (brake->actuator != ACTUATOR_FREEZER) {
		/* Before it is: who survives continues it. */
		if (brake->found)
			group_keeper_hold(&brake->found->keeper);
		tree_stop(&brake->tree, now_ns);
		return;
	}
	brake->tree.stopped = true;
	freeze(brake, true);
}

void brake_continue(struct brake *brake)
{
	/* Nobody stops what is limited but in a pause; after that once more, for what was being forked while it was stopped. */
	if (brake->actuator == ACTUATOR_QUOTA && !brake->tree.stopped && !brake->insist)
		return;
	brake->insist = brake->tree.stopped;
	if (brake->actuator != ACTUATOR_FREEZER) {
		tree_continue(&brake->tree);
		return;
	}
	brake->tree.stopped = false;
	freeze(brake, false);
}

void brake_settle(struct brake *brake, int64_t until_ns)
{
	const int64_t now = clock_now();
	if (brake->actuator == ACTUATOR_SIGNALS && until_ns - now > SETTLE_NS + 2 * brake->tree.busy.took_ns)
		tree_find_busy(&brake->tree, now);
}

void brake_limit(struct brake *brake, const struct bandwidth *limit)
{
	const bool is_same =
		limit->quota_ns == brake->limit.quota_ns && (!limit->quota_ns || limit->period_ns == brake->limit.period_ns);
	if (brake->actuator != ACTUATOR_QUOTA || (is_same && workload_group_is_limited(&brake->group, limit)))
		return;
	brake->limit = *limit;
	write_limit(brake, limit);
}

void brake_release(struct brake *brake)
{
	if (brake->actuator == ACTUATOR_FREEZER)
		freeze(brake, false);
	brake_limit(brake, &(struct bandwidth){0});
}

void brake_let_go(struct brake *brake)
{
	if (brake->actuator == ACTUATOR_QUOTA)
		write_limit(brake, &(struct bandwidth){0});
	if (brake->actuator == ACTUATOR_FREEZER && brake->group.froze)
		freeze(brake, false);
	group_keeper_restore(&brake->found->keeper);
	brake->tree.stopped = false;
}
