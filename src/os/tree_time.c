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
 * The order of reading matters: second counters first, own time after. Then a process that dies in between is in neither (its
 * debt waits for the next reading); the other way round it could be in both.
 *
 * Own time comes from the process's CPU-time clock, in nanoseconds; /proc has only ticks. Under another root it comes from /proc.
 *
 * Who is of the tree is decided when a process is first seen, and stays so. All others are remembered as strangers, so that only
 * the new ones need reading, and nothing at all while nobody forks.
 */
#include "os/tree_time.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/process.h"
#include "os/source.h"
#include "os/stat.h"

/* After so many forks the number of a stranger may be that of another process (the least that kernel.pid_max allows is 301). */
#define FORKS_FOR_REUSE 250

/* The processor-time clock of a process, as clock_getcpuclockid gives it after a system call to check it. */
#define PROCESS_CLOCK(pid) ((clockid_t)((~(unsigned)(pid) << 3) | 2))

enum kind { NEW, STRANGER, MEMBER };

struct process {
	pid_t pid, parent, group, session;
	uint64_t start_ticks;
	enum kind kind;
	bool is_dead, is_zombie, is_listed;
	/* Seconds: integers of nanoseconds would end at 292 processor-years. */
	double own, children;         /* as counted */
	double own_now, children_now; /* as read */
	double debt, fresh_debt;      /* of earlier readings, of this one */
};

struct linux_tree_time {
	const char *root;
	bool has_clocks;
	double hz;
	struct process *process; /* by pid, each once */
	size_t count, room;
	uint64_t forks; /* at the last look at all processes; 0: look again */
	uint64_t forks_at_reread;
	double used;
	bool is_begun; /* the first reading has set the counters */
};

static int by_pid(const void *a, const void *b)
{
	const struct process *x = a, *y = b;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Looks among the first `count`. */
static struct process *find(const struct linux_tree_time *tree, pid_t pid, size_t count)
{
	const struct process key = {.pid = pid};
	return count ? bsearch(&key, tree->process, count, sizeof key, by_pid) : NULL;
}

static struct process *append(struct linux_tree_time *tree)
{
	if (tree->count == tree->room) {
		const size_t room = tree->room ? 2 * tree->room : 64;
		struct process *const larger = realloc(tree->process, room * sizeof *larger);
		if (!larger)
			return NULL;
		tree->process = larger;
		tree->room = room;
	}
	return &tree->process[tree->count++];
}

static int read_process(const struct linux_tree_time *tree, pid_t pid, struct linux_process *stat)
{
	char path[64], text[4096];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	const int fd = linux_source_open(tree->root, path);
	if (fd < 0)
		return -1;
	/* The kernel makes such a text at once; asking for more to find its end would double the cost. */
	const ssize_t length = pread(fd, text, sizeof text, 0);
	const int saved = errno;
	close(fd);
	errno = saved;
	return length < 0 ? -1 : linux_process_parse(text, (size_t)length, stat);
}

static void take(const struct linux_tree_time *tree, struct process *process, const struct linux_process *stat)
{
	process->parent = stat->parent;
	process->group = stat->group;
	process->session = stat->session;
	process->start_ticks = stat->start_ticks;
	process->is_zombie = stat->state == 'Z' || stat->state == 'X';
	process->own_now = ((double)stat->user_ticks + (double)stat->system_ticks) / tree->hz;
	process->children_now = ((double)stat->children_user_ticks + (double)stat->children_system_ticks) / tree->hz;
}

/* ---- Who is of the tree ----------------------------------------------------------------------------------------------- */

/* Marks those listed in /proc and appends those not yet known, read but not yet sorted in. */
static int list_processes(struct linux_tree_time *tree, bool reread)
{
	const size_t known = tree->count;
	const int fd = linux_source_open(tree->root, "/proc");
	DIR *const directory = fd < 0 ? NULL : fdopendir(fd);
	if (!directory) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	for (size_t i = 0; i < known; i++)
		tree->process[i].is_listed = false;
	int result = 0;
	for (const struct dirent *entry; (entry = readdir(directory)) != NULL;) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		const pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
		struct process *process = find(tree, pid, known);
		struct linux_process stat;
		if (process) {
			process->is_listed = true;
			if (process->kind == STRANGER && reread && read_process(tree, pid, &stat) == 0 &&
				stat.start_ticks != process->start_ticks) {
				*process = (struct process){.pid = pid, .kind = NEW, .is_listed = true};
				take(tree, process, &stat);
			}
			continue;
		}
		if (read_process(tree, pid, &stat) != 0)
			continue; /* it has ended meanwhile */
		process = append(tree);
		if (!process) {
			result = -1;
			break;
		}
		*process = (struct process){.pid = pid, .kind = NEW, .is_listed = true};
		take(tree, process, &stat);
	}
	const int saved = errno;
	closedir(directory);
	errno = saved;
	qsort(tree->process, tree->count, sizeof *tree->process, by_pid);
	return result;
}

static bool is_member(const struct linux_tree_time *tree, pid_t pid)
{
	const struct process *const process = find(tree, pid, tree->count);
	return process && process->kind == MEMBER;
}

/*
 * Whether a new process is of the tree: its parent is. Or it lost its parent before it was seen, but is in a session that a member
 * leads, or in a group that a member leads while its present parent is of another session (who is of the same one may be the
 * shell that made the group of a pipeline).
 */
static bool belongs(const struct linux_tree_time *tree, const struct process *process)
{
	if (is_member(tree, process->parent) || is_member(tree, process->session))
		return true;
	const struct process *const parent = find(tree, process->parent, tree->count);
	return is_member(tree, process->group) && parent && parent->session != process->session;
}

/* New processes become members or strangers. Strangers that are gone are forgotten. */
static void sort_out(struct linux_tree_time *tree)
{
	for (bool again = true; again;) {
		again = false;
		for (size_t i = 0; i < tree->count; i++) {
			struct process *const process = &tree->process[i];
			if (process->kind == NEW && belongs(tree, process)) {
				process->kind = MEMBER;
				again = true;
			}
		}
	}
	size_t kept = 0;
	for (size_t i = 0; i < tree->count; i++) {
		struct process *const process = &tree->process[i];
		if (process->kind == NEW)
			process->kind = STRANGER;
		if (process->kind == MEMBER || process->is_listed)
			tree->process[kept++] = *process;
	}
	tree->count = kept;
}

static int look_around(struct linux_tree_time *tree, uint64_t forks)
{
	if (tree->is_begun && forks > 0 && forks == tree->forks)
		return 0;
	const bool reread = forks == 0 || forks - tree->forks_at_reread >= FORKS_FOR_REUSE;
	if (list_processes(tree, reread) != 0)
		return -1;
	sort_out(tree);
	tree->forks = forks;
	if (reread)
		tree->forks_at_reread = forks;
	return 0;
}

/* ---- What they used --------------------------------------------------------------------------------------------------- */

static void read_members(struct linux_tree_time *tree, int64_t *when_ns)
{
	for (size_t i = 0; i < tree->count; i++) {
		struct process *const process = &tree->process[i];
		struct linux_process stat;
		if (process->kind != MEMBER)
			continue;
		if (read_process(tree, process->pid, &stat) != 0) {
			process->is_dead = true;
		} else if (stat.start_ticks != process->start_ticks) {
			process->is_dead = true;
			tree->forks = 0; /* the number has a new owner, who may be of the tree */
		} else {
			take(tree, process, &stat);
		}
	}
	*when_ns = clock_now();
	for (size_t i = 0; tree->has_clocks && i < tree->count; i++) {
		struct process *const process = &tree->process[i];
		struct timespec time;
		if (process->kind != MEMBER || process->is_dead)
			continue;
		if (clock_gettime(PROCESS_CLOCK(process->pid), &time) == 0)
			process->own_now = (double)time.tv_sec + (double)time.tv_nsec / 1e9;
		else
			process->is_dead = true;
	}
}

static struct process *living_ancestor(const struct linux_tree_time *tree, const struct process *process)
{
	/* As many steps as there are processes: in a text made up, parents may form a circle. */
	for (size_t steps = 0; steps < tree->count; steps++) {
		struct process *const parent = find(tree, process->parent, tree->count);
		if (!parent || parent->kind != MEMBER)
			return NULL;
		if (!parent->is_dead)
			return parent;
		process = parent;
	}
	return NULL;
}

/* The growth of a living process's counters since they were last counted. */
static double growth(const struct linux_tree_time *tree, struct process *process)
{
	const double own = fmax(process->own_now - process->own, 0),
		     children = fmax(process->children_now - process->children, 0);
	const double paid = fmin(children, process->debt), paid_fresh = fmin(children - paid, process->fresh_debt);
	const double rounding = 2 / tree->hz;
	process->debt = fmin(process->debt - paid, rounding) + process->fresh_debt - paid_fresh;
	process->fresh_debt = 0;
	process->own += own;
	process->children += children;
	return own + children - paid - paid_fresh;
}

static void count_members(struct linux_tree_time *tree, struct linux_tree_time_reading *reading)
{
	for (size_t i = 0; i < tree->count; i++) {
		struct process *const process = &tree->process[i];
		struct process *const ancestor = process->is_dead ? living_ancestor(tree, process) : NULL;
		if (ancestor)
			ancestor->fresh_debt += process->own + process->children + process->debt + process->fresh_debt;
	}
	size_t kept = 0;
	reading->alive = reading->known = 0;
	for (size_t i = 0; i < tree->count; i++) {
		struct process *const process = &tree->process[i];
		if (process->is_dead)
			continue;
		if (process->kind == MEMBER) {
			if (!tree->is_begun) {
				process->own = process->own_now;
				process->children = process->children_now;
			}
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
	if (look_around(tree, forks) != 0)
		return -1;
	read_members(tree, &reading->when_ns);
	count_members(tree, reading);
	tree->is_begun = true;
	reading->used = tree->used;
	return 0;
}

struct linux_tree_time *linux_tree_time_open(const char *root, pid_t pid)
{
	struct linux_tree_time *const tree = calloc(1, sizeof *tree);
	if (!tree)
		return NULL;
	tree->root = root;
	tree->has_clocks = root[0] == '\0';
	tree->hz = linux_stat_hz();
	struct linux_process stat;
	struct process *process = NULL;
	if (read_process(tree, pid, &stat) == 0)
		process = append(tree);
	struct linux_tree_time_reading reading;
	if (process) {
		*process = (struct process){.pid = pid, .kind = MEMBER};
		take(tree, process, &stat);
		if (linux_tree_time_read(tree, 0, &reading) == 0) {
			if (reading.alive > 0)
				return tree;
			errno = ESRCH; /* a zombie */
		}
	}
	const int saved = errno;
	linux_tree_time_close(tree);
	errno = saved;
	return NULL;
}

void linux_tree_time_close(struct linux_tree_time *tree)
{
	if (!tree)
		return;
	free(tree->process);
	free(tree);
}
