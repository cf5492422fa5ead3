/* SPDX-License-Identifier: MIT */
/*
 * A run of Showstopper in virtual time: the modules, the loop, the estimate, the log and the summary are those of a real run; the
 * machine, its workloads and the processes of Showstopper are modelled.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "control/run.h"
#include "record/control_log.h"
#include "record/intervals.h"
#include "record/summary.h"
#include "sim/bandwidth.h"
#include "sim/config.h"
#include "sim/executors.h"
#include "sim/history.h"
#include "sim/machine.h"

/* What there is without options, for P processors, with showstopper's default modules; without models and the trace's options. */
void sim_config_defaults(struct sim_config *config, unsigned processors);

/* What was exactly done. */
struct sim_use {
	int64_t processors_ns, cores_ns; /* time that they were busy, of all */
	int64_t progress_ns;             /* of the workloads: in the CPU time that it takes on cores of their own */
	int64_t length_ns;
};

/* Whoever made it reads it; only what is here changes it. */
struct sim_run {
	const struct sim_config *config;
	struct config real_config; /* the part that recorder and log look at */
	struct run real;           /* likewise: modules as the master has them, shared memory */
	struct sim_host host;
	struct sim_machine machine;
	struct heartbeat heartbeat;
	struct sim_executors executors;
	struct sim_process **background;
	unsigned backgrounds;
	struct sim_event recording, stepping, halting;
	struct sim_task absence; /* occupies the processor that is gone */
	struct intervals intervals;
	struct control_log *log;
	struct sim_history history, own_history; /* of the load, and of the workloads' processor time alone */
	struct sim_stall stall;                  /* its count says how often a processor stood still */
	struct summary summary;                  /* its accuracy is of what the feedback source said */
	struct sim_use before;                   /* until control began */
	int64_t began_ns, origin_ns, end_ns;
	bool log_failed, out_of_memory;
};

/* Loads modules and builds the machine. NULL after a message. The configuration must outlive the run. */
struct sim_run *sim_run_new(const struct sim_config *config);
/* Runs it to its end, once. 0, or -1 after a message. */
int sim_run_go(struct sim_run *run);
void sim_run_free(struct sim_run *run);

/* Under control. */
struct sim_use sim_run_use(const struct sim_run *run);
/* CPU time of one workload. */
int64_t sim_run_workload_ns(const struct sim_run *run, unsigned index);

#endif
