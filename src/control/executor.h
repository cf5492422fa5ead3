/* SPDX-License-Identifier: MIT */
/*
 * One executor as a state machine: what it makes of the clock, of the master's orders in shared memory and of what becomes of its
 * workload. It makes no system call: what it wants done its owner does, with real processes (supervise/) or with simulated ones (sim/).
 *
 *   held          from the start of the workload on, until all are there; stopped, unless starts are staggered
 *   free          until control begins
 *   controlled    an edge after the other; a workload of a free group stays free
 *   paused        stopped, and its time doesn't count
 *   terminating   told to end, until the grace period is over; then killed
 *
 * In each but the last one the workload may be gone for a while, until it is started again.
 */
#ifndef CONTROL_EXECUTOR_H
#define CONTROL_EXECUTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "control/heartbeat.h"
#include "control/loop.h"
#include "control/run.h"

/* How a workload is to be held from now on. */
struct executor_hold {
	bool run;               /* else it is stopped, also where it is already: somebody else may have continued it */
	bool again;             /* what runs already is continued again, likewise */
	struct bandwidth limit; /* quota 0: none */
	int64_t now_ns;
};

/* How it is to end. */
enum executor_end {
	EXECUTOR_TERMINATES, /* it is asked to, and runs without limits for the grace period */
	EXECUTOR_KILLS,      /* at once, with all that is left of it */
	EXECUTOR_LETS_GO,    /* an attached one: it runs on without us */
};

/* What the owner does for an executor. Times in ns. NULL: it is never asked for, or nothing is to be done. */
struct executor_hands {
	/* Returns how long it took. */
	int64_t (*hold)(void *context, const struct executor_hold *hold);
	/* Processors that the workload has threads for, where a duty cycle is a bandwidth; 0: not known. */
	double (*width)(void *context);
	/* Prepares the next edge, if there is time until then. */
	void (*settle)(void *context, int64_t until_ns);
	/* Lets another executor, which sleeps too long, wake up on the caller's processor. */
	void (*fetch)(void *context, struct slot *late);
	/* Goes to its home processor; or it has been fetched, and may go wherever it likes. */
	void (*move)(void *context, bool to_home_cpu);
	/* Processor time of the workload since it is ours; `living`: also of its processes that haven't ended. */
	int64_t (*used)(void *context, bool living);
	void (*end)(void *context, enum executor_end how);
	/* Starts a workload of which nothing is left, running. 0, or -1 when it can't; the slot says why. */
	int (*start)(void *context);
};

struct executor {
	const struct executor_hands *hands;
	void *context;
	struct run *run;
	struct slot *slot;
	bool is_attached; /* to a workload that was there before */
	struct loop loop;
	struct slot_record record;
	struct overdue overdue;
	bool started; /* left the hold */
	bool paused;
	bool terminating;
	bool waiting;               /* no process is left, and the workload is to be started again … */
	int64_t respawn_ns;         /* … not before this moment, */
	int64_t delay_ns;           /* so long after it was started the last time */
	bool stopped;               /* how the workload is held … */
	struct bandwidth limit;     /* … likewise */
	int64_t started_ns;         /* when it was started the last time; … */
	int64_t cpu_at_start_ns;    /* … what had been used by then, and … */
	uint32_t failures_at_start; /* … how often it had failed */
	bool has_run;               /* since then, and … */
	unsigned resumptions;       /* … how often it was stopped after that and continued, … */
	int64_t resumed_ns;         /* … the last time then */
	bool has_begun, has_ended;  /* control, as the slot knows what was used by then */
	int64_t fetched_ns;         /* when another executor fetched this one from its home processor; 0: it is there */
	int64_t due_ns;             /* when the next edge is due; 0: never */
	int64_t wake_ns;            /* when it is called again at the latest; 0: not of itself */
	int64_t alone_ns;           /* when it ends by itself, as the guardian is gone; 0: never */
};

/*
 * The owner sets the clocks of the loop's estimator, which are the executor's, and initialises what can fail: the modules, which are the
 * run's until the owner gives the loop others, and the loop, which is to be freed.
 */
void executor_init(struct executor *executor, struct run *run, unsigned index, const struct executor_hands *hands, void *context);

/* Its workload has come up, and runs: it is held, unless it is attached or starts are staggered. */
void executor_come_up(struct executor *executor);

/*
 * It goes to sleep until the moment that this returns, INT64_MAX: until there is news. When it wakes up, for whatever reason,
 * executor_awake comes first, and executor_look last unless executor_on_time says that there is no need.
 */
int64_t executor_sleep(struct executor *executor);
void executor_awake(struct executor *executor);

/* Does what it is time for. True when that was an edge, and nothing else can have changed. */
bool executor_on_time(struct executor *executor);

/* Follows the master's orders. */
void executor_look(struct executor *executor);

/* The first process of the workload has ended, with this wait status. */
void executor_first_ended(struct executor *executor, int wait_status, bool failed);

/* No process of the workload is left. True when it goes on all the same, since it is started again, now or later. */
bool executor_comes_back(struct executor *executor);

/* The guardian is gone, and the master is to end the run; if it doesn't in time, it has been outlived. */
void executor_left_alone(struct executor *executor);
bool executor_has_outlived(const struct executor *executor);

/* Its last act: nothing is left of the workload, or it has been let go. */
void executor_sign_off(struct executor *executor);

#endif
