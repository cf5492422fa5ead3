/* SPDX-License-Identifier: MIT */
#include "supervise/obligations.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "supervise/live_line.h"

/* How long what is in the groups may take to die. */
#define CLEAR_LIMIT_NS (10 * NS_PER_S)

int obligations_take_on(struct obligations *owed, const struct config *config)
{
	*owed = (struct obligations){.config = config, .last_row = -1};
	if (clocks_prepare(&owed->clocks, config) != 0)
		return -1;
	if (attached_open(config->attach, config->attaches, &owed->attached) == 0)
		return 0;
	clocks_give_back(&owed->clocks, true);
	clocks_free(&owed->clocks);
	return -1;
}

void obligations_free(struct obligations *owed)
{
	if (owed->last_row >= 0)
		close(owed->last_row);
	workload_groups_free(owed->groups);
	clocks_free(&owed->clocks);
	attached_close(owed->attached, owed->config->attaches);
}

static void continue_attached(const struct obligations *owed)
{
	for (unsigned i = 0; i < owed->config->attaches; i++)
		attached_continue(owed->attached[i].table);
}

void obligations_release(const struct obligations *owed, unsigned workload)
{
	const unsigned started = owed->config->workloads - owed->config->attaches;
	if (workload >= started)
		attached_continue(owed->attached[workload - started].table);
	workload_groups_release_one(owed->groups, workload);
}

bool obligations_settle(const struct obligations *owed, bool say)
{
	if (owed->groups)
		workload_groups_remove(owed->groups);
	/* Now that nobody is left who could stop them again. */
	continue_attached(owed);
	const bool are_given_back = clocks_give_back(&owed->clocks, say);
	/* The last, as a terminal that is held may take a second. */
	live_line_give_back(owed->last_row);
	return are_given_back;
}

void obligations_settle_abandoned(const struct obligations *owed, bool alone)
{
	continue_attached(owed);
	workload_groups_clear(owed->groups, clock_now() + CLEAR_LIMIT_NS);
	if (!alone)
		return;
	clocks_give_back(&owed->clocks, true);
	live_line_give_back(owed->last_row);
}
