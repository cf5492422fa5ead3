/* SPDX-License-Identifier: MIT */
/*
 * One workload as a tree of processes: stopping and continuing all of it, cheaply as long as it stays in its process group.
 *
 * The tree is everything below the calling process, which is the executor: a subreaper with this workload and no other.
 *
 * An attached tree is a process that is not ours, with everything that was ever found below it. Each of its processes is signalled by
 * itself; none is stopped before it is in the table for those who survive us. So is it with an attached control group, but that it has
 * those processes alone that the group has: who leaves it is continued, and left alone.
 */
#ifndef PROCESSES_TREE_H
#define PROCESSES_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "processes/busy_threads.h"
#include "processes/descendants.h"
#include "processes/look_budget.h"

/* A process of the tree outside the workload's group. */
struct tree_outsider {
	struct process process; /* without a descriptor where these are scarce */
	pid_t parent;
	uint32_t place; /* in the table */
	bool entered;   /* there */
	bool fresh;     /* found by the last look, and not before */
	bool denied;    /* may not be stopped by us */
};

struct attached;

struct tree {
	pid_t group;      /* the workload's process group */
	pid_t init;       /* its containment's, a child of the caller that is left alone; 0: none */
	bool whole_group; /* its leader has not been reaped, so that the group's number is still its own */
	bool stopped;
	struct tree_outsider *outsider; /* parents first */
	size_t outsiders;
	pid_t denied; /* one of the tree's processes that the last scan found may not be signalled, or 0 */
	struct descendants scan;
	struct busy_threads busy;
	int64_t patience_ns;        /* a look is due after this also when nobody has forked; 0: a second */
	struct look_budget *budget; /* of all executors; NULL: there is none */
	int64_t scanned_ns;
	uint64_t scanned_forks;
	int64_t look_ns; /* processor time of the last look */
	uint64_t looks;  /* how many there have been */
	bool changed;    /* during the last one: somebody came, or went before it was looked at */
	bool still;      /* all stood still in the last one, and none has been continued: none of them can have forked since */
	int loadavg;
	bool attached;
	const struct attached *group_of; /* an attached control group; NULL: it is none */
	int table;                       /* of an attached tree */
	uint64_t cpu_ticks;              /* of an attached tree: what its processes have used, in USER_HZ */
};

/* For a workload whose first process, `first`, leads a process group of its own. */
void tree_init(struct tree *tree, pid_t first);
void tree_free(struct tree *tree);

/* For an attached process or group and what is below it, none of which is stopped by this. 0, or -1 with errno. */
int tree_attach(struct tree *tree, const struct attached *attached, int64_t now_ns);
/* Looks again; false when no process of an attached tree is left. Until then outsider[0] is one that was alive, for poll(2). */
bool tree_lives(struct tree *tree, int64_t now_ns);

/*
 * Stop all, parents first; looks for processes that left the group when the machine has forked since the last look, unless that found all
 * standing still and none was continued, and again as long as those below us change meanwhile. What is stopped already stays so, and what
 * somebody else continued is stopped again.
 */
void tree_stop(struct tree *tree, int64_t now_ns);
/* When there is time: finds the threads that are to be sent the next stop themselves. */
void tree_find_busy(struct tree *tree, int64_t now_ns);
/* Continue all, parents last. */
void tree_continue(struct tree *tree);
/* Sends a signal to all, after a fresh look. */
void tree_signal(struct tree *tree, int signal, int64_t now_ns);
/* To be called when the leader has ended and before it is reaped: what is left of the group is found by looking. */
void tree_leader_ends(struct tree *tree, int64_t now_ns);

#endif
