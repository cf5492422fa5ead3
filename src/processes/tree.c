/* SPDX-License-Identifier: MIT */
/*
 * Cost. In the common case a stop is one kill(2) of the group and one read of /proc/loadavg, whose last field is the number of
 * the newest process: when it has not changed nobody can have left the group by forking, and a look once a second (or
 * as seldom as the caller says) finds those who left it without. A look takes 10 to 50 us for each process of the tree, or, where the
 * kernel keeps no lists of children, of the machine. So looks are paid by their processor time: a tree is looked through no oftener than
 * in one part of LOOK_SHARE, and all executors together no oftener than their common budget allows.
 *
 * Forks. Who is forked during a look may be missed, and is found by the next. A look is repeated at once when it found somebody
 * outside the group for the first time, or somebody who had gone when it came to him, or an orphan that came to us meanwhile. So also a
 * chain of processes that fork and end, none of which lives for long, comes to a standstill. What the rest of the machine forks
 * repeats nothing. Nor is a tree looked through for it that has been found standing still, until that is continued: with many workloads
 * the budget is for those that ran.
 *
 * Order. A shell with job control that waits for a job must not learn that the job was stopped. So a process outside the group is
 * stopped only when its parent stands still, which takes until the parent has been scheduled; that is waited for, but not for ever.
 *
 * Safety. The group is signalled by number only while its leader has not been reaped, because a zombie keeps the number. All
 * others are signalled through pidfds whose start time was compared with the one listed.
 *
 * Scarcity. A pidfd is kept for each process outside the group, as long as there are descriptors; further ones are opened for each
 * signal.
 */
#include "processes/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "processes/attached.h"

#define PATIENCE_NS NS_PER_S
/* Looks are repeated for this long. */
#define REPEAT_LIMIT_NS (5 * NS_PER_MS)
#define STANDSTILL_LIMIT_NS (5 * NS_PER_MS)
#define STANDSTILL_LOOK_NS (50 * NS_PER_US)
/* So many descriptors are left for looking at /proc. */
#define SPARE_FILES 16

void tree_init(struct tree *tree, pid_t first)
{
	*tree = (struct tree){.group = first,
		.whole_group = true,
		.scanned_ns = INT64_MIN,
		.loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC)};
}

static void forget_outsiders(struct tree *tree)
{
	for (size_t i = 0; tree->outsider && i < tree->outsiders; i++)
		process_release(&tree->outsider[i].process);
	free(tree->outsider);
	tree->outsider = NULL;
	tree->outsiders = 0;
}

void tree_free(struct tree *tree)
{
	forget_outsiders(tree);
	descendants_free(&tree->scan);
	busy_threads_free(&tree->busy);
	if (tree->loadavg >= 0)
		close(tree->loadavg);
	*tree = (struct tree){.loadavg = -1};
}

static bool look_is_due(struct tree *tree, int64_t now_ns, uint64_t *forks)
{
	*forks = linux_process_newest(tree->loadavg);
	if (tree->scanned_ns == INT64_MIN)
		return true;
	const int64_t since_ns = now_ns - tree->scanned_ns;
	if (since_ns >= (tree->patience_ns ? tree->patience_ns : PATIENCE_NS))
		return look_budget_grants(tree->budget, LOOK_OVERDUE, now_ns);
	return !tree->still && (*forks == 0 || *forks != tree->scanned_forks) && since_ns >= LOOK_SHARE * tree->look_ns &&
	       look_budget_grants(tree->budget, LOOK_FORKS, now_ns);
}

/*
 * Adds those that are known and not listed. An attached process stays a member, whoever its parent is now. And a list of children that
 * changes while it is read may lack one that has been there all the time: one that is stopped must not be forgotten.
 */
static int add_known(struct tree *tree)
{
	for (size_t i = 0; i < tree->outsiders; i++) {
		const struct tree_outsider *const known = &tree->outsider[i];
		/* What is known of one that can't be read now. */
		struct linux_process now = {
			.pid = known->process.pid, .parent = known->parent, .start_ticks = known->process.start_ticks};
		if (!tree->attached && descendants_has(&tree->scan, now.pid))
			continue;
		if (process_look(&known->process, &now) != 0 && errno == ESRCH)
			continue;
		if (!linux_process_has_ended(&now) && descendants_add(&tree->scan, &now, 0) != 0)
			return -1;
	}
	return 0;
}

static int add_member(pid_t pid, void *context)
{
	struct tree *const tree = context;
	struct linux_process now;
	if (linux_process_read(pid, &now) == 0)
		return descendants_add(&tree->scan, &now, 0);
	tree->changed = true;
	return 0;
}

/* Who was started first comes first, and so parents do; numbers tell within a tick. */
static int compare_age(const void *a, const void *b)
{
	const struct linux_process *const left = &((const struct descendant *)a)->process;
	const struct linux_process *const right = &((const struct descendant *)b)->process;
	if (left->start_ticks != right->start_ticks)
		return left->start_ticks < right->start_ticks ? -1 : 1;
	return (left->pid > right->pid) - (left->pid < right->pid);
}

/* Of an attached control group. */
static int list_group(struct tree *tree)
{
	tree->changed = false;
	if (tree->group_of->each(tree->group_of->group, add_member, tree) != 0)
		return -1;
	if (tree->scan.count)
		qsort(tree->scan.item, tree->scan.count, sizeof *tree->scan.item, compare_age);
	return 0;
}

/* The members of the tree as they are now. */
static int list_members(struct tree *tree)
{
	tree->scan.count = 0;
	if (tree->group_of)
		return list_group(tree);
	if (tree->attached) {
		const int result = add_known(tree) == 0 ? descendants_expand(&tree->scan) : -1;
		tree->changed = tree->scan.vanished > 0;
		return result;
	}
	if (descendants_list(getpid(), &tree->scan) != 0)
		return -1;
	const size_t listed = tree->scan.count;
	/* Orphans of a containment come to its init. */
	const int result = descendants_add_orphans(tree->init ? tree->init : getpid(), &tree->scan);
	tree->changed = tree->scan.vanished > 0 || tree->scan.count > listed;
	return result == 0 ? add_known(tree) : -1;
}

/* Where an outsider stands in the old list, or -1; it is likely to stand right after the one before. */
static ssize_t find_outsider(const struct tree *tree, const struct linux_process *process, size_t from)
{
	for (size_t i = 0; i < tree->outsiders; i++) {
		const size_t at = (from + i) % tree->outsiders;
		const struct process *known = &tree->outsider[at].process;
		if (known->pid == process->pid && known->start_ticks == process->start_ticks)
			return (ssize_t)at;
	}
	return -1;
}

/* Opens those that are new, as far as there are descriptors, and enters them into the table; the next scan tries again. */
static void open_outsiders(struct tree *tree, struct tree_outsider *outsider, size_t *count)
{
	struct rlimit files = {.rlim_cur = RLIM_INFINITY};
	if (!*count)
		return;
	getrlimit(RLIMIT_NOFILE, &files);
	bool *const taken = tree->attached ? calloc(*count + 1, sizeof *taken) : NULL;
	size_t kept = 0;
	uint32_t place = 0;
	for (size_t i = 0; taken && i < *count; i++)
		if (outsider[i].entered && outsider[i].place < *count)
			taken[outsider[i].place] = true;
	for (size_t i = 0; i < *count; i++) {
		struct tree_outsider next = outsider[i];
		if (tree->attached && !next.entered) {
			while (taken && taken[place])
				place++;
			next.place = place;
			if (!taken || attached_enter(tree->table, place, &next.process) != 0)
				continue;
			next.entered = true;
		}
		if (next.process.fd < 0) {
			if (process_hold(&next.process) != 0 && errno == ESRCH) {
				tree->changed = true;
				continue;
			}
			if (next.process.fd >= 0 && (rlim_t)next.process.fd + SPARE_FILES >= files.rlim_cur)
				process_release(&next.process);
		}
		if (next.entered && taken && next.place < *count)
			taken[next.place] = true;
		outsider[kept++] = next;
	}
	free(taken);
	*count = kept;
}

static bool is_outsider(const struct tree *tree, const struct linux_process *process)
{
	return !linux_process_has_ended(process) && process->pid != tree->init &&
	       !(tree->whole_group && process->group == tree->group);
}

/* What has left an attached group isn't ours to hold any more. */
static void continue_leavers(const struct tree *tree)
{
	for (size_t i = 0; tree->group_of && tree->stopped && i < tree->outsiders; i++)
		if (tree->outsider[i].process.pid)
			process_signal(&tree->outsider[i].process, SIGCONT);
}

/* Whether there was memory for it. */
static bool take_in(struct tree *tree, int64_t now_ns, uint64_t forks)
{
	if (list_members(tree) != 0)
		return false;
	struct tree_outsider *outsider = calloc(tree->scan.count + 1, sizeof *outsider);
	if (!outsider)
		return false;
	size_t count = 0;
	size_t from = 0;
	uint64_t ticks = 0;
	tree->scanned_ns = now_ns;
	tree->scanned_forks = forks;
	tree->denied = 0;
	for (size_t i = 0; i < tree->scan.count; i++) {
		const struct linux_process *process = &tree->scan.item[i].process;
		/* A signal to the group says nothing as long as some process of it may be signalled. */
		if (kill(process->pid, 0) != 0 && errno == EPERM)
			tree->denied = process->pid;
		ticks += process->user_ticks + process->system_ticks + process->children_user_ticks +
			 process->children_system_ticks;
		if (!is_outsider(tree, process))
			continue;
		struct tree_outsider *next = &outsider[count++];
		*next = (struct tree_outsider){.process = process_of(process), .parent = process->parent, .fresh = true};
		/* A descriptor that is there stays: it may be wanted to continue the process when there are no others to be had. */
		const ssize_t known = find_outsider(tree, process, from);
		if (known < 0)
			continue;
		from = (size_t)known + 1;
		*next = tree->outsider[known];
		next->parent = process->parent;
		next->fresh = false;
		tree->outsider[known] = (struct tree_outsider){.process = PROCESS_NONE};
	}
	if (ticks > tree->cpu_ticks)
		tree->cpu_ticks = ticks;
	continue_leavers(tree);
	forget_outsiders(tree);
	open_outsiders(tree, outsider, &count);
	tree->outsider = outsider;
	tree->outsiders = count;
	return true;
}

/* Whether a thread that has been sent SIGSTOP has taken it, or is gone, or will take it at the end of an uninterruptible wait. */
static bool has_stopped(char state)
{
	return strchr("TtDZX", state) != NULL;
}

static int stops_at_one_that_runs(pid_t thread, void *context)
{
	struct linux_process now;
	(void)context;
	return linux_process_read(thread, &now) == 0 && !has_stopped(now.state);
}

/* The first thread speaks for the others only when there are none: it may have ended before them, or have stopped first. */
static bool stands_still(pid_t pid)
{
	struct linux_process now;
	if (linux_process_read(pid, &now) != 0)
		return true;
	return has_stopped(now.state) && (now.threads <= 1 || linux_process_each_thread(pid, stops_at_one_that_runs, NULL) <= 0);
}

/* Whether it does at last. */
static bool await_standstill(pid_t pid, int64_t deadline_ns)
{
	while (!stands_still(pid)) {
		if (clock_now() >= deadline_ns)
			return false;
		clock_sleep_until(clock_now() + STANDSTILL_LOOK_NS);
	}
	return true;
}

/*
 * A process that was in the middle of fork(2) when it was sent SIGSTOP still brings its child out, which doesn't stop. (In the group it
 * does.) So a look comes when those outside stand still, which is waited for until the deadline. One in an uninterruptible wait isn't forking.
 * True when all do.
 */
static bool await_outsiders(const struct tree *tree, int64_t deadline_ns)
{
	bool all = true;
	for (size_t i = 0; i < tree->outsiders; i++) {
		const struct tree_outsider *const outsider = &tree->outsider[i];
		if (clock_now() >= deadline_ns)
			return false;
		all = !outsider->denied && await_standstill(outsider->process.pid, deadline_ns) && all;
	}
	return all;
}

/* As for the last look. Who may come into an attached tree, or be started by one that can't be stopped, is not known by that. */
static bool is_closed(const struct tree *tree)
{
	if (tree->attached || tree->changed || tree->denied)
		return false;
	for (size_t i = 0; i < tree->outsiders; i++)
		if (tree->outsider[i].fresh)
			return false;
	return true;
}

/* One look, paid for; in a stop when all stand still, or at that moment. */
static void scan(struct tree *tree, int64_t now_ns, uint64_t forks, int64_t standstill_ns)
{
	const int64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	tree->changed = false;
	const bool stood_still = await_outsiders(tree, standstill_ns);
	const bool looked = take_in(tree, now_ns, forks);
	tree->still = standstill_ns && stood_still && looked && is_closed(tree);
	tree->looks++;
	/* What was forked just before may not have been in sight yet: the next stop looks again. */
	if (!standstill_ns)
		tree->scanned_forks = 0;
	tree->look_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	look_budget_pay(tree->budget, tree->look_ns, now_ns);
}

int tree_attach(struct tree *tree, const struct attached *attached, int64_t now_ns)
{
	*tree = (struct tree){.attached = true,
		.group_of = attached->group ? attached : NULL,
		.table = attached->table,
		.scanned_ns = INT64_MIN,
		.loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC)};
	tree->outsider = calloc(1, sizeof *tree->outsider);
	const int fd = fcntl(attached->process.fd, F_DUPFD_CLOEXEC, 0);
	if (!tree->outsider || fd < 0 || attached_enter(tree->table, 0, &attached->process) != 0) {
		const int saved = errno;
		if (fd >= 0)
			close(fd);
		tree_free(tree);
		errno = saved;
		return -1;
	}
	tree->outsider[tree->outsiders] = (struct tree_outsider){.process = attached->process};
	tree->outsider[tree->outsiders++].process.fd = fd;
	scan(tree, now_ns, linux_process_newest(tree->loadavg), 0);
	return 0;
}

bool tree_lives(struct tree *tree, int64_t now_ns)
{
	size_t living = 0;
	scan(tree, now_ns, linux_process_newest(tree->loadavg), 0);
	/* The dead go, also when there was no memory for a look. */
	for (size_t i = 0; i < tree->outsiders; i++) {
		if (process_has_ended(&tree->outsider[i].process))
			process_release(&tree->outsider[i].process);
		else
			tree->outsider[living++] = tree->outsider[i];
	}
	tree->outsiders = living;
	return living > 0;
}

static void signal_group(struct tree *tree, int signal)
{
	if (!tree->whole_group)
		return;
	if (kill(-tree->group, signal) != 0 && errno == EPERM)
		tree->denied = tree->group;
	/* Afterwards: nobody who waits for a child is to see it stopped before it is sent the signal as well. */
	if (signal == SIGSTOP)
		busy_threads_stop_group(&tree->busy, tree->group);
}

/*
 * Whether the parent of the outsider at this place is being stopped as well. We are the parent of orphans; those of an attached tree may
 * have one that has nothing to do with it, or that comes later; and one may belong to somebody else.
 */
static bool parent_stops_too(const struct tree *tree, size_t at)
{
	const pid_t parent = tree->outsider[at].parent;
	if (parent == getpid() || parent == tree->init || kill(parent, 0) != 0)
		return false;
	for (size_t i = 0; tree->attached && i < at; i++)
		if (tree->outsider[i].process.pid == parent)
			return true;
	return !tree->attached;
}

/* All, or only those that the last look found for the first time. Returns how many. */
static size_t stop_outsiders(const struct tree *tree, bool fresh)
{
	size_t count = 0;
	if (!tree->outsiders)
		return 0;
	const int64_t deadline = clock_now() + STANDSTILL_LIMIT_NS;
	pid_t awaited = 0;
	for (size_t i = 0; i < tree->outsiders; i++) {
		struct tree_outsider *const outsider = &tree->outsider[i];
		if (fresh && !outsider->fresh)
			continue;
		count++;
		if (outsider->parent != awaited) {
			awaited = outsider->parent;
			if (parent_stops_too(tree, i))
				await_standstill(awaited, deadline);
		}
		const bool sent = process_signal(&outsider->process, SIGSTOP) == 0;
		outsider->denied = !sent && errno == EPERM;
		if (sent)
			busy_threads_stop(&tree->busy, outsider->process.pid);
	}
	return count;
}

void tree_stop(struct tree *tree, int64_t now_ns)
{
	uint64_t forks;
	tree->stopped = true;
	signal_group(tree, SIGSTOP);
	stop_outsiders(tree, false);
	if (!look_is_due(tree, now_ns, &forks))
		return;
	const int64_t limit = clock_now() + REPEAT_LIMIT_NS;
	for (;;) {
		scan(tree, now_ns, forks, limit);
		const bool found = stop_outsiders(tree, true) > 0;
		if ((!found && !tree->changed) || clock_now() >= limit || !look_budget_grants(tree->budget, LOOK_AGAIN, now_ns))
			return;
		forks = linux_process_newest(tree->loadavg);
	}
}

void tree_find_busy(struct tree *tree, int64_t now_ns)
{
	busy_threads_look(&tree->busy, &tree->scan, now_ns);
}

void tree_continue(struct tree *tree)
{
	tree->stopped = tree->still = false;
	for (size_t i = tree->outsiders; i-- > 0;)
		process_signal(&tree->outsider[i].process, SIGCONT);
	signal_group(tree, SIGCONT);
}

void tree_signal(struct tree *tree, int signal, int64_t now_ns)
{
	scan(tree, now_ns, linux_process_newest(tree->loadavg), 0);
	if (signal == SIGCONT) {
		tree_continue(tree);
		return;
	}
	signal_group(tree, signal);
	for (size_t i = 0; i < tree->outsiders; i++)
		process_signal(&tree->outsider[i].process, signal);
}

void tree_leader_ends(struct tree *tree, int64_t now_ns)
{
	tree->whole_group = false;
	scan(tree, now_ns, linux_process_newest(tree->loadavg), 0);
}
