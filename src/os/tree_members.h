/* SPDX-License-Identifier: MIT */
/* Who is of a tree whose processor time is counted; nobody but tree_time.c includes it. */
#ifndef OS_TREE_MEMBERS_H
#define OS_TREE_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "os/process.h"

enum tree_file { TREE_STAT, TREE_CHILDREN, TREE_FILES };
enum tree_kind { NEW, STRANGER, MEMBER };

struct tree_process {
	pid_t pid, parent, group, session;
	uint64_t start_ticks;
	enum tree_kind kind;
	bool is_dead, is_zombie, is_listed;
	/* Seconds: integers of nanoseconds would end at 292 processor-years. */
	double own, children;         /* as counted */
	double own_now, children_now; /* as read */
	double waited;                /* growth of the second counter that has paid no debt */
	double debt, fresh_debt;      /* of earlier readings, of this one */
	uint64_t threads;
	bool is_old;          /* there at an earlier look */
	int kept[TREE_FILES]; /* files that stay open: one more than the descriptor; 0: not open */
};

struct linux_tree_time {
	const char *root;
	bool has_clocks;
	bool by_children; /* looks follow the lists of children */
	bool is_hidden;   /* as of the last look, see the reading */
	double hz;
	struct tree_process *process; /* by pid, each once */
	size_t count, room;
	uint64_t forks; /* at the last look at all processes; 0: look again */
	uint64_t forks_at_reread;
	double used;
	unsigned kept, may_keep; /* files */
	bool is_begun;           /* the first reading has set the counters */
};

/* The one of that number, or NULL. */
struct tree_process *tree_members_find(const struct linux_tree_time *tree, pid_t pid);

/* Seconds of a process's own time by its clock, which /proc can't hide. False where there is no such process, or no clock. */
bool tree_members_clock(const struct linux_tree_time *tree, pid_t pid, double *seconds);

/* Begins with the process `pid`. 0, or -1 with errno. */
int tree_members_begin(struct linux_tree_time *tree, pid_t pid);

/* Brings all members' counters up to date, or marks them as dead. */
void tree_members_read(struct linux_tree_time *tree);

/* Whether there may be new members, now that the machine has made so many processes; 0: not known. */
bool tree_members_may_be_new(const struct linux_tree_time *tree, uint64_t forks);
/* Looks for them. By lists of children, all that tree_members_read does is done as well. 0, or -1 with errno. */
int tree_members_look(struct linux_tree_time *tree, uint64_t forks);

/* Closes the files of one that is dead. */
void tree_members_let_go(struct linux_tree_time *tree, struct tree_process *process);

/* Whether a look follows lists of children here. */
bool tree_members_have_lists(const char *root, pid_t pid);

#endif
