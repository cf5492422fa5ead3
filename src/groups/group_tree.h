/* SPDX-License-Identifier: MIT */
/* Control groups as folders and files, of either version: one with all groups below it, the processes in them, and whose they are. */
#ifndef GROUPS_GROUP_TREE_H
#define GROUPS_GROUP_TREE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "module/actuator.h"

/* Which group it is, whatever it is called: paths and names come again, in other hierarchies and after it is gone. */
struct group_id {
	uint64_t device, inode; /* of its folder */
};
/* False with errno where there is no such folder. */
bool group_identify(const char *folder, struct group_id *id);
/* Whether a folder is still that group, and not another one that was made in its place. */
bool group_is(const char *folder, const struct group_id *id);

/* A file of a group, close-on-exec; -1 with errno. */
int group_open(const char *folder, const char *name, int flags);

/* Whether a file of it, or with "" the folder, may be written; false with errno. */
bool group_may_write(const char *folder, const char *name);

/* Writes a text with one system call, to a descriptor or to a file of a group. 0, or -1 with errno. */
int group_write_to(int fd, const char *text);
int group_write(const char *folder, const char *name, const char *text);

/* Calls `act` for each group directly in a folder whose name begins so. Every child folder is one, also where its name begins with a dot. */
void group_each(const char *folder, const char *beginning, void (*act)(const char *path, void *context), void *context);

/* Calls `act` for each process in a group, not in those below; without those that can't be seen from this PID namespace. */
void group_each_member(const char *path, void (*act)(pid_t pid, void *context), void *context);

/* The last part of a path. */
const char *group_name(const char *path);

/* The file that freezes a group, and what is to be written to it. */
const char *group_freezer_file(bool unified);
const char *group_freezer_word(bool unified, bool freeze);
/* Whether it is frozen by itself, whatever is above it. */
bool group_is_frozen(const char *folder, bool unified);

/* Lets go what is frozen or limited in a group and below, from the bottom up. */
void group_tree_release(const char *path);

/* Who was sent SIGKILL, each once; start with {0}, and free it. */
struct group_killed {
	pid_t *pid;
	size_t count, capacity, hint;
};

/* Sends SIGKILL to all processes in a group and below. False where none can be seen there. `killed` may be NULL. */
bool group_tree_kill(const char *path, struct group_killed *killed);
void group_killed_free(struct group_killed *killed);

/* Hands the controller cpu down no more, in a group and below. */
void group_tree_keep_controller(const char *path);

/* Removes a group and those below, but for those that have processes. */
void group_tree_remove(const char *path);

/* Where the control groups that hold workloads can be made: in the group that this process is in. */

struct group_place {
	enum actuator actuator; /* what the groups are to hold by; ACTUATOR_SIGNALS: none are needed */
	bool unified;           /* of version 2 */
	bool is_root;           /* of all groups, which may have processes beside groups that are limited */
	pid_t guardian;         /* of the run, beside the calling process; 0: there is none */
	char folder[PATH_MAX];  /* in which they are made */
};

#define GROUP_PLACE_ERROR_MAX 1024
/* What helps, for people. */
#define GROUP_PLACE_REMEDY                                                                                                       \
	"root, or a group of one's own: systemd-run --user --scope -p Delegate=yes showstopper ... (root: without --user)"

/*
 * `version`: 1, 2, or 0 for version 2 where it can be, else 1. `guardian`: as in the struct. 0, or -1 with a message that says why. Makes
 * nothing.
 */
int group_place_find(
	struct group_place *place, enum actuator actuator, int version, pid_t guardian, char error[static GROUP_PLACE_ERROR_MAX]);

#endif
