/* SPDX-License-Identifier: MIT */
/* What a trial does, all of which follows from its seed. */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trial.h"

#define INSTANCES_MAX 4
/* One more for an attached process. */
#define EXECUTORS_MAX (INSTANCES_MAX + 1)
#define ACTIONS_MAX 20
/* What the attached process has for an instance: no instance of the tool's. */
#define ATTACHED_INSTANCE 100

/* Where the tool and its workloads write to: a file, a pipe without a reader, or a full one whose reader waits. */
enum output { OUTPUT_KEPT, OUTPUT_BROKEN, OUTPUT_FULL };
enum role { ROLE_GUARDIAN, ROLE_MASTER, ROLE_EXECUTOR, ROLE_WORKLOAD };

struct action {
	enum role role;
	unsigned which; /* executor; of workload processes, which one, modulo their number */
	int signal;
	int64_t gap_us; /* before it */
};

struct plan {
	enum kind kind;
	enum shape shape;
	enum victims victims;
	unsigned instances;           /* that are started */
	bool attached;                /* and one that is there before */
	bool in_group;                /* … by its control group */
	unsigned executors;           /* of all of them */
	bool executor[EXECUTORS_MAX]; /* to be killed */
	const char *target;
	int64_t run_us, grace_us, moment_us, interval_us;
	enum actuator actuator; /* what holds the workloads */
	bool suspend;           /* Ctrl-Z before it */
	bool at_once;           /* as near to one instant as can be */
	bool standstill;        /* SIGSTOP to one of the tool's processes before it */
	enum output output;
	struct action action[ACTIONS_MAX];
	unsigned actions;
};

void plan_make(struct plan *plan, const struct settings *settings, uint64_t seed);

/* The word for faults_workload. Jobs need their shell; where there is none, a tree stands for them. */
const char *plan_workload(enum kind kind);

/* The tool with its options, up to the commands. `attached` is the process that was there before, `group` its group. */
#define PLAN_ARGUMENTS 100
struct plan_command {
	const char *argument[PLAN_ARGUMENTS];
	size_t count;
	char text[8][32];
	size_t texts;
};
void plan_command(const struct plan *plan, const struct settings *settings, pid_t attached, const char *group,
	struct plan_command *command);

/* What -a calls it; NULL: there is no such actuator. */
const char *actuator_name(enum actuator actuator);

/* For people, as far as there is room. */
void plan_describe(const struct plan *plan, char *text, size_t size);

#endif
