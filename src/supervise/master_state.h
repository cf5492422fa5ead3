/* SPDX-License-Identifier: MIT */
/* What the files of the master share; nobody else includes it. */
#ifndef SUPERVISE_MASTER_STATE_H
#define SUPERVISE_MASTER_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "control/run.h"
#include "os/scheduling.h"
#include "supervise/master_recording.h"
#include "supervise/ties.h"

enum stage { STARTING, RUNNING, ENDING };

/* What is known of an executor's rounds: see stalls.h. */
struct stall {
	uint32_t rounds;  /* as of the last look … */
	unsigned quiet;   /* … and for how many looks that hasn't changed */
	int64_t heard_ns; /* when it had changed last; 0: not looked at yet */
	bool still;       /* it stands still … */
	int64_t since_ns; /* … since then */
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

#endif
