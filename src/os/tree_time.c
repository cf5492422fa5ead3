/* SPDX-License-Identifier: MIT */
/*
 * Every process has two counters: its own time, and the time of the children that it has waited for (whole subtrees of the dead). When a
 * process dies and its parent waits for it, its time moves from the first counter of the one to the second of the other. So
 * the growth of the tree's time is
 *
 *	the growth of both counters of the living − what was already counted of those who died meanwhile.
 *
 * That difference is taken parent by parent: what the dead had counted becomes a debt of the nearest living ancestor, and growth of its
 * second counter pays the debt before it counts. Debts that stay are forgiven after the next reading, because then the parent did
 * not wait (it ignores SIGCHLD) and will never be paid. What the dead used after the last reading is lost in that case, and
 * when the parent is not of the tree. What the rounding of the counters can make (two ticks) is kept.
 *
 * Who lost its parent was waited for by an ancestor further up: what the nearest one can't pay, those above it pay.
 *
 * The order of reading matters: second counters first, own time after. Then a process that dies in between is in neither (its
 * debt waits for the next reading); the other way round it could be in both.
 *
 * Own time comes from the process's CPU-time clock, in nanoseconds; /proc has only ticks. Under another root it comes from /proc.
 */
#include "os/tree_time.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "os/stat.h"
#include "os/tree_members.h"

/* False when somebody has died. */
static bool read_clocks(struct linux_tree_time *tree, int64_t *when_ns)
{
	bool all = true;
	*when_ns = clock_now();
	for (size_t i = 0; tree->has_clocks && i < tree->count; i++) {
		struct tree_process *const process = &tree->process[i];
		if (process->kind != MEMBER || process->is_dead)
			continue;
		process->is_dead = !tree_members_clock(tree, process->pid, &process->own_now);
		all = all && !process->is_dead;
	}
	return all;
}

static int read_all(struct linux_tree_time *tree, uint64_t forks, int64_t *when_ns)
{
	const bool look = tree_members_may_be_new(tree, forks);
	if (tree->by_children && !look && tree->has_clocks && read_clocks(tree, when_ns))
		return 0;
	if (look && tree_members_look(tree, forks) != 0)
		return -1;
	if (!look || !tree->by_children)
		tree_members_read(tree);
	read_clocks(tree, when_ns);
	return 0;
}

static struct tree_process *living_ancestor(const struct linux_tree_time *tree, const struct tree_process *process)
{
	/* As many steps as there are processes: in a text made up, parents may form a circle. */
	for (size_t steps = 0; steps < tree->count; steps++) {
		struct tree_process *const parent = tree_members_find(tree, process->parent);
		if (!parent || parent->kind != MEMBER)
			return NULL;
		if (!parent->is_dead)
			return parent;
		process = parent;
	}
	return NULL;
}

/* The dead are paid for by whoever waited for them. */
static void bury(struct linux_tree_time *tree, const struct tree_process *dead)
{
	double left = dead->own + dead->children + dead->debt + dead->fresh_debt;
	struct tree_process *const nearest = living_ancestor(tree, dead);
	struct tree_process *heir = nearest;
	/* Not for ever, where the living form a circle. */
	for (size_t steps = 0; heir && left > 0 && steps < tree->count; steps++, heir = living_ancestor(tree, heir)) {
		const double paid = fmin(heir->waited, left);
		heir->waited -= paid;
		left -= paid;
	}
	if (nearest)
		nearest->fresh_debt += left;
}

/* What a living process's second counter has grown by pays its old debts first. */
static void pay_debts(struct tree_process *process)
{
	process->waited = fmax(process->children_now - process->children, 0);
	const double paid = fmin(process->waited, process->debt);
	process->waited -= paid;
	process->debt -= paid;
	process->children += fmax(process->children_now - process->children, 0);
}

/* The growth of a living process's counters since they were last counted. */
static double growth(const struct linux_tree_time *tree, struct tree_process *process)
{
	const double own = fmax(process->own_now - process->own, 0);
	const double rounding = 2 / tree->hz;
	process->debt = fmin(process->debt, rounding) + process->fresh_debt;
	process->fresh_debt = 0;
	process->own += own;
	return own + process->waited;
}

static void count_members(struct linux_tree_time *tree, struct linux_tree_time_reading *reading)
{
	for (size_t i = 0; i < tree->count; i++) {
		struct tree_process *const process = &tree->process[i];
		if (process->kind == MEMBER && !tree->is_begun) {
			process->own = process->own_now;
			process->children = process->children_now;
		}
		if (process->kind == MEMBER && !process->is_dead)
			pay_debts(process);
	}
	for (size_t i = 0; i < tree->count; i++)
		if (tree->process[i].is_dead)
			bury(tree, &tree->process[i]);
	size_t kept = 0;
	reading->alive = reading->known = 0;
	for (size_t i = 0; i < tree->count; i++) {
		struct tree_process *const process = &tree->process[i];
		if (process->is_dead) {
			tree_members_let_go(tree, process);
			continue;
		}
		if (process->kind == MEMBER) {
			tree->used += growth(tree, process);
			reading->alive += !process->is_zombie;
			reading->known++;
		}
		tree->process[kept++] = *process;
	}
	tree->count = kept;
}

int linux_tree_time_read(struct linux_tree_time *tree, uint64_t forks, struct linux_tree_time_reading *reading)
{
	if (read_all(tree, forks, &reading->when_ns) != 0)
		return -1;
	count_members(tree, reading);
	tree->is_begun = true;
	reading->used = tree->used;
	reading->is_hidden = tree->is_hidden;
	return 0;
}

static struct linux_tree_time *open_tree(const char *root, pid_t pid, bool by_children, unsigned files)
{
	struct linux_tree_time *const tree = calloc(1, sizeof *tree);
	if (!tree)
		return NULL;
	tree->root = root;
	tree->has_clocks = root[0] == '\0';
	tree->hz = linux_stat_hz();
	tree->may_keep = files;
	tree->by_children = by_children && tree_members_have_lists(root, pid);
	struct linux_tree_time_reading reading;
	if (tree_members_begin(tree, pid) == 0 && linux_tree_time_read(tree, 0, &reading) == 0) {
		if (reading.alive > 0)
			return tree;
		errno = ESRCH; /* a zombie */
	}
	const int saved = errno;
	linux_tree_time_close(tree);
	errno = saved;
	return NULL;
}

struct linux_tree_time *linux_tree_time_open(const char *root, pid_t pid)
{
	return open_tree(root, pid, false, 0);
}

struct linux_tree_time *linux_tree_time_open_below(const char *root, pid_t pid, unsigned files)
{
	return open_tree(root, pid, true, files);
}

void linux_tree_time_close(struct linux_tree_time *tree)
{
	if (!tree)
		return;
	for (size_t i = 0; i < tree->count; i++)
		tree_members_let_go(tree, &tree->process[i]);
	free(tree->process);
	free(tree);
}
