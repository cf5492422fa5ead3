/* SPDX-License-Identifier: MIT */
/*
 * A PID namespace around one workload, so that the kernel kills all of it when its executor dies, however that happens.
 *
 * Its process 1 is a process of ours, the init, a child of the caller: it dies by SIGKILL with the caller, and the namespace
 * dies with it. It reaps orphans, says when the workload's first process has ended and how, and ends when no process is left.
 * It must not be stopped, continued or terminated with the workload.
 */
#ifndef WORKLOADS_CONTAINMENT_H
#define WORKLOADS_CONTAINMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "self/scheduling.h"
#include "showstopper/module.h"

#define CONTAINMENT_REASON_MAX 256

/* How far the start of a workload came when it failed, contained or not. */
enum start_stage {
	STAGE_NONE,
	STAGE_EXECUTOR,
	STAGE_GROUP,
	STAGE_FORK,
	STAGE_NAMESPACE,
	STAGE_MAP,
	STAGE_PROC,
	STAGE_CHDIR,
	STAGE_STDIN,
	STAGE_STDOUT,
	STAGE_STDERR,
	STAGE_AFFINITY,
	STAGE_EXEC,
};

/* What a stage does, as in "can't …". */
const char *start_stage_text(enum start_stage stage);

/* Zero with tie -1 before containment_fork. */
struct containment {
	pid_t init;          /* process number of the init, to be reaped by the caller; 0: none */
	int tie;             /* readable when the first process has ended, or the init; -1: none */
	bool user_namespace; /* it took a user namespace */
};

/*
 * Like fork(2), but the child is the first process within a new PID namespace; it has a /proc of its own and, where the caller
 * has not CAP_SYS_ADMIN, a user namespace in which its user and group are as before. The caller must be a subreaper and must
 * have blocked all signals. The child has the user's scheduling attributes. Returns 0 in the child; its number in the caller;
 * or -1 with errno and *stage saying what failed.
 */
pid_t containment_fork(struct containment *containment, const struct scheduling *user, enum start_stage *stage);

/*
 * To be called when the tie is readable. True when the first process has ended, with its wait status; it stays a zombie until
 * containment_let_go. False otherwise; when the init is gone the tie is closed.
 */
bool containment_read_end(struct containment *containment, int *wait_status);
/* Lets the init reap the first process. */
void containment_let_go(const struct containment *containment);

/* Waits until the init has ended, with all in it, letting go of the first process; at most until deadline_ns. True if it has. */
bool containment_await_end(struct containment *containment, int64_t deadline_ns);

/*
 * Has the init kill all others, which nobody escapes, reap them, so that their CPU time is known, and end. At most until deadline_ns,
 * letting go of the first process. True when it has ended; the caller reaps it.
 */
bool containment_end(struct containment *containment, int64_t deadline_ns);

/* Kills and reaps the init, with all in it. */
void containment_abandon(struct containment *containment);

/* Closes the tie. The init ends by itself when its namespace is empty. */
void containment_free(struct containment *containment);

/*
 * Tries it, in a process of its own. True when it is permitted, with *user_namespace saying whether it takes one; else the
 * reason is what can't be done and why.
 */
bool containment_is_permitted(bool *user_namespace, char reason[static CONTAINMENT_REASON_MAX]);

/* What a run needs of the kernel beside measurements, and what makes it cheaper. */

/* Tries pidfd_open and the subreaper: 0, or errno with *what naming the call that failed. The caller stays as it is. */
int linux_facilities_processes(const char **what);

/* Whether /proc is that of the caller's PID namespace, or none: in that of another one numbers belong to other processes. */
bool linux_facilities_own_proc(void);

/* Whether the kernel lists the children of a process (CONFIG_PROC_CHILDREN). */
bool linux_facilities_children(void);

/* Whether /proc is mounted so that it hides the processes of other users from users (hidepid). */
bool linux_facilities_hidepid(const struct sst_env *env);

/* Whether memory can be shared by a name, in /dev/shm. */
bool linux_facilities_shm(void);

#endif
