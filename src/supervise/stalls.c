/* SPDX-License-Identifier: MIT */
#include "supervise/master_state.h"

#include <signal.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"
#include "processes/process_handle.h"
#include "supervise/processes.h"

#define LOOK_NS HEARTBEAT_NS
/* Looks in a row without a round: then it is nudged, and then it stands still. */
#define NUDGED_AFTER 2
#define STILL_AFTER 5
/* Looks without any workload that came up, while some are to: then it is said, and then they are given up. */
#define SLOW_AFTER 5
#define GIVEN_UP_AFTER 50
/* So many dead processes that those who stand still don't reap, together: then who has most of them is given up. */
#define UNREAPED_MOST 1000

static bool is_watched(const struct master *master, unsigned index)
{
	return master->executor[index] && atomic_load(&master->run.shared->slot[index].pid);
}

static void begin_standstill(struct master *master, unsigned index)
{
	struct stall *stall = &master->stall[index];
	struct slot *slot = &master->run.shared->slot[index];
	stall->still = true;
	stall->since_ns = stall->heard_ns;
	/* In this order: the executor comes back into the ring when it finds that it is out. */
	shared_set_live(master->run.shared, index, false);
	atomic_store(&slot->stood_still, true);
	diag("warning: the executor of workload %u stands still (stopped, or kept by a file system that doesn't answer): it "
	     "controls "
	     "nothing until it goes on",
		index);
}

static void end_standstill(struct master *master, unsigned index, int64_t now_ns)
{
	struct stall *stall = &master->stall[index];
	stall->still = false;
	diag("the executor of workload %u goes on; it had stood still for %.1f s", index,
		(double)(now_ns - stall->since_ns) / NS_PER_S);
}

static void look_at(struct master *master, unsigned index, int64_t now_ns)
{
	struct stall *stall = &master->stall[index];
	const uint32_t rounds = atomic_load_explicit(&master->run.shared->slot[index].rounds, memory_order_relaxed);
	if (rounds != stall->rounds || !stall->heard_ns) {
		if (stall->still)
			end_standstill(master, index, now_ns);
		*stall = (struct stall){.rounds = rounds, .heard_ns = now_ns};
	} else if (++stall->quiet == STILL_AFTER) {
		begin_standstill(master, index);
	}
}

static int count_dead(pid_t pid, void *count)
{
	struct linux_process child;
	*(size_t *)count += linux_process_read(pid, &child) == 0 && linux_process_has_ended(&child);
	return 0;
}

/* The processes of a workload that lose their parents come to its executor, and stay in the table of processes when they end. */
static void give_up_who_hoards(struct master *master)
{
	size_t all = 0, greatest = 0;
	unsigned most = 0;
	for (unsigned i = 0; i < master->forked; i++) {
		size_t own = 0;
		if (master->executor[i] && master->stall[i].still && !master->stall[i].given_up)
			linux_process_each_child("", master->executor[i], 1, true, count_dead, &own);
		if (own > greatest) {
			greatest = own;
			most = i;
		}
		all += own;
	}
	if (all <= UNREAPED_MOST)
		return;
	master->stall[most].given_up = true;
	diag("more than %d processes have ended that executors don't reap, as they stand still: that of workload %u, which has "
	     "most of "
	     "them, is killed",
		UNREAPED_MOST, most);
	kill(master->executor[most], SIGKILL);
}

/* All that are silent at once, so that there is a moment at which all have been heard of. */
static void nudge_silent(const struct master *master)
{
	bool due = false;
	for (unsigned i = 0; i < master->forked; i++)
		due = due || master->stall[i].quiet == NUDGED_AFTER;
	for (unsigned i = 0; due && i < master->forked; i++)
		if (is_watched(master, i) && master->stall[i].quiet)
			kill(master->executor[i], EXECUTOR_NUDGE);
}

/* The first workload that was to be started and hasn't come up; how many have is in *ready. */
static unsigned find_slow(const struct master *master, unsigned *ready)
{
	unsigned first = master->forked;
	*ready = 0;
	for (unsigned i = master->forked; i-- > 0;) {
		if (!master->executor[i] || atomic_load(&master->run.shared->slot[i].pid))
			(*ready)++;
		else
			first = i;
	}
	return first;
}

/* A start waits for the file system on which the program lies. */
static void look_at_starts(struct master *master)
{
	unsigned ready;
	const unsigned slow = find_slow(master, &ready);
	if (slow == master->forked || ready != master->ready) {
		master->ready = ready;
		master->slow_looks = 0;
		return;
	}
	if (++master->slow_looks == SLOW_AFTER)
		diag("warning: workload %u isn't started yet: its executor stands still, or its program lies on a file system "
		     "that "
		     "doesn't answer",
			slow);
	if (master->slow_looks < GIVEN_UP_AFTER)
		return;
	master->slow_looks = 0;
	diag("workload %u isn't started after %.0f s, and is given up", slow, (double)GIVEN_UP_AFTER * LOOK_NS / NS_PER_S);
	kill(master->executor[slow], SIGKILL);
}

static void forget(struct master *master)
{
	for (unsigned i = 0; i < master->config->workloads; i++)
		if (!master->stall[i].still)
			master->stall[i] = (struct stall){0};
	master->slow_looks = 0;
}

int64_t stalls_next(const struct master *master, int64_t now_ns)
{
	const int64_t left_ns = master->looked_ns + LOOK_NS - now_ns;
	return left_ns > 0 ? left_ns : 0;
}

void stalls_look(struct master *master)
{
	const int64_t now = clock_now();
	bool still = false, all_heard = true;
	if (now - master->looked_ns < LOOK_NS)
		return;
	master->looked_ns = now;
	if (master->stage == ENDING)
		return;
	if (master->paused_ns || master->begins_paused) {
		forget(master);
		return;
	}
	if (master->stage == STARTING)
		look_at_starts(master);
	for (unsigned i = 0; i < master->forked; i++) {
		if (!is_watched(master, i))
			continue;
		look_at(master, i, now);
		if (master->run.shared->slot[i].free)
			continue;
		still = still || master->stall[i].still;
		all_heard = all_heard && !master->stall[i].quiet;
	}
	give_up_who_hoards(master);
	nudge_silent(master);
	intervals_hear(&master->recording.intervals, still, all_heard, now);
}

void stalls_end(struct master *master)
{
	for (unsigned i = 0; i < master->forked; i++) {
		struct stall *stall = &master->stall[i];
		if (!stall->still || !master->executor[i])
			continue;
		stall->still = false;
		atomic_store(&master->run.shared->slot[i].lost, true);
		master->lost++;
		diag("the executor of workload %u stood still for the last %.1f s of the run, in which it controlled nothing", i,
			(double)(clock_now() - stall->since_ns) / NS_PER_S);
	}
}
