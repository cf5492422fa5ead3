/* SPDX-License-Identifier: MIT */
/*
 * A group can't carry much beside its name: attributes of it that an ordinary user may set (user.*) came with Linux 5.7. A file elsewhere
 * isn't seen by who shares the groups and not the file system, as containers may, and outlives the groups when the machine starts
 * again. A group in the group is where the group is, and as long.
 *
 * The name alone would say nothing. What is made in a group belongs to who made it, and only root can give it away. So a mark is as
 * good as its owner, and what it says is believed by that user alone: root kills nothing by what somebody else has made.
 */
#include "os/group_mark.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "os/group_tree.h"
#include "os/process.h"

#define BEGINNING "guardian-"

int group_mark_of(struct group_mark *mark, pid_t guardian)
{
	struct linux_process process;
	if (linux_process_read(guardian, &process) != 0)
		return -1;
	*mark = (struct group_mark){guardian, process.start_ticks};
	return 0;
}

int group_mark_make(const char *folder, const struct group_mark *mark)
{
	char path[PATH_MAX];
	if (snprintf(path, sizeof path, "%s/" BEGINNING "%d-%" PRIu64, folder, (int)mark->guardian, mark->start_ticks) >=
		(int)sizeof path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return mkdir(path, 0755);
}

/* Strictly: managers that make groups for others add something to the names that these choose, as systemd does. */
static bool parse(const char *name, struct group_mark *mark)
{
	const size_t width = sizeof BEGINNING - 1;
	const char *const end = name + strlen(name);
	uint64_t guardian, start_ticks;
	if (strncmp(name, BEGINNING, width) != 0)
		return false;
	const char *at = name + width;
	if (!linux_number(&at, end, &guardian) || *at++ != '-' || !linux_number(&at, end, &start_ticks) || at != end ||
		guardian < 1 || guardian > INT_MAX)
		return false;
	*mark = (struct group_mark){(pid_t)guardian, start_ticks};
	return true;
}

bool group_mark_is(const char *name)
{
	struct group_mark mark;
	return parse(name, &mark);
}

static bool is_alive(const struct group_mark *mark)
{
	struct linux_process process;
	if (linux_process_read(mark->guardian, &process) == 0)
		return process.start_ticks == mark->start_ticks && !linux_process_has_ended(&process);
	/* A /proc that hides processes. One that this user may not signal is none of theirs. */
	return kill(mark->guardian, 0) == 0;
}

static bool is_own(const struct stat *about)
{
	return S_ISDIR(about->st_mode) && about->st_uid == geteuid();
}

bool group_mark_is_left(int fd)
{
	struct stat about;
	struct group_mark mark;
	bool marked = false, alive = false;
	const int again = fstat(fd, &about) == 0 && is_own(&about) ? openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	DIR *const directory = again < 0 ? NULL : fdopendir(again);
	if (!directory && again >= 0)
		close(again);
	for (const struct dirent *entry; directory && (entry = readdir(directory));)
		if (parse(entry->d_name, &mark) && fstatat(fd, entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
			is_own(&about)) {
			marked = true;
			alive = alive || is_alive(&mark);
		}
	if (directory)
		closedir(directory);
	return marked && !alive;
}

/* ---- Removing it ------------------------------------------------------------------------------------------------------ */

static void note_group(const char *path, void *context)
{
	bool *const is_alone = context;
	*is_alone = *is_alone && group_mark_is(group_name(path));
}

/* Also those that can't be seen from this PID namespace. */
static bool has_members(const char *folder)
{
	char byte;
	const int fd = group_open(folder, "cgroup.procs", O_RDONLY);
	const bool has = fd >= 0 && read(fd, &byte, 1) > 0;
	if (fd >= 0)
		close(fd);
	return has;
}

static void remove_mark(const char *path, void *context)
{
	(void)context;
	rmdir(path);
}

void group_mark_remove(const char *folder)
{
	bool is_alone = true;
	group_each(folder, "", note_group, &is_alone);
	if (is_alone && !has_members(folder))
		group_each(folder, BEGINNING, remove_mark, NULL);
}
