/* SPDX-License-Identifier: MIT */
/* The processor time of a process and its descendants, as a counter that never goes back. */
#ifndef LOAD_TREE_TIME_H
#define LOAD_TREE_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct linux_tree_time;

struct linux_tree_time_reading {
	int64_t when_ns;
	double used;    /* processor time in seconds since the tree was opened */
	unsigned alive; /* processes that have not ended */
	unsigned
		known; /* these and those nobody has waited for yet; at 0, what the last ones used since the reading before is lost */
	bool is_hidden; /* there is a process that /proc doesn't show (hidepid): what it started is not counted */
};

/*
 * Follows the process `pid` and all its descendants from now on, also those that lose their parent later. `root` stands before
 * /proc and must outlive it. NULL with errno: ESRCH or ENOENT when there is no such process, ENOMEM.
 */
struct linux_tree_time *linux_tree_time_open(const char *root, pid_t pid);
/*
 * The same at a cost that grows with the tree and not with the machine: only children of those known are looked for. So a process that
 * loses its parent before it is first seen is missed, unless it comes to a subreaper of the tree. Where the kernel has no lists of
 * children this is linux_tree_time_open. Up to `files` files of processes stay open, which makes readings cheaper.
 */
struct linux_tree_time *linux_tree_time_open_below(const char *root, pid_t pid, unsigned files);
void linux_tree_time_close(struct linux_tree_time *tree);

/*
 * Reads the tree. `forks` is how many processes the machine has made (linux_stat.forks, read before), which spares a look at
 * all processes when there are no new ones; 0 when not known. 0, or -1 with errno (/proc can't be listed, ENOMEM).
 */
int linux_tree_time_read(struct linux_tree_time *tree, uint64_t forks, struct linux_tree_time_reading *reading);

#endif
