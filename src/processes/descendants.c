/* SPDX-License-Identifier: MIT */
/*
 * /proc/PID/task/TID/children makes the cost grow with the tree instead of with the machine. Kernels built without it are searched
 * whole: every /proc/PID/stat is read and the tree is put together from the parents' numbers.
 */
#include "processes/descendants.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"

int descendants_add(struct descendants *list, const struct linux_process *process, unsigned depth)
{
	if (list->count == list->capacity) {
		const size_t capacity = list->capacity ? 2 * list->capacity : 16;
		struct descendant *grown = realloc(list->item, capacity * sizeof *grown);
		if (!grown)
			return -1;
		list->item = grown;
		list->capacity = capacity;
	}
	list->item[list->count++] = (struct descendant){*process, depth};
	return 0;
}

void descendants_free(struct descendants *list)
{
	free(list->item);
	*list = (struct descendants){0};
}

/* Children are named in the order in which they are listed. */
static bool is_among_first(struct descendants *list, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++) {
		const size_t at = (list->hint + i) % count;
		if (list->item[at].process.pid == pid) {
			list->hint = at + 1;
			return true;
		}
	}
	return false;
}

bool descendants_has(struct descendants *list, pid_t pid)
{
	return is_among_first(list, list->count, pid);
}

/* Where children are appended: all but those that are among the first `known` of the list. */
struct children {
	struct descendants *list;
	size_t known;
	pid_t parent;
	unsigned depth;
};

static int append_child(pid_t pid, void *context)
{
	const struct children *const children = context;
	struct linux_process child;
	if (is_among_first(children->list, children->known, pid))
		return 0;
	if (linux_process_read(pid, &child) != 0) {
		/* Where /proc hides the processes of others, it is there and can't be read. */
		children->list->vanished += kill(pid, 0) != 0 && errno == ESRCH;
		return 0;
	}
	/* The number may have gone to a stranger since the file was read; an orphan may have come to us. */
	if (child.parent != children->parent && child.parent != getpid())
		return 0;
	return descendants_add(children->list, &child, children->depth);
}

/* `threads`: how many the process has, or 0 where that isn't known. */
static int append_children_of(struct descendants *list, size_t known, pid_t pid, uint64_t threads, unsigned depth)
{
	return linux_process_each_child("", pid, threads, true, append_child, &(struct children){list, known, pid, depth});
}

/* Below those from the place `from` on. */
static int expand_by_children(struct descendants *list, size_t from, size_t known)
{
	for (size_t i = from; i < list->count; i++)
		if (!linux_process_has_ended(&list->item[i].process) &&
			append_children_of(list, known, list->item[i].process.pid, list->item[i].process.threads,
				list->item[i].depth + 1) != 0)
			return -1;
	return 0;
}

static int append_from(struct descendants *list, size_t known, const struct descendants *all, pid_t parent, unsigned depth)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->item[i].process.parent == parent && !is_among_first(list, known, all->item[i].process.pid) &&
			descendants_add(list, &all->item[i].process, depth) != 0)
			return -1;
	return 0;
}

static int append_any(pid_t pid, void *all)
{
	struct linux_process process;
	return linux_process_read(pid, &process) == 0 ? descendants_add(all, &process, 0) : 0;
}

/* Below the listed processes, and below the root where that isn't 0. */
static int expand_by_parents(pid_t root, struct descendants *list, size_t known)
{
	struct descendants all = {0};
	int result = linux_process_each("", append_any, &all);
	if (result == 0 && root)
		result = append_from(list, known, &all, root, 1);
	for (size_t i = 0; result == 0 && i < list->count; i++)
		result = append_from(list, known, &all, list->item[i].process.pid, list->item[i].depth + 1);
	descendants_free(&all);
	return result;
}

static bool has_children_files(void)
{
	static int has = -1;
	if (has < 0)
		has = access("/proc/thread-self/children", R_OK) == 0;
	return has;
}

int descendants_list_by_parents(pid_t root, struct descendants *list)
{
	list->count = list->vanished = 0;
	return expand_by_parents(root, list, 0);
}

int descendants_list(pid_t root, struct descendants *list)
{
	if (!has_children_files())
		return descendants_list_by_parents(root, list);
	list->count = list->vanished = 0;
	return append_children_of(list, 0, root, 0, 1) == 0 ? expand_by_children(list, 0, 0) : -1;
}

int descendants_add_orphans(pid_t root, struct descendants *list)
{
	const size_t known = list->count;
	list->hint = 0;
	if (!has_children_files())
		return 0;
	return append_children_of(list, known, root, 0, 1) == 0 ? expand_by_children(list, known, known) : -1;
}

int descendants_expand(struct descendants *list)
{
	list->vanished = 0;
	return has_children_files() ? expand_by_children(list, 0, list->count) : expand_by_parents(0, list, list->count);
}

/* Children that were there before; of `sparing`, not of what it forks. */
static struct descendants spared;
static pid_t sparing;

static bool spares_some(void)
{
	return spared.count && sparing == getpid();
}

int descendants_spare(void)
{
	size_t kept = 0;
	if (waitid(P_ALL, 0, &(siginfo_t){0}, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD)
		return 0;
	if (descendants_list(getpid(), &spared) != 0)
		return -1;
	for (size_t i = 0; i < spared.count; i++)
		if (spared.item[i].depth == 1)
			spared.item[kept++] = spared.item[i];
	spared.count = kept;
	sparing = getpid();
	return (int)kept;
}

int descendants_spare_too(const struct process *process)
{
	struct linux_process now;
	if (process_look(process, &now) != 0)
		return -1;
	if (now.parent != getpid()) {
		errno = ESRCH;
		return -1;
	}
	if (descendants_add(&spared, &now, 1) != 0)
		return -1;
	sparing = getpid();
	return 0;
}

static bool is_spared(const struct linux_process *process)
{
	for (size_t i = 0; i < spared.count; i++)
		if (spared.item[i].process.pid == process->pid && spared.item[i].process.start_ticks == process->start_ticks)
			return true;
	return false;
}

/* Of the calling process, without those that are spared. */
static int list_own(struct descendants *list)
{
	size_t kept = 0;
	if (descendants_list(getpid(), list) != 0)
		return -1;
	if (!spares_some())
		return 0;
	for (size_t i = 0; i < list->count; i++)
		if (list->item[i].depth == 1 && !is_spared(&list->item[i].process))
			list->item[kept++] = list->item[i];
	list->count = kept;
	return descendants_expand(list);
}

/* How long descendants that may not be signalled (of another user) get to end by themselves. */
#define DENIED_LIMIT_NS (200 * NS_PER_MS)

/* True when there are living ones and none of them may be signalled. */
static bool signal_all(const struct descendants *list, int signal)
{
	bool denied = false;
	bool others = false;
	for (size_t i = 0; i < list->count; i++) {
		if (linux_process_has_ended(&list->item[i].process))
			continue;
		const struct process process = process_of(&list->item[i].process);
		if (process_signal(&process, signal) != 0 && errno == EPERM)
			denied = true;
		else
			others = true;
	}
	return denied && !others;
}

bool descendants_kill(int64_t deadline_ns)
{
	struct descendants list = {0};
	bool none = false;
	unsigned empty = 0;
	int64_t denied_ns = 0;
	for (;;) {
		pid_t reaped;
		while ((reaped = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		/* Orphans become children of a subreaper: no children means no descendants. */
		if (reaped < 0 && errno == ECHILD) {
			none = true;
			break;
		}
		const int64_t now = clock_now();
		const bool is_listed = list_own(&list) == 0;
		/* With spared ones there are always children. A listing during which one ends may lack another. */
		empty = is_listed && !list.count ? empty + 1 : 0;
		if (spares_some() && empty == 3) {
			none = true;
			break;
		}
		if (!is_listed || !signal_all(&list, SIGKILL))
			denied_ns = 0;
		else if (!denied_ns)
			denied_ns = now;
		if (now >= deadline_ns || (denied_ns && now - denied_ns >= DENIED_LIMIT_NS)) {
			signal_all(&list, SIGCONT);
			break;
		}
		clock_sleep_until(clock_now() + NS_PER_MS);
	}
	descendants_free(&list);
	return none;
}

void descendants_name(char *text, size_t size)
{
	struct descendants list = {0};
	size_t used = 0;
	text[0] = '\0';
	if (list_own(&list) == 0)
		for (size_t i = 0; i < list.count && used < size; i++) {
			char name[LINUX_PROCESS_NAME_MAX];
			if (linux_process_has_ended(&list.item[i].process))
				continue;
			linux_process_name(list.item[i].process.pid, name);
			used += (size_t)snprintf(text + used, size - used, "%s%d (%s)", used ? ", " : "",
				(int)list.item[i].process.pid, *name ? name : "?");
		}
	descendants_free(&list);
}

/* CPU time of the children that a process has waited for; the kernel says it in ticks. */
static int64_t waited_cpu_ns(const struct linux_process *process)
{
	return (int64_t)(process->children_user_ticks + process->children_system_ticks) * (NS_PER_S / sysconf(_SC_CLK_TCK));
}

static int64_t own_cpu_ns(const struct linux_process *process)
{
	int64_t used_ns;
	if (linux_process_clock(process->pid, &used_ns))
		return used_ns;
	return (int64_t)(process->user_ticks + process->system_ticks) * (NS_PER_S / sysconf(_SC_CLK_TCK));
}

int64_t descendants_living_cpu_ns(pid_t root)
{
	struct descendants list = {0};
	int64_t total = 0;
	if (descendants_list(root, &list) == 0)
		for (size_t i = 0; i < list.count; i++)
			total += waited_cpu_ns(&list.item[i].process) + own_cpu_ns(&list.item[i].process);
	descendants_free(&list);
	return total;
}

/*
 * What a process has waited for is read before its children, so that one that ends meanwhile is missed for once and never counted
 * twice.
 */
int64_t descendants_cpu_ns(pid_t root, bool with_root)
{
	struct linux_process first;
	if (linux_process_read(root, &first) != 0)
		return 0;
	const int64_t total = waited_cpu_ns(&first) + (with_root ? own_cpu_ns(&first) : 0);
	return total + descendants_living_cpu_ns(root);
}
