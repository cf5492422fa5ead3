/* SPDX-License-Identifier: MIT */
/* One trial: a run of the tool, kills at random, and a verdict. All of it follows from the trial's seed. */
#ifndef TRIAL_H
#define TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "module/actuator.h"

enum tool { TOOL_SHOWSTOPPER, TOOL_CPULIMIT, TOOL_CPULIMIT_ATTACHED };

enum kind {
	KIND_SINGLE,
	KIND_HALVED,
	KIND_TREE,
	KIND_CHAIN,
	KIND_STUBBORN,
	KIND_SETUID,
	KIND_JOBS,
	KIND_BROOD,
	KIND_BRIEF,
	KINDS
};

/* How the run is put together. */
enum shape {
	SHAPE_PLAIN,     /* one group */
	SHAPE_ATTACHED,  /* and a process that was there before */
	SHAPE_FREE,      /* and a group that runs uncontrolled */
	SHAPE_DYNAMIC,   /* two groups that move between processors */
	SHAPE_RESPAWNED, /* workloads that end soon, and are started again */
	SHAPE_STAGGERED, /* started one after the other */
	SHAPE_MIXED,     /* three groups, started one after the other and respawned, and an attached process */
	SHAPES
};

/* Which of the tool's processes are killed. */
enum victims {
	VICTIMS_NONE, /* only signals that end the run in order, and processes of workloads */
	VICTIMS_EXECUTORS,
	VICTIMS_GUARDIAN,        /* and maybe executors */
	VICTIMS_MASTER,          /* likewise */
	VICTIMS_GUARDIAN_MASTER, /* and maybe some executors */
	VICTIMS_ALL,
	VICTIM_SETS
};

struct settings {
	enum tool tool;
	const char *program;    /* the tool */
	const char *workload;   /* faults_workload */
	const char *contain;    /* NULL, or the value of --contain */
	int shape;              /* enum shape, or -1: any */
	enum actuator actuator; /* for -a */
	bool any_actuator;      /* … but one of those that can be had, as the seed says */
	bool has_actuator[ACTUATORS];
	char group_place[128]; /* where a group can be made for an attached process; "": nowhere */
	int64_t deadline_us;   /* what may be left is judged so long after the run ended */
};

enum verdict {
	VERDICT_UNKNOWN, /* the trial itself died */
	VERDICT_CLEAN,
	VERDICT_LATE,     /* clean in the end, after the deadline */
	VERDICT_LEFT,     /* something is there that must not be there */
	VERDICT_VANISHED, /* nothing is, but whom the signals were meant for had ended before */
};

#define TRIAL_TEXT 2048

struct result {
	uint64_t seed;
	enum verdict verdict;
	enum kind kind;
	enum shape shape;
	enum victims victims;
	enum actuator actuator;
	bool ran;          /* the tool was there when the first signal was sent */
	bool unsupervised; /* nobody was left who could clean up (promise 2) */
	unsigned instances;
	unsigned kills;          /* signals sent */
	unsigned vanished;       /* processes that had ended when their fatal signal came */
	unsigned stopped;        /* processes that stay stopped at the deadline, permitted or not */
	unsigned alive;          /* likewise alive, stopped ones included */
	unsigned names;          /* left in /dev/shm or as control groups, and removed by the next run */
	int64_t clean_us;        /* when nothing was left, after the run ended; -1: never */
	char text[TRIAL_TEXT];   /* what was done and what is wrong */
	char output[TRIAL_TEXT]; /* end of what the tool printed */
};

const char *kind_name(enum kind kind);
const char *shape_name(enum shape shape);
const char *victims_name(enum victims victims);

/* Runs the trial of this seed in the calling process, which should have been forked for it, and leaves nothing behind. */
void trial_run(const struct settings *settings, uint64_t seed, struct result *result);

#endif
