/* SPDX-License-Identifier: MIT */
/* The processes below a process. */
#ifndef PROCESSES_DESCENDANTS_H
#define PROCESSES_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "processes/process_handle.h"

struct descendant {
	struct linux_process process;
	unsigned depth; /* 1 for a child of the root */
};

/* A growing list; start with {0}, free with descendants_free. */
struct descendants {
	struct descendant *item;
	size_t count, capacity;
	size_t vanished; /* were named by the last listing, and gone when it came to them */
	size_t hint;     /* where the next one that is known is likely to be */
};

/*
 * Lists every process below `root` (which is left out), parents before their children. Zombies are listed. Processes that come or go
 * meanwhile may be missed. 0, or -1 with errno (ENOMEM, or what /proc answered).
 */
int descendants_list(pid_t root, struct descendants *list);

/*
 * Appends those who have come to the root since the list was made by descendants_list: children of a process that ended meanwhile, with
 * what is below them. As these come to the next subreaper, which the root has to be, nobody gets away between two lists. 0, or -1 with
 * errno. Does nothing where the kernel keeps no lists of children.
 */
int descendants_add_orphans(pid_t root, struct descendants *list);

/* descendants_list by looking at every process of the machine: what it does where the kernel keeps no lists of children. */
int descendants_list_by_parents(pid_t root, struct descendants *list);
void descendants_free(struct descendants *list);

/* Appends one process. 0, or -1 with errno ENOMEM. */
int descendants_add(struct descendants *list, const struct linux_process *process, unsigned depth);
/* Whether one is listed; quick for who asks in the order of the list. */
bool descendants_has(struct descendants *list, pid_t pid);
/* Appends everything below the processes that are listed and isn't listed yet, as descendants_list does. 0, or -1 with errno. */
int descendants_expand(struct descendants *list);

/*
 * Remembers the children that the calling process has now: a command that became this program by exec, as `server & exec showstopper` in
 * a shell, may have left some. They, and what is below them, are none of those that descendants_kill and descendants_name mean. How many
 * there are, or -1 with errno (ENOMEM, or what /proc answered).
 */
int descendants_spare(void);
/* Likewise one that became a child since, as an orphan of these. 0, or -1 with errno (ESRCH: it is none). */
int descendants_spare_too(const struct process *process);

/*
 * Kills and reaps every descendant of the calling process, also those that come up meanwhile, until there are none or deadline_ns
 * (CLOCK_MONOTONIC) has passed, or for a moment only such are left that the caller may not signal; those are sent SIGCONT, which is
 * permitted within a session. The caller must be a subreaper. True when none is left.
 */
bool descendants_kill(int64_t deadline_ns);

/* Names living descendants of the calling process, as in "12 (sleep), 13 (sh)"; of many only the first. Empty when there are none. */
void descendants_name(char *text, size_t size);

/*
 * CPU time in ns of all descendants of the process and of what they and it waited for, and with `with_root` of the process itself; 0
 * when it is gone. A descendant that ends while this looks may be left out for once.
 */
int64_t descendants_cpu_ns(pid_t root, bool with_root);
/* The same without what the process itself has waited for, of which a process knows its own better (getrusage(2)). */
int64_t descendants_living_cpu_ns(pid_t root);

#endif
