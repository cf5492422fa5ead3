/* SPDX-License-Identifier: MIT */
/*
 * A run of Showstopper in virtual time: the modules, the loop, the estimate, the log and the summary are those of a real run; the
 * machine, its workloads and the processes of Showstopper are modelled.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "control/run.h"
#include "record/summary.h"
#include "sim/config.h"
#include "sim/history.h"
#include "sim/machine.h"

/* What there is without options, for P processors, with showstopper's default modules; without models and the trace's options. */
void sim_config_defaults(struct sim_config *config, unsigned processors);

struct sim_run;

/* Loads modules and builds the machine. NULL after a message. The configuration must outlive the run. */
struct sim_run *sim_run_new(const struct sim_config *config);
/* Runs it to its end, once. 0, or -1 after a message. */
int sim_run_go(struct sim_run *run);
void sim_run_free(struct sim_run *run);

/* The prepared modules, by kind. */
const struct module *sim_run_modules(const struct sim_run *run);

/* Whether the load is of cores: then the exact history is, too. */
bool sim_run_is_of_cores(const struct sim_run *run);

/* After sim_run_go; owned by the run. The summary's accuracy is of what the feedback source said. */
const struct sim_history *sim_run_history(const struct sim_run *run);
/* Likewise, of the workloads' CPU time alone. */
const struct sim_history *sim_run_own_history(const struct sim_run *run);
/* What was exactly done under control. */
struct sim_use {
	int64_t processors_ns, cores_ns; /* time that they were busy, of all */
	int64_t progress_ns;             /* of the workloads: in the CPU time that it takes on cores of their own */
	int64_t length_ns;
};
struct sim_use sim_run_use(const struct sim_run *run);
/* How often a processor stood still. */
unsigned sim_run_stalls(const struct sim_run *run);
const struct summary *sim_run_summary(const struct sim_run *run);
const struct shared *sim_run_shared(const struct sim_run *run);
const struct sim_machine *sim_run_machine(const struct sim_run *run);
/* CPU time of one workload. */
int64_t sim_run_workload_ns(const struct sim_run *run, unsigned index);

#endif
