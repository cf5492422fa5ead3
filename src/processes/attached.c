/* SPDX-License-Identifier: MIT */
/*
 * The table has references without descriptors. It lies in a memfd: it has no name that could stay behind, it grows with the tree, and a
 * full memory is an error of write(2) and not a SIGBUS. Entries are written as a whole and never taken out, only replaced once their
 * process has ended.
 *
 * Two runs that stopped and continued one tree would work against each other. So a run holds a lock on a file of the process in /proc
 * that only who may control the process can open. The lock ends with the last process of the run.
 */
#include "processes/attached.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "processes/descendants.h"

/* A descriptor with the lock, or -1: EWOULDBLOCK where another run has it. */
static int lock(pid_t pid, int kind)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/personality", (int)pid);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && flock(fd, kind | LOCK_NB) != 0) {
		const int error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

/* By shared locks: another run that looks at the same time is not attached. */
pid_t attached_elsewhere(pid_t pid)
{
	struct linux_process process;
	while (pid > 0) {
		const int fd = lock(pid, LOCK_SH);
		if (fd < 0 && errno == EWOULDBLOCK)
			break;
		if (fd >= 0)
			close(fd);
		pid = linux_process_read(pid, &process) == 0 ? process.parent : 0;
	}
	return pid;
}

/* One below it that another run has attached, or 0. */
static pid_t attached_below(pid_t pid)
{
	struct descendants below = {0};
	pid_t found = 0;
	descendants_list(pid, &below);
	for (size_t i = 0; !found && i < below.count; i++) {
		const int fd = lock(below.item[i].process.pid, LOCK_SH);
		found = fd < 0 && errno == EWOULDBLOCK ? below.item[i].process.pid : 0;
		if (fd >= 0)
			close(fd);
	}
	descendants_free(&below);
	return found;
}

/* Of a process that no attached one is an ancestor or a descendant of. 0, or -1 after a message. */
static int claim(pid_t pid, int *fd)
{
	pid_t other = attached_elsewhere(pid);
	const pid_t below = other ? 0 : attached_below(pid);
	if (below)
		return diag_refuse("--attach: process %d is an ancestor of process %d, which is attached to another run of "
				   "showstopper",
			(int)pid, (int)below);
	if (!other) {
		*fd = lock(pid, LOCK_EX);
		if (*fd < 0 && errno == EWOULDBLOCK)
			other = pid;
	}
	if (other == pid)
		diag("--attach: process %d is attached to another run of showstopper", (int)pid);
	else if (other)
		diag("--attach: process %d is a descendant of process %d, which is attached to another run of showstopper",
			(int)pid, (int)other);
	return other ? -1 : 0;
}

/* Whoever controls it would be disturbed, and ends it some time. 0, or -1 after a message. */
static int refuse_what_is_of_a_run(pid_t pid)
{
	const pid_t other = run_mark_find(pid);
	if (other == pid)
		diag("--attach: process %d is one of another run of showstopper", (int)pid);
	else if (other)
		diag("--attach: process %d was started by another run of showstopper (its process %d)", (int)pid, (int)other);
	return other ? -1 : 0;
}

/* What is wrong with attaching it, or NULL. */
static const char *refusal(pid_t pid, struct process *process)
{
	struct linux_process now;
	if (pid == 1)
		return "is the first process of the system";
	if (linux_process_descends_from(getpid(), pid))
		return "is Showstopper or one of its ancestors";
	if (process_take(process, pid, &now) != 0) {
		const int error = errno;
		if (error == EMFILE || error == ENFILE || error == ENOMEM)
			return strerror(error);
		return error == ESRCH || linux_process_read(pid, &now) != 0 ? "does not exist" : "is a thread of another process";
	}
	if (linux_process_has_ended(&now))
		return "has ended";
	if (now.flags & LINUX_PROCESS_KERNEL)
		return "is a kernel thread";
	if (process_signal(process, 0) != 0)
		return errno == ESRCH ? "has ended" : "may not be signalled by this user";
	return NULL;
}

int attached_open(const pid_t *pid, unsigned count, unsigned more, struct attached **attached)
{
	struct attached *all = calloc(count + more + 1, sizeof *all);
	*attached = NULL;
	if (!all) {
		diag("--attach: %s", strerror(errno));
		return -1;
	}
	for (unsigned i = 0; i < count + more; i++)
		all[i].process.fd = all[i].table = all[i].claim = -1;
	for (unsigned i = 0; i < count; i++) {
		const char *const why = refusal(pid[i], &all[i].process);
		if (why) {
			diag("--attach: process %d %s", (int)pid[i], why);
			goto fail;
		}
		if (refuse_what_is_of_a_run(pid[i]) != 0)
			goto fail;
		linux_process_name(pid[i], all[i].name);
		all[i].table = memfd_create("showstopper", MFD_CLOEXEC);
		if (all[i].table < 0) {
			diag("--attach: can't keep track of process %d: %s", (int)pid[i], strerror(errno));
			goto fail;
		}
	}
	for (unsigned i = 0; i < count; i++)
		for (unsigned k = 0; k < count; k++)
			if (i != k && linux_process_descends_from(pid[i], pid[k])) {
				diag("--attach: process %d is a descendant of process %d, which is attached too", (int)pid[i],
					(int)pid[k]);
				goto fail;
			}
	for (unsigned i = 0; i < count; i++)
		if (claim(pid[i], &all[i].claim) != 0)
			goto fail;
	*attached = all;
	return 0;
fail:
	attached_close(all, count);
	return -1;
}

void attached_close(struct attached *attached, unsigned count)
{
	for (unsigned i = 0; attached && i < count; i++) {
		process_release(&attached[i].process);
		if (attached[i].table >= 0)
			close(attached[i].table);
		if (attached[i].claim >= 0)
			close(attached[i].claim);
	}
	free(attached);
}

int attached_enter(int table, uint32_t place, const struct process *process)
{
	const struct process entry = {.pid = process->pid, .fd = -1, .start_ticks = process->start_ticks};
	const ssize_t written = pwrite(table, &entry, sizeof entry, ATTACHED_TABLE + (off_t)place * (off_t)sizeof entry);
	if (written >= 0 && written != sizeof entry)
		errno = ENOSPC;
	return written == sizeof entry ? 0 : -1;
}

/* Those that came later lie below the others, as a rule: ancestors go last. */
static bool each_entered(int table, int (*met)(const struct process *))
{
	struct stat status;
	struct process entry;
	int error = 0;
	if (fstat(table, &status) != 0)
		return true;
	for (off_t at = (status.st_size - ATTACHED_TABLE) / (off_t)sizeof entry; at-- > 0;)
		if (pread(table, &entry, sizeof entry, ATTACHED_TABLE + at * (off_t)sizeof entry) == sizeof entry &&
			entry.pid > 0 && met(&entry) != 0)
			error = errno;
	errno = error;
	return error == 0;
}

static int let_go_on(const struct process *process)
{
	return process_signal(process, SIGCONT) == 0 || errno == ESRCH ? 0 : -1;
}

bool attached_continue(int table)
{
	return each_entered(table, let_go_on);
}

static int spare(const struct process *process)
{
	descendants_spare_too(process);
	return 0;
}

void attached_spare(int table)
{
	each_entered(table, spare);
}

/* ---- The mark of a run ------------------------------------------------------------------------------------------------- */

/*
 * The mark is a lock of fcntl(2) on a file of the process in /proc. Such a lock belongs to one process, whose number the kernel tells to
 * who asks, so that a lock of somebody else is none. Everybody may open that file, also where the others belong to root because the
 * program has capabilities of its own. It must be one that we open nowhere else, as closing it would end the lock.
 */
/* Where the lock is; inherited from the process that forked this one, which has another lock, until it is closed. */
static int own = -1;

static int open_marked(pid_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/limits", (int)pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

void run_mark_set(enum run_mark mark)
{
	const struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = (off_t)mark, .l_len = 1};
	run_mark_clear();
	own = open_marked(getpid());
	if (own >= 0 && fcntl(own, F_SETLK, &lock) != 0)
		run_mark_clear();
}

void run_mark_clear(void)
{
	if (own >= 0)
		close(own);
	own = -1;
}

static bool has_mark(pid_t pid, enum run_mark mark)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)mark, .l_len = 1};
	const int file = pid == getpid() ? -1 : open_marked(pid);
	if (file < 0)
		return false;
	const bool known = fcntl(file, F_GETLK, &lock) == 0;
	close(file);
	return known && lock.l_type != F_UNLCK && lock.l_pid == pid;
}

pid_t run_mark_find(pid_t pid)
{
	struct linux_process process;
	if (has_mark(pid, RUN_MARK_GUARDIAN))
		return pid;
	while (pid > 0 && !has_mark(pid, RUN_MARK_WITHIN))
		pid = linux_process_read(pid, &process) == 0 ? process.parent : 0;
	return pid;
}
