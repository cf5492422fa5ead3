/* SPDX-License-Identifier: MIT */
/*
 * The mark is a lock of fcntl(2) on a file of the process in /proc. Such a lock belongs to one process, whose number the kernel tells to
 * who asks, so that a lock of somebody else is none. Everybody may open that file, also where the others belong to root because the
 * program has capabilities of its own. It must be one that we open nowhere else, as closing it would end the lock.
 */
#include "processes/run_mark.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "processes/process.h"

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
