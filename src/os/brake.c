/* SPDX-License-Identifier: MIT */
/*
 * Signals need to know every process of the tree, and so look for new ones. A group has them all: its freezer is one write, whatever is
 * in it, and what is forked in it is in it.
 */
#include "os/brake.h"

void brake_stop(struct brake *brake, int64_t now_ns)
{
	if (brake->hand == SST_HAND_SIGNALS) {
		tree_stop(&brake->tree, now_ns);
		return;
	}
	brake->tree.stopped = true;
	workload_group_freeze(&brake->group, true);
}

void brake_continue(struct brake *brake)
{
	if (brake->hand == SST_HAND_SIGNALS) {
		tree_continue(&brake->tree);
		return;
	}
	brake->tree.stopped = false;
	workload_group_freeze(&brake->group, false);
}

void brake_release(const struct brake *brake)
{
	if (brake->hand != SST_HAND_SIGNALS)
		workload_group_freeze(&brake->group, false);
}
