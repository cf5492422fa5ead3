/* SPDX-License-Identifier: MIT */
/*
 * Attached processes: which ones may be attached, and what is known of their trees to every process of Showstopper, so that any one of
 * these that survives can continue what another one stopped. An attached control group is one of them whose processes are listed by the
 * group: groups/attached_group.h opens it.
 */
#ifndef PROCESSES_ATTACHED_H
#define PROCESSES_ATTACHED_H

#include <stdint.h>

#include "processes/process_handle.h"

/* What is before the table in its file, in bytes: a group_record, or nothing. */
#define ATTACHED_TABLE 8192

struct attached {
	struct process process;            /* the first one of the tree */
	char name[LINUX_PROCESS_NAME_MAX]; /* of its program */
	int table; /* file with every process of the tree that may be stopped, from ATTACHED_TABLE on; written by the executor alone */
	int claim; /* lock that tells other runs that it is attached; -1 where its /proc files may not be read */
	struct attached_group *group; /* NULL: it is a tree; else what follows lists its members, and `process` was one of them */
	int (*each)(const struct attached_group *group, linux_process_met *met, void *context);
};

/*
 * Opens `count` processes by their numbers, with room for `more` entries that are nothing yet; to be called before the first fork, since what is forked then inherits the descriptors.
 * Refused are process 1, the caller and its ancestors, kernel threads, threads, what isn't there, what may not be signalled, processes of
 * another run and what it started, descendants of others that are attached, and what another run is attached to, with its descendants. 0 and an array for attached_close, or -1 after a message.
 */
int attached_open(const pid_t *pid, unsigned count, unsigned more, struct attached **attached);
void attached_close(struct attached *attached, unsigned count);

/* Enters a process into a table, which must be done before it is stopped, in place of whatever had the place. 0, or -1 with errno. */
int attached_enter(int table, uint32_t place, const struct process *process);

/*
 * Continues every process that is in a table and still there, for a process of Showstopper that survives the executor. False with errno where one of them may
 * not be signalled.
 */
bool attached_continue(int table);

/*
 * The process which another run is attached to: this one, or the nearest ancestor of it; 0 where there is none. What the calling run has
 * attached counts as another's.
 */
pid_t attached_elsewhere(pid_t pid);
/* Keeps those of them that have become children of the caller from descendants_kill. */
void attached_spare(int table);

/*
 * By what other runs know the processes of this one. The mark of a process ends with it, nobody else can set it, and whoever may look at
 * the process can see it.
 */

enum run_mark {
	RUN_MARK_GUARDIAN, /* may have children that are not of the run: those of the program that executed showstopper in its place */
	RUN_MARK_WITHIN, /* master and executors: all of their descendants are of the run */
};

/* Marks the calling process; a process that it forks has no mark. Where that can't be done it stays without. Takes a descriptor until it is cleared. */
void run_mark_set(enum run_mark mark);
void run_mark_clear(void);

/*
 * The process itself if it is one of Showstopper's, or else the nearest of its ancestors that has started it in a run that goes on; 0: neither. The
 * caller's own mark doesn't count.
 */
pid_t run_mark_find(pid_t pid);

#endif
