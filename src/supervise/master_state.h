/* SPDX-License-Identifier: MIT */
/* What the files of the master share, and what each of them does for the others; nobody else includes it. */
#ifndef SUPERVISE_MASTER_STATE_H
#define SUPERVISE_MASTER_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "control/run.h"
#include "self/scheduling.h"
#include "supervise/master_recording.h"
#include "supervise/obligations.h"

enum stage { STARTING, RUNNING, ENDING };

/* What is known of an executor's rounds: see stalls.h. */
struct stall {
	uint32_t rounds;  /* as of the last look … */
	unsigned quiet;   /* … and for how many looks that hasn't changed */
	int64_t heard_ns; /* when it had changed last; 0: not looked at yet */
	bool still;       /* it stands still … */
	int64_t since_ns; /* … since then */
	bool given_up;    /* it has been killed for that */
};

struct master {
	struct run run;
	struct recording recording;
	const struct config *config;
	const struct master_ties *ties;
	enum stage stage;
	pid_t *executor;            /* by workload; 0 once reaped */
	unsigned alive;             /* executors not reaped */
	unsigned lost;              /* executors that died and that the run went on without */
	bool strays;                /* what one of them left may not be dead yet */
	bool told_end;              /* of the first free workload that has ended */
	unsigned forked;            /* executors, so far */
	struct stall *stall;        /* by workload */
	int64_t looked_ns;          /* when it was looked at them last */
	unsigned ready, slow_looks; /* workloads that have come up, and for how many looks that hasn't changed */
	int64_t first_ns;           /* when the first workload is started; 0: not known yet */
	int signals, timer;
	int instant;       /* timer of --start-at, or -1 */
	bool timed;        /* the run has an end */
	int64_t length_ns; /* … this long after the origin */
	int64_t paused_ns; /* since when it is paused; 0: it isn't */
	bool begins_paused;
	int64_t suspended_ns; /* … since when */
	bool suspended;       /* by Ctrl-Z */
	int64_t began_ns;     /* end of the hold */
	int64_t ended_ns;     /* end of control */
	bool killing;         /* executors have been ordered to kill */
	bool overdue;         /* … and didn't end in time */
	int interrupted;      /* signal that ended the run, or 0 */
	bool hint_due;        /* … and the user is told how to end what is left when the timer expires */
	int64_t limit_ns;     /* end of the time that executors have to terminate */
	int status;           /* 0, or what an error demands */
	int log_file;         /* open for the log, which is written from the first start on; -1: none, or the log has it */
	struct scheduling_grant grant;
	int64_t started_s; /* wall clock */
};

/* ---- master_executors.c: their start, orders to them and their ends, and the end of the run, which is an order too ----------- */

/* Starts the next one. 0, or -1 after a message, and the run ends. */
int executors_fork(struct master *master, unsigned index);

/* Makes them look at the shared memory. */
void executors_nudge(const struct master *master);

/* Phases only go forward: an order that comes too late changes nothing. */
void executors_order(struct master *master, enum shared_phase phase);

/* Takes note of those that ended: tells why where it matters, and ends the run where that is due. */
void executors_reap(struct master *master);

/* Kills what dead executors left: children of ours that are no executors, with all below them. True when there was something. */
bool executors_kill_strays(const struct master *master);

/* Free workloads alone are no run. */
bool executors_some_are_controlled(const struct master *master);

/* Whether each workload has been started, or never will be. One that can't be started ends the run when its executor ends. */
bool executors_all_are_ready(const struct master *master);

/* When the timer expires next (CLOCK_MONOTONIC). */
void master_arm(const struct master *master, int64_t when_ns);

/*
 * Ends the run. Executors that don't end in time, because they hang in a start or were stopped by somebody, are killed with what is
 * below them.
 */
void master_end(struct master *master, enum shared_phase how);
/* … at once, with this exit status unless there is one already. */
void master_end_with_error(struct master *master, int status);

/* ---- master_supervision.c: from the first start of a workload until no executor is left, or those that are don't end in time -- */

/* Opens a log that is no file, such as a FIFO, which waits for its reader. 0, or -1 after a message. */
int master_open_log(struct master *master);

/* Starts what is due, or waits for the instant of --start-at; then goes round until the run has ended. */
void master_supervise(struct master *master);

/* Seconds of control that are left of the time that the run was to take; 0 where none was asked for. */
double master_left_s(const struct master *master, int64_t now_ns);

#endif
