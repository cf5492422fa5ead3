/* SPDX-License-Identifier: MIT */
/* Scheduling attributes and limits: what the user had, what Showstopper's processes take, and giving workloads back what the user had. */
#ifndef SELF_SCHEDULING_H
#define SELF_SCHEDULING_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

struct scheduling {
	int policy;   /* as sched_getscheduler(2) says, with SCHED_RESET_ON_FORK where set */
	int priority; /* of a real-time policy */
	int nice;
	unsigned long slack_ns;      /* timer slack */
	int oom_score;               /* oom_score_adj */
	struct rlimit files;         /* RLIMIT_NOFILE */
	sigset_t mask;               /* blocked signals */
	struct sigaction action[65]; /* dispositions, by signal number */
};

/* What raising got. */
struct scheduling_grant {
	enum { GRANT_NOTHING, GRANT_NICE, GRANT_FIFO } grant;
	int value;       /* nice value or real-time priority */
	bool oom_spared; /* the out-of-memory killer looks elsewhere first */
};

/* Records the calling process's. */
void scheduling_save(struct scheduling *saved);

/* The lowest nice value permitted, and timer slack 1 ns. */
struct scheduling_grant scheduling_raise_nice(void);

/*
 * Puts the calling process above everything that has the user's attributes: as scheduling_raise_nice, and SCHED_FIFO with
 * SCHED_RESET_ON_FORK where permitted, one above the user's real-time priority.
 */
struct scheduling_grant scheduling_raise(const struct scheduling *user);

/* What scheduling_raise would get: tried in a child. */
struct scheduling_grant scheduling_try(const struct scheduling *user);

/* Room for a path that a shell reads back. */
#define SCHEDULING_REMEDY_MAX (PATH_MAX + 64)

/*
 * The command, in one line, by which root permits SCHED_FIFO to whoever runs this program. False where that wouldn't help: to root, to
 * whom a container or a sandbox denies it, and to a process that may not get privileges by executing a program.
 */
bool scheduling_remedy(char text[static SCHEDULING_REMEDY_MAX]);

/* Leaves SCHED_FIFO for an ordinary policy, the nice value stays; scheduling_raise undoes it. */
void scheduling_step_down(void);

/*
 * Around a fork whose child is to be the user's. A child's default timer slack, which it falls back to, is the slack that its
 * parent has at that moment, and can't be set otherwise; a real-time process has none.
 */
struct scheduling_lent {
	bool fifo;
	unsigned long slack_ns;
};
struct scheduling_lent scheduling_before_fork(const struct scheduling *user);
void scheduling_after_fork(const struct scheduling *user, const struct scheduling_lent *lent);

/* Lowers the calling process's oom_score_adj where permitted; true when it was. */
bool scheduling_spare_from_oom(void);

/* Gives the calling process the saved policy, nice value, timer slack and oom_score_adj. */
void scheduling_restore_attributes(const struct scheduling *saved);

/* Gives the calling process everything that was saved, mask and dispositions last; for a child before exec. Async-signal-safe but for stdio. */
void scheduling_restore(const struct scheduling *saved);

#endif
