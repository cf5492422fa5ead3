/* SPDX-License-Identifier: MIT */
/*
 * What tells a run's control groups from those of others, whatever these are called: a group in them, without processes, that belongs to the
 * run's user and has the guardian's number and start time as its name. It is made before the first process goes into any of the run's
 * groups, and removed when none is in them any more.
 */
#ifndef OS_GROUP_MARK_H
#define OS_GROUP_MARK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct group_mark {
	pid_t guardian;
	uint64_t start_ticks; /* of it, as /proc/PID/stat has them */
};

/* What marks the groups of a run with this guardian. 0, or -1 with errno: there is no such process, or /proc doesn't show it. */
int group_mark_of(struct group_mark *mark, pid_t guardian);

/* Puts it into a group, which belongs to the calling user. 0, or -1 with errno. */
int group_mark_make(const char *folder, const struct group_mark *mark);

/* Whether a group of that name is a mark. */
bool group_mark_is(const char *name);

/*
 * Whether an open group is one that a run of this user has left: both it and a mark in it belong to the user, and no guardian by whom
 * it is marked is alive. One that may be alive (/proc doesn't show it) is.
 */
bool group_mark_is_left(int fd);

/* Removes the marks from a folder in which there is nothing else, neither group nor process. */
void group_mark_remove(const char *folder);

#endif
