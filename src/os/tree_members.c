/* SPDX-License-Identifier: MIT */
/*
 * Who is of the tree is decided when a process is first seen, and stays so. All others are remembered as strangers, so that only
 * the new ones need reading, and nothing at all while nobody forks.
 *
 * Or the kernel's lists of children are followed from the known ones down. Then the cost grows with the tree and not with the machine,
 * and as long as nobody forks and nobody dies no second counter can have changed: the clocks are all that is read.
 */
#include "os/tree_members.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "os/source.h"

/* After so many forks the number of a stranger may be that of another process (the least that kernel.pid_max allows is 301). */
#define FORKS_FOR_REUSE 250

/* The processor-time clock of a process, as clock_getcpuclockid gives it after a system call to check it. */
#define PROCESS_CLOCK(pid) ((clockid_t)((~(unsigned)(pid) << 3) | 2))

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

void tree_members_let_go(struct linux_tree_time *tree, struct tree_process *process)
{
	for (int file = 0; file < TREE_FILES; file++) {
		if (!process->kept[file])
			continue;
		close(process->kept[file] - 1);
		process->kept[file] = 0;
		tree->kept--;
	}
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

bool tree_members_clock(const struct linux_tree_time *tree, pid_t pid, double *seconds)
{
	struct timespec time;
	if (!tree->has_clocks || clock_gettime(PROCESS_CLOCK(pid), &time) != 0)
		return false;
	*seconds = (double)time.tv_sec + (double)time.tv_nsec / 1e9;
	return true;
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
		struct tree_process *process = find(tree, pid, known);
		struct linux_process stat;
		if (process) {
			process->is_listed = true;
			if (process->kind == STRANGER && reread && read_process(tree, pid, &stat) == 0 &&
				stat.start_ticks != process->start_ticks) {
				*process = (struct tree_process){.pid = pid, .kind = NEW, .is_listed = true};
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
		*process = (struct tree_process){.pid = pid, .kind = NEW, .is_listed = true};
		take(tree, process, &stat);
	}
	const int saved = errno;
	closedir(directory);
	errno = saved;
	if (tree->process)
		qsort(tree->process, tree->count, sizeof *tree->process, by_pid);
	return result;
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
	if (list_processes(tree, reread) != 0)
		return -1;
	sort_out(tree);
	tree->forks = forks;
	if (reread)
		tree->forks_at_reread = forks;
	return 0;
}

/* ---- By lists of children ------------------------------------------------------------------------------------------ */

/* The same of a member, whose file may be open. */
static int read_again(struct linux_tree_time *tree, struct tree_process *process, struct linux_process *stat)
{
	char path[64], text[4096];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)process->pid);
	const int fd = tree->by_children ? open_file(tree, process, TREE_STAT, path) : -1;
	const ssize_t length = fd < 0 ? -1 : pread(fd, text, sizeof text, 0);
	if (fd >= 0 && !process->kept[TREE_STAT])
		close(fd);
	if (length >= 0)
		return linux_process_parse(text, (size_t)length, stat);
	/* It has ended; its number may be that of another one. */
	tree_members_let_go(tree, process);
	return read_process(tree, process->pid, stat);
}

/* Brings a member up to date. Where /proc hides it, it may have children that nobody sees. */
static void read_member(struct linux_tree_time *tree, struct tree_process *process)
{
	struct linux_process stat;
	double ignored;
	if (read_again(tree, process, &stat) != 0) {
		process->is_dead = !tree_members_clock(tree, process->pid, &ignored);
		tree->is_hidden = tree->is_hidden || !process->is_dead;
	} else if (stat.start_ticks != process->start_ticks) {
		process->is_dead = true;
		tree->forks = 0; /* the number has a new owner, who may be of the tree */
	} else {
		take(tree, process, &stat);
	}
}

/* Appends a child unless it is known; the first `known` are sorted. */
static int add_child(struct linux_tree_time *tree, size_t known, pid_t pid)
{
	struct linux_process stat;
	double ignored;
	if (find(tree, pid, known))
		return 0;
	for (size_t i = known; i < tree->count; i++)
		if (tree->process[i].pid == pid)
			return 0;
	if (read_process(tree, pid, &stat) != 0) {
		tree->is_hidden = tree->is_hidden || tree_members_clock(tree, pid, &ignored);
		return 0;
	}
	struct tree_process *const process = append(tree);
	if (!process)
		return -1;
	*process = (struct tree_process){.pid = pid, .kind = MEMBER};
	take(tree, process, &stat);
	return 0;
}

/* The children that a list names. */
static int add_listed(struct linux_tree_time *tree, size_t known, int fd)
{
	char text[4096];
	ssize_t length;
	off_t at = 0;
	pid_t child = 0;
	int result = 0;
	/* A blank follows each number; one may lie across two reads. */
	for (; result == 0 && (length = pread(fd, text, sizeof text, at)) > 0; at += length) {
		for (ssize_t i = 0; result == 0 && i < length; i++) {
			if (isdigit((unsigned char)text[i])) {
				child = child * 10 + (text[i] - '0');
			} else if (child) {
				result = add_child(tree, known, child);
				child = 0;
			}
		}
		if ((size_t)length < sizeof text / 2)
			break;
	}
	return result;
}

/* The children of one thread. */
static int add_children(struct linux_tree_time *tree, size_t known, pid_t pid, pid_t thread)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)thread);
	const int fd = linux_source_open(tree->root, path);
	if (fd < 0)
		return 0;
	const int result = add_listed(tree, known, fd);
	close(fd);
	return result;
}

/* The same where there is one thread. */
static int add_children_of(struct linux_tree_time *tree, size_t known, struct tree_process *process)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process->pid, (int)process->pid);
	const int fd = open_file(tree, process, TREE_CHILDREN, path);
	if (fd < 0)
		return 0;
	const bool stays_open = process->kept[TREE_CHILDREN];
	const int result = add_listed(tree, known, fd);
	if (!stays_open)
		close(fd);
	return result;
}

static int add_children_of_threads(struct linux_tree_time *tree, size_t known, pid_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	const int fd = linux_source_open(tree->root, path);
	DIR *const directory = fd < 0 ? NULL : fdopendir(fd);
	int result = 0;
	if (!directory) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	for (const struct dirent *entry; result == 0 && (entry = readdir(directory)) != NULL;)
		if (isdigit((unsigned char)entry->d_name[0]))
			result = add_children(tree, known, pid, (pid_t)strtol(entry->d_name, NULL, 10));
	closedir(directory);
	return result;
}

static int walk(struct linux_tree_time *tree, uint64_t forks)
{
	const size_t known = tree->count;
	int result = 0;
	tree->is_hidden = false;
	tree->forks = forks;
	for (size_t i = 0; result == 0 && i < tree->count; i++) {
		struct tree_process *const process = &tree->process[i];
		if (i < known) {
			read_member(tree, process);
			process->is_old = true;
		}
		if (process->is_dead || (process->is_zombie && process->threads <= 1))
			continue;
		result = process->threads == 1 ? add_children_of(tree, known, process)
					       : add_children_of_threads(tree, known, process->pid);
	}
	qsort(tree->process, tree->count, sizeof *tree->process, by_pid);
	return result;
}

bool tree_members_have_lists(const char *root, pid_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	const int fd = linux_source_open(root, path);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* ---- For who counts --------------------------------------------------------------------------------------------------- */

struct tree_process *tree_members_find(const struct linux_tree_time *tree, pid_t pid)
{
	return find(tree, pid, tree->count);
}

int tree_members_begin(struct linux_tree_time *tree, pid_t pid)
{
	struct linux_process stat;
	if (read_process(tree, pid, &stat) != 0)
		return -1;
	struct tree_process *const process = append(tree);
	if (!process)
		return -1;
	*process = (struct tree_process){.pid = pid, .kind = MEMBER};
	take(tree, process, &stat);
	return 0;
}

void tree_members_read(struct linux_tree_time *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		if (tree->process[i].kind == MEMBER && !tree->process[i].is_dead)
			read_member(tree, &tree->process[i]);
}

bool tree_members_may_be_new(const struct linux_tree_time *tree, uint64_t forks)
{
	return !tree->is_begun || forks == 0 || forks != tree->forks;
}

int tree_members_look(struct linux_tree_time *tree, uint64_t forks)
{
	return tree->by_children ? walk(tree, forks) : look_around(tree, forks);
}
