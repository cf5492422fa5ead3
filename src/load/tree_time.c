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
 *
 * Who is of the tree is decided when a process is first seen, and stays so. All others are remembered as strangers, so that only
 * the new ones need reading, and nothing at all while nobody forks.
 *
 * Or the kernel's lists of children are followed from the known ones down. Then the cost grows with the tree and not with the machine,
 * and as long as nobody forks and nobody dies no second counter can have changed: the clocks are all that is read.
 */
#include "load/tree_time.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "load/stat.h"
#include "processes/process.h"
#include "self/source.h"

/* After so many forks the number of a stranger may be that of another process (the least that kernel.pid_max allows is 301). */
#define FORKS_FOR_REUSE 250

enum tree_file { TREE_STAT, TREE_CHILDREN, TREE_FILES };
enum tree_kind { NEW, STRANGER, MEMBER };

struct tree_process {
	pid_t pid, parent, group, session;
	uint64_t start_ticks;
	enum tree_kind kind;
	bool is_dead, is_zombie, is_listed;
	/* Seconds: integers of nanoseconds would end at 292 processor-years. */
	double own, children;         /* as counted */
	double own_now, children_now; /* as read */
	double waited;                /* growth of the second counter that has paid no debt */
	double debt, fresh_debt;      /* of earlier readings, of this one */
	uint64_t threads;
	bool is_old;          /* there at an earlier look */
	int kept[TREE_FILES]; /* files that stay open: one more than the descriptor; 0: not open */
};

struct linux_tree_time {
	const char *root;
	bool has_clocks;
	bool by_children; /* looks follow the lists of children */
	bool is_hidden;   /* as of the last look, see the reading */
	double hz;
	struct tree_process *process; /* by pid, each once */
	size_t count, room;
	uint64_t forks; /* at the last look at all processes; 0: look again */
	uint64_t forks_at_reread;
	double used;
	unsigned kept, may_keep; /* files */
	bool is_begun;           /* the first reading has set the counters */
};

/* ---- Who is of the tree ------------------------------------------------------------------------------------------------ */

static int by_pid(const void *a, const void *b)
{
	const struct tree_process *x = a, *y = b;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Looks among the first `count`. */
static struct tree_process *find(const struct linux_tree_time *tree, pid_t pid, size_t count)
{
	const struct tree_process key = {.pid = pid};
	return count ? bsearch(&key, tree->process, count, sizeof key, by_pid) : NULL;
}

static struct tree_process *append(struct linux_tree_time *tree)
{
	if (tree->count == tree->room) {
		const size_t room = tree->room ? 2 * tree->room : 64;
		struct tree_process *const larger = realloc(tree->process, room * sizeof *larger);
		if (!larger)
			return NULL;
		tree->process = larger;
		tree->room = room;
	}
	return &tree->process[tree->count++];
}

/* Opening costs more than reading; the files of those that were there before stay open, as long as they are few. */
static int open_file(struct linux_tree_time *tree, struct tree_process *process, enum tree_file file, const char *path)
{
	if (process->kept[file])
		return process->kept[file] - 1;
	const int fd = linux_source_open(tree->root, path);
	if (fd >= 0 && process->is_old && tree->has_clocks && tree->kept < tree->may_keep) {
		process->kept[file] = fd + 1;
		tree->kept++;
	}
	return fd;
}

static void let_go(struct linux_tree_time *tree, struct tree_process *process)
{
	for (int file = 0; file < TREE_FILES; file++) {
		if (!process->kept[file])
			continue;
		close(process->kept[file] - 1);
		process->kept[file] = 0;
		tree->kept--;
	}
}

/* By its clock, which /proc can't hide. */
static bool has_clock(const struct linux_tree_time *tree, pid_t pid)
{
	int64_t ignored;
	return tree->has_clocks && linux_process_clock(pid, &ignored);
}

static void take(const struct linux_tree_time *tree, struct tree_process *process, const struct linux_process *stat)
{
	process->parent = stat->parent;
	process->group = stat->group;
	process->session = stat->session;
	process->start_ticks = stat->start_ticks;
	process->threads = stat->threads;
	process->is_zombie = stat->state == 'Z' || stat->state == 'X';
	process->own_now = ((double)stat->user_ticks + (double)stat->system_ticks) / tree->hz;
	process->children_now = ((double)stat->children_user_ticks + (double)stat->children_system_ticks) / tree->hz;
}

/* ---- By a list of all processes ------------------------------------------------------------------------------------ */

struct listing {
	struct linux_tree_time *tree;
	size_t known; /* so many are sorted */
	bool reread;  /* strangers too, whose numbers may be those of others by now */
};

static struct tree_process *append_new(struct linux_tree_time *tree, const struct linux_process *stat, enum tree_kind kind)
{
	struct tree_process *const process = append(tree);
	if (process) {
		*process = (struct tree_process){.pid = stat->pid, .kind = kind, .is_listed = true};
		take(tree, process, stat);
	}
	return process;
}

/* Marks one that is known, and appends one that is not. */
static int list_process(pid_t pid, void *context)
{
	const struct listing *const listing = context;
	struct linux_tree_time *const tree = listing->tree;
	struct tree_process *const process = find(tree, pid, listing->known);
	struct linux_process stat;
	if (process)
		process->is_listed = true;
	if (process && (process->kind != STRANGER || !listing->reread))
		return 0;
	if (linux_process_read_below(tree->root, pid, &stat) != 0)
		return 0; /* it has ended meanwhile */
	if (!process)
		return append_new(tree, &stat, NEW) ? 0 : -1;
	if (stat.start_ticks != process->start_ticks) {
		*process = (struct tree_process){.pid = pid, .kind = NEW, .is_listed = true};
		take(tree, process, &stat);
	}
	return 0;
}

static void sort(struct linux_tree_time *tree)
{
	if (tree->process)
		qsort(tree->process, tree->count, sizeof *tree->process, by_pid);
}

static bool is_member(const struct linux_tree_time *tree, pid_t pid)
{
	const struct tree_process *const process = find(tree, pid, tree->count);
	return process && process->kind == MEMBER;
}

/*
 * Whether a new process is of the tree: its parent is. Or it lost its parent before it was seen, but is in a session that a member
 * leads, or in a group that a member leads while its present parent is of another session (who is of the same one may be the
 * shell that made the group of a pipeline).
 */
static bool belongs(const struct linux_tree_time *tree, const struct tree_process *process)
{
	if (is_member(tree, process->parent) || is_member(tree, process->session))
		return true;
	const struct tree_process *const parent = find(tree, process->parent, tree->count);
	return is_member(tree, process->group) && parent && parent->session != process->session;
}

/* New processes become members or strangers. Strangers that are gone are forgotten. */
static void sort_out(struct linux_tree_time *tree)
{
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < tree->count; i++) {
			struct tree_process *const process = &tree->process[i];
			if (process->kind == NEW && belongs(tree, process)) {
				process->kind = MEMBER;
				again = true;
			}
		}
	}
	size_t kept = 0;
	for (size_t i = 0; i < tree->count; i++) {
		struct tree_process *const process = &tree->process[i];
		if (process->kind == NEW)
			process->kind = STRANGER;
		if (process->kind == MEMBER || process->is_listed)
			tree->process[kept++] = *process;
	}
	tree->count = kept;
}

static int look_around(struct linux_tree_time *tree, uint64_t forks)
{
	const bool reread = forks == 0 || forks - tree->forks_at_reread >= FORKS_FOR_REUSE;
	for (size_t i = 0; i < tree->count; i++)
		tree->process[i].is_listed = false;
	const int result = linux_process_each(tree->root, list_process, &(struct listing){tree, tree->count, reread});
	sort(tree);
	if (result != 0)
		return -1;
	sort_out(tree);
	tree->forks = forks;
	if (reread)
		tree->forks_at_reread = forks;
	return 0;
}

/* ---- By lists of children ------------------------------------------------------------------------------------------ */

/* Of a member, whose file may be open. */
static int read_again(struct linux_tree_time *tree, struct tree_process *process, struct linux_process *stat)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)process->pid);
	const int fd = tree->by_children ? open_file(tree, process, TREE_STAT, path) : -1;
	const int result = fd < 0 ? -1 : linux_process_read_from(fd, stat);
	if (fd >= 0 && !process->kept[TREE_STAT])
		close(fd);
	if (result == 0)
		return 0;
	/* It has ended; its number may be that of another one. */
	let_go(tree, process);
	return linux_process_read_below(tree->root, process->pid, stat);
}

/* Brings a member up to date. Where /proc hides it, it may have children that nobody sees. */
static void read_member(struct linux_tree_time *tree, struct tree_process *process)
{
	struct linux_process stat;
	if (read_again(tree, process, &stat) != 0) {
		process->is_dead = !has_clock(tree, process->pid);
		tree->is_hidden = tree->is_hidden || !process->is_dead;
	} else if (stat.start_ticks != process->start_ticks) {
		process->is_dead = true;
		tree->forks = 0; /* the number has a new owner, who may be of the tree */
	} else {
		take(tree, process, &stat);
	}
}

/* Appends a child unless it is known. */
static int add_child(pid_t pid, void *context)
{
	const struct listing *const listing = context;
	struct linux_tree_time *const tree = listing->tree;
	struct linux_process stat;
	if (find(tree, pid, listing->known))
		return 0;
	for (size_t i = listing->known; i < tree->count; i++)
		if (tree->process[i].pid == pid)
			return 0;
	if (linux_process_read_below(tree->root, pid, &stat) != 0) {
		tree->is_hidden = tree->is_hidden || has_clock(tree, pid);
		return 0;
	}
	return append_new(tree, &stat, MEMBER) ? 0 : -1;
}

/* Appends the children of one that lives, of which the file may be open where it has one thread. Fails for want of memory alone. */
static int add_children(struct listing *listing, struct tree_process *process)
{
	struct linux_tree_time *const tree = listing->tree;
	char path[64];
	if (process->threads != 1) {
		const int listed = linux_process_each_child(tree->root, process->pid, 0, false, add_child, listing);
		return listed != 0 && errno == ENOMEM ? -1 : 0;
	}
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process->pid, (int)process->pid);
	const int fd = open_file(tree, process, TREE_CHILDREN, path);
	if (fd < 0)
		return 0;
	const bool stays_open = process->kept[TREE_CHILDREN];
	const int result = linux_process_each_in(fd, false, add_child, listing);
	if (!stays_open)
		close(fd);
	return result;
}

static int walk(struct linux_tree_time *tree, uint64_t forks)
{
	struct listing listing = {.tree = tree, .known = tree->count};
	int result = 0;
	tree->is_hidden = false;
	tree->forks = forks;
	for (size_t i = 0; result == 0 && i < tree->count; i++) {
		struct tree_process *const process = &tree->process[i];
		if (i < listing.known) {
			read_member(tree, process);
			process->is_old = true;
		}
		if (!process->is_dead && !(process->is_zombie && process->threads <= 1))
			result = add_children(&listing, process);
	}
	sort(tree);
	return result;
}

static bool has_lists(const char *root, pid_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	const int fd = linux_source_open(root, path);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* ---- What it has used --------------------------------------------------------------------------------------------------- */

/* False when somebody has died. */
static bool read_clocks(struct linux_tree_time *tree, int64_t *when_ns)
{
	bool all = true;
	*when_ns = clock_now();
	for (size_t i = 0; tree->has_clocks && i < tree->count; i++) {
		struct tree_process *const process = &tree->process[i];
		if (process->kind != MEMBER || process->is_dead)
			continue;
		int64_t own_ns = 0;
		process->is_dead = !linux_process_clock(process->pid, &own_ns);
		process->own_now = process->is_dead ? process->own_now : (double)own_ns / 1e9;
		all = all && !process->is_dead;
	}
	return all;
}

static int read_all(struct linux_tree_time *tree, uint64_t forks, int64_t *when_ns)
{
	const bool look = (!tree->is_begun || forks == 0 || forks != tree->forks);
	if (tree->by_children && !look && tree->has_clocks && read_clocks(tree, when_ns))
		return 0;
	if (look && (tree->by_children ? walk(tree, forks) : look_around(tree, forks)) != 0)
		return -1;
	for (size_t i = 0; (!look || !tree->by_children) && i < tree->count; i++)
		if (tree->process[i].kind == MEMBER && !tree->process[i].is_dead)
			read_member(tree, &tree->process[i]);
	read_clocks(tree, when_ns);
	return 0;
}

static struct tree_process *living_ancestor(const struct linux_tree_time *tree, const struct tree_process *process)
{
	/* As many steps as there are processes: in a text made up, parents may form a circle. */
	for (size_t steps = 0; steps < tree->count; steps++) {
		struct tree_process *const parent = find(tree, process->parent, tree->count);
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
			let_go(tree, process);
			continue;
		}
		if (process->kind == MEMBER) {
			tree->used += growth(tree, process);
			/* Its main thread may have ended before the others. */
			reading->alive += !(process->is_zombie && process->threads <= 1);
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
	tree->by_children = by_children && has_lists(root, pid);
	struct linux_tree_time_reading reading;
	struct linux_process first;
	if (linux_process_read_below(root, pid, &first) == 0 && append_new(tree, &first, MEMBER) &&
		linux_tree_time_read(tree, 0, &reading) == 0) {
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
		let_go(tree, &tree->process[i]);
	free(tree->process);
	free(tree);
}
