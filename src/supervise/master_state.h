/* SPDX-License-Identifier: MIT */
/* What the files of the master share, and what each of them does for the others; nobody else includes it. */
#ifndef SUPERVISE_MASTER_STATE_H
#define SUPERVISE_MASTER_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "control/run.h"
#include "load/run_usage.h"
#include "load/watched.h"
#include "placement/pinning.h"
#include "record/control_log.h"
#include "record/counted.h"
#include "record/intervals.h"
#include "record/miss.h"
#include "record/progress.h"
#include "record/recorder.h"
#include "record/summary.h"
#include "self/scheduling.h"
#include "supervise/live_line.h"
#include "supervise/live_target.h"
#include "supervise/obligations.h"

/* ---- master_recording.c, which knows no master: rows of the log, samples for the summary and the live line, energy ---------- */

struct recording {
	const struct run *run;
	const pid_t *executor;   /* the master's: by workload; 0 once reaped */
	struct control_log *log; /* or NULL; recording_close_log closes it */
	struct intervals intervals;
	struct miss miss;
	struct energy energy;
	struct counted counted;              /* events of the workloads */
	struct linux_run_usage *usage;       /* processor time of the run, to know the load of others; NULL: not known */
	struct linux_watched *watched;       /* NULL: nothing is */
	double watched_ended_s[WATCHES_MAX]; /* when each had ended, since control began; NaN: it hasn't */
	bool usage_has_begun;
	bool tells_free; /* … and of it that of free workloads */
	struct progress progress;
	struct live_line live_line;
	bool log_failed, source_failed, told_nan; /* told once */
	uint64_t told_signals;        /* … by which workloads stand still that Showstopper didn't stop: a bit for each */
	int64_t known_ns, checked_ns; /* when the load was known last, and when that was looked at */
	bool is_unknown;              /* it has been for long, and that was told */
	bool was_blind;               /* … and for so long that the run went on without feedback, or ended */
	char trouble[RUN_ERROR_MAX];  /* what was told last of the source */
	bool log_unknown;             /* nobody knows whether what was written of the log has arrived */
	struct control_log_loss log_loss;
	struct pinning_course dynamic; /* where there are groups with it */
	struct sst_cpus *allowed;      /* … what neutral means */
	bool moving;                   /* threads may have been missed when the groups were moved */
};

/* With `run` and `log` filled in. 0, or -1 with errno. */
int recording_init(struct recording *recording);

/*
 * At the end, when nothing is left to be cleaned up: writes what waits for a slow reader, for a second at most, and says what of the run is
 * not in the log.
 */
void recording_close_log(struct recording *recording);

/* Whether all rows of the log are written, as far as is known; without one, too. */
bool recording_has_whole_log(const struct recording *recording);

void recording_free(struct recording *recording);

/* Opens what is watched. 0, or -1 after a message. */
int recording_watch(struct recording *recording);

/* Reads the feedback source, and with it our own time and that of what is watched. False where that fails, which is told once. */
bool recording_read(struct recording *recording, struct sst_reading *reading);

/* At the end: whether the source has not been readable for so long that nobody knows what the load was. Told. */
bool recording_lost_source(const struct recording *recording, int64_t end_ns);

/* Tells that the load isn't known any more, or again. False when that has lasted for so long that the run is to end; told. */
bool recording_knows_load(struct recording *recording, int64_t now_ns);

/* Energy and events are measured from now on, or were up to now, in a stretch that may be shorter than a row. */
void recording_start_meters(struct recording *recording);
void recording_stop_meters(struct recording *recording);

/* Ends the intervals that are due. */
void recording_take(struct recording *recording, enum intervals_until until);

/* ---- The master ------------------------------------------------------------------------------------------------------ */

enum stage { STARTING, RUNNING, ENDING };

/* What is known of an executor's rounds: see below. */
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
	struct live_target live;
	int instant;       /* timer of --start-at, or -1 */
	bool timed;        /* the run has an end */
	int64_t length_ns; /* … this long after the origin */
	int64_t paused_ns; /* since when it is paused; 0: it isn't */
	bool begins_paused;
	int64_t suspended_ns; /* … since when */
	bool suspended;       /* by Ctrl-Z */
	int64_t calibrated_ns; /* when what a load of 1 is was looked at last, where the feedback module measures it; 0: not yet … */
	bool calibrated;       /* … and that is over */
	int64_t began_ns;      /* end of the hold */
	int64_t ended_ns;      /* end of control */
	bool killing;          /* executors have been ordered to kill */
	bool overdue;          /* … and didn't end in time */
	int interrupted;       /* signal that ended the run, or 0 */
	bool hint_due;         /* … and the user is told how to end what is left when the timer expires */
	int64_t limit_ns;      /* end of the time that executors have to terminate */
	int status;            /* 0, or what an error demands */
	int log_file;          /* open for the log, which is written from the first start on; -1: none, or the log has it */
	struct scheduling_grant grant;
	int64_t started_s; /* wall clock */
};

/* ---- executors.c: their start, orders to them and their ends, and the end of the run, which is an order too ----------- */

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

/* ---- master_loop.c: from the first start of a workload until no executor is left, or those that are don't end in time -- */

/* Opens a log that is no file, such as a FIFO, which waits for its reader. 0, or -1 after a message. */
int master_open_log(struct master *master);

/* Starts what is due, or waits for the instant of --start-at; then goes round until the run has ended. */
void master_supervise(struct master *master);

/* Seconds of control that are left of the time that the run was to take; 0 where none was asked for. */
double master_left_s(const struct master *master, int64_t now_ns);

/* ---- calibration.c: what a load of 1 is, where the feedback module measures that while all workloads run free ----------------- */

/* When the next step of it is due; INT64_MAX: never. */
int64_t calibration_next(const struct master *master);

/* Takes one that is due. False when nothing has come of it, and the run ends. */
bool calibration_step(struct master *master);

/* After a pause, which is no time in which workloads ran, it begins anew, and control waits for it. */
void calibration_begin_anew(struct master *master);

/* ---- stalls.c --------------------------------------------------------------------------------------------------------- */

/*
 * Executors that stand still: stopped by somebody, or kept by a file system that doesn't answer. The master notices, says so, and leaves
 * them out of the ring until they go on; one that never does is lost. One whose workload isn't started in time ends the run. Where too
 * many dead processes aren't reaped meanwhile, who has most of them is killed.
 *
 * Each executor counts the rounds of its loop. Who has made none for a while is nudged, and has to make one then. Looks are counted and
 * not the clock, so that a pause of the whole machine is nobody's.
 */

/* A look at all of them, if it is time for one; and how long from now until it is, in ns. */
void stalls_look(struct master *master);
int64_t stalls_next(const struct master *master, int64_t now_ns);

/* The run ends: who stands still by now is lost. */
void stalls_end(struct master *master);

#endif
