/* SPDX-License-Identifier: MIT */
/*
 * Cost. In the common case a stop is one kill(2) of the group and one read of /proc/loadavg, whose last field is the number of
 * the newest process: when it has not changed nobody can have left the group by forking, and a look once a second
 * finds those who left it without. Trees are looked through at most every 100 ms.
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
#include "linux_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "units.h"

#define SCAN_EVERY_NS (100 * NS_PER_MS)
#define SCAN_ANYWAY_NS NS_PER_S
#define STANDSTILL_LIMIT_NS (5 * NS_PER_MS)
#define STANDSTILL_LOOK_NS (50 * NS_PER_US)
/* So many descriptors are left for looking at /proc. */
#define SPARE_FILES 16

void tree_init(struct tree *tree, pid_t first)
{
	*tree = (struct tree){
	        .group = first, .whole_group = true, .scanned_ns = INT64_MIN, .loadavg = open("/proc/loadavg", O_RDONLY | O_CLOEXEC)};
}

static void forget_outsiders(struct tree *tree)
{
	for (size_t i = 0; i < tree->outsiders; i++)
		if (tree->outsider[i].fd >= 0)
			close(tree->outsider[i].fd);
	free(tree->outsider);
	tree->outsider = NULL;
	tree->outsiders = 0;
}

void tree_free(struct tree *tree)
{
	forget_outsiders(tree);
	descendants_free(&tree->scan);
	if (tree->loadavg >= 0)
		close(tree->loadavg);
	*tree = (struct tree){.loadavg = -1};
}

/* The number of the newest process of this PID namespace, or 0 when it can't be had. */
static uint64_t newest_process(const struct tree *tree)
{
	char text[128];
	const ssize_t length = tree->loadavg < 0 ? -1 : pread(tree->loadavg, text, sizeof text - 1, 0);
	if (length <= 0)
		return 0;
	text[length] = '\0';
	const char *last = strrchr(text, ' ');
	return last ? strtoull(last, NULL, 10) : 0;
}

static bool scan_is_due(struct tree *tree, int64_t now_ns, uint64_t *forks)
{
	*forks = newest_process(tree);
	if (tree->scanned_ns == INT64_MIN || now_ns - tree->scanned_ns >= SCAN_ANYWAY_NS)
		return true;
	return (*forks == 0 || *forks != tree->scanned_forks) && now_ns - tree->scanned_ns >= SCAN_EVERY_NS;
}

/* `files` is the limit of descriptors. */
static void keep_outsider(struct tree *tree, const struct linux_process *process, rlim_t files)
{
	struct tree_outsider *grown = realloc(tree->outsider, (tree->outsiders + 1) * sizeof *grown);
	if (!grown)
		return; /* the next scan tries again */
	tree->outsider = grown;
	int fd = process_open(process);
	if (fd < 0 && errno != EMFILE && errno != ENFILE)
		return;
	if (fd >= 0 && (rlim_t)fd + SPARE_FILES >= files) {
		close(fd);
		fd = -1;
	}
	tree->outsider[tree->outsiders++] = (struct tree_outsider){*process, fd};
}

static void signal_outsider(const struct tree_outsider *outsider, int signal)
{
	if (outsider->fd >= 0)
		pidfd_send_signal(outsider->fd, signal, NULL, 0);
	else
		process_signal(&outsider->process, signal);
}

static void scan(struct tree *tree, int64_t now_ns, uint64_t forks)
{
	struct rlimit files = {.rlim_cur = RLIM_INFINITY};
	if (descendants_list(getpid(), &tree->scan) != 0)
		return;
	getrlimit(RLIMIT_NOFILE, &files);
	forget_outsiders(tree);
	tree->scanned_ns = now_ns;
	tree->scanned_forks = forks;
	for (size_t i = 0; i < tree->scan.count; i++) {
		const struct linux_process *process = &tree->scan.item[i].process;
		if (!linux_process_has_ended(process) && !(tree->whole_group && process->group == tree->group))
			keep_outsider(tree, process, files.rlim_cur);
	}
}

static void signal_group(const struct tree *tree, int signal)
{
	if (tree->whole_group)
		kill(-tree->group, signal);
}

/* Waits until a process that has been sent SIGSTOP stands still. */
static void await_standstill(pid_t pid, int64_t deadline_ns)
{
	struct linux_process process;
	while (linux_process_read(pid, &process) == 0 && process.state != 'T' && process.state != 't' &&
	        !linux_process_has_ended(&process) && clock_now() < deadline_ns)
		clock_sleep_until(clock_now() + STANDSTILL_LOOK_NS);
}

static void stop_outsiders(const struct tree *tree)
{
	const int64_t deadline = clock_now() + STANDSTILL_LIMIT_NS;
	pid_t awaited = getpid();
	for (size_t i = 0; i < tree->outsiders; i++) {
		const struct tree_outsider *outsider = &tree->outsider[i];
		if (outsider->process.parent != awaited) {
			awaited = outsider->process.parent;
			await_standstill(awaited, deadline);
		}
		signal_outsider(outsider, SIGSTOP);
	}
}

void tree_stop(struct tree *tree, int64_t now_ns)
{
	uint64_t forks;
	tree->stopped = true;
	signal_group(tree, SIGSTOP);
	stop_outsiders(tree);
	if (scan_is_due(tree, now_ns, &forks)) {
		scan(tree, now_ns, forks);
		stop_outsiders(tree);
	}
}

void tree_continue(struct tree *tree)
{
	tree->stopped = false;
	for (size_t i = tree->outsiders; i-- > 0;)
		signal_outsider(&tree->outsider[i], SIGCONT);
	signal_group(tree, SIGCONT);
}

void tree_signal(struct tree *tree, int signal, int64_t now_ns)
{
	scan(tree, now_ns, newest_process(tree));
	if (signal == SIGCONT) {
		tree_continue(tree);
		return;
	}
	signal_group(tree, signal);
	for (size_t i = 0; i < tree->outsiders; i++)
		signal_outsider(&tree->outsider[i], signal);
}

void tree_leader_ends(struct tree *tree, int64_t now_ns)
{
	tree->whole_group = false;
	scan(tree, now_ns, newest_process(tree));
}
