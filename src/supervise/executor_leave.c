/* SPDX-License-Identifier: MIT */
#include "supervise/executor_leave.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/units.h"
#include "config/config.h"
#include "control/shared.h"
#include "processes/process_handle.h"
#include "supervise/obligations.h"

/* How long other executors may take to let attached trees go. */
#define OTHERS_LIMIT_NS (500 * NS_PER_MS)

/*
 * An executor that was killed leaves its attached tree stopped. The master continues it, unless that is killed before it gets to it, when
 * all others have ended already as it had told them to. True while another lives that has not let its tree go.
 */
static bool continue_abandoned(const struct run *run, unsigned index)
{
	const struct config *const config = run->config;
	bool may_stop = false;
	for (unsigned i = config->workloads - config->attaches; i < config->workloads; i++) {
		struct slot *const slot = &run->shared->slot[i];
		const pid_t pid = i == index ? 0 : atomic_load(&slot->executor);
		struct linux_process stat;
		if (pid && linux_process_read(pid, &stat) == 0 && !linux_process_has_ended(&stat)) {
			may_stop = true;
		} else if (pid) {
			obligations_release(run->owed, i);
			atomic_store(&slot->executor, 0);
		}
	}
	return may_stop;
}

static bool master_is_dead(const struct run *run)
{
	struct pollfd master = {.fd = run->master, .events = POLLIN};
	return poll(&master, 1, 0) > 0;
}

/*
 * When the run is over all let go; who dies before may have stopped its tree once more, and guardian and master may stand still, or be
 * dead. Only the last one knows that nobody does. The own tree is let go: two don't wait for each other.
 */
static void await_others(struct run *run, unsigned index, bool is_over)
{
	const int64_t limit = clock_now() + (is_over ? OTHERS_LIMIT_NS : 0);
	atomic_store(&run->shared->slot[index].executor, 0);
	while (continue_abandoned(run, index) && clock_now() < limit)
		clock_sleep_until(clock_now() + NS_PER_MS);
}

void executor_leave(struct run *run, unsigned index, struct workload_group *group, bool terminating)
{
	workload_group_close(group);
	/* The guardian and other executors may be dead, too. */
	if (master_is_dead(run))
		obligations_settle_abandoned(run->owed);
	else
		workload_groups_leave(run->groups, index, atomic_load(&run->shared->phase) > SHARED_RUN);
	await_others(run, index, terminating || master_is_dead(run));
}
