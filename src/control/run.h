/* SPDX-License-Identifier: MIT */
/* One run: what master and executors have in common. Set up by the master before it forks; executors inherit it. */
#ifndef CONTROL_RUN_H
#define CONTROL_RUN_H

#include "config/config.h"
#include "control/heartbeat.h"
#include "control/shared.h"
#include "groups/group_tree.h"
#include "groups/workload_groups.h"
#include "module/module.h"
#include "processes/attached.h"
#include "self/host.h"
#include "self/scheduling.h"

struct obligations;

struct run {
	const struct config *config;
	struct module module[KINDS];
	struct host_env host[KINDS];
	struct shared *shared;
	const struct attached *attached; /* config->attaches of them; the guardian's */
	struct group_place place;        /* where control groups for the workloads can be made */
	struct workload_groups *groups;  /* the guardian's */
	const struct obligations *owed;  /* supervise/obligations.h; the guardian's */
	struct scheduling user;          /* what the user had */
	int guardian, master;            /* their pidfds */
	struct heartbeat *heartbeat;     /* the guardian's */
	int ready;                       /* eventfd; each executor adds 1 when its workload runs or can't */
};

/* A module's message, and what it was asked for. */
#define RUN_ERROR_MAX (2 * MODULE_ERROR_MAX)

/*
 * Loads a module as run->config says, and prepares it in run->host, which is complete but for its memory; what it refuses is there too. 0, or -1 with a message. run_unload_modules gives back what there is in both cases.
 */
int run_load_module(struct run *run, enum sst_kind kind, char error[static RUN_ERROR_MAX]);

/* The same on the real machine. run_release gives back what there is in both cases. */
int run_prepare_module(struct run *run, enum sst_kind kind, char error[static RUN_ERROR_MAX]);

/*
 * Loads and prepares a module of each kind. `guardian` is the process that watches over the calling one, 0 where none does. 0, or -1
 * after a message; run_release gives back what there is in both cases. Modules' shared memory is ordinary memory until run_share.
 */
int run_prepare(struct run *run, const struct config *config, pid_t guardian);

/* What holds the workloads. */
enum actuator run_actuator(const struct run *run);

/* Creates the shared memory and moves what the modules prepared into it. 0, or -1 with errno. */
int run_share(struct run *run);

/* Makes the counters of iterations, where the feedback module counts them; after run_share. 0, or -1 with errno. */
int run_make_counters(struct run *run);

/* Moves what the modules prepared into shared memory. */
void run_move_into(struct run *run, struct shared *shared);

/* Calls the modules' init for one executor. 0, or -1 with errno. */
int run_init_modules(struct run *run, unsigned index);

/* Calls the modules' fini and unloads them; and unmaps the memory. */
void run_unload_modules(struct run *run);
void run_release(struct run *run);

/* Whether all that the workloads and our own processes do is part of the load, so that the rest can be told. */
bool run_is_measured_whole(const struct run *run);

/* The value of the feedback module's option `source`; NULL where it has none. */
const char *run_source(const struct run *run);

/* Whether the load is that of what a container leaves of the machine. */
bool run_measures_container(const struct run *run);

/* Whether the load is that of cores, and not of processors. */
bool run_is_of_cores(const struct run *run);

/* Processors (or cores) that the load is of, as the feedback's source had them last; NaN before the first reading. */
/* Whether the load is that of the controlled workloads alone. */
bool run_is_of_workloads(const struct run *run);
double run_processors(const struct run *run);

/* When control begins (CLOCK_MONOTONIC); 0: not known yet. Moves on with each pause. */
int64_t run_origin(const struct run *run);

/* How long workloads run uncontrolled first, in ns: as asked for, or as the feedback module needs to find out what a load of 1 is. */
int64_t run_warmup(const struct run *run);
/* … and the part of it right before control that it needs. */
int64_t run_calibration(const struct run *run);
/* Whether the load can be told by now: what a load of 1 is, is known. */
bool run_knows_load(const struct run *run);
/* The iterations per second that are a load of 1; NaN where the load isn't of iterations, or that isn't known. */
double run_maximum(const struct run *run);
/* What loads are held to, see module_most_load. */
double run_most_load(const struct run *run);

/* Length of the trace in ns, or -1. */
int64_t run_trace_length(const struct run *run);

/* Whether standard input is where targets come from; and whether the only workload gets it. */
bool run_reads_input(const struct run *run);
bool run_hands_input_on(const struct run *run);

/* Whether a container takes away a part of the machine, and what it leaves, for people. */
#define RUN_CONTAINER_MAX 4352
bool run_container(const struct run *run, char text[static RUN_CONTAINER_MAX]);

/* What modules have answered that isn't a number, in words; false where none has. */
#define RUN_NOT_A_NUMBER_MAX 256
bool run_not_a_number(const struct run *run, char text[static RUN_NOT_A_NUMBER_MAX]);

/* The attached process that a workload is, or NULL: it is started. */
const struct attached *run_attached(const struct run *run, unsigned index);

/* The group of a workload that is started. */
const struct group *run_group(const struct config *config, unsigned index);

/*
 * Calls `act` with each command and the folder that it is started in, NULL for ours: for each instance, where its number is in the name of the
 * folder, else once for its group. 0, -1 with errno ENOMEM, or what `act` returned for the first one for which that was not 0.
 */
int run_for_each_command(
	const struct config *config, int (*act)(const char *command, const char *folder, void *context), void *context);

#endif
