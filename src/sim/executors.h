/* SPDX-License-Identifier: MIT */
/* The executors of a simulated run, as tasks of the machine that hold simulated processes. */
#ifndef SIM_EXECUTORS_H
#define SIM_EXECUTORS_H

#include "control/executor.h"
#include "sim/bandwidth.h"
#include "sim/host.h"

struct sim_config;
struct sim_executors;

struct sim_executor {
	struct executor executor;
	struct sim_task task;
	struct sim_executors *owner;
	struct module module[KINDS]; /* with copies of the states */
	struct sim_process *workload;
	struct sim_bandwidth bandwidth;
};

/* Start with the first four, which must outlive it. */
struct sim_executors {
	const struct sim_config *config;
	struct sim_machine *machine;
	struct sim_host *host;
	struct run *run; /* its modules are prepared, and it has shared memory */
	struct sim_executor *executor;
	struct sim_process **process; /* their workloads */
	unsigned count;               /* that are set up */
	char *states;
	int64_t halted_until_ns; /* until then they do nothing; 0: they aren't halted */
};

/*
 * Adds one for each workload, which it holds. They leave the hold from began_ns on; control begins at origin_ns. 0, or -1 with errno;
 * sim_executors_free gives back what there is in both cases.
 */
int sim_executors_add(struct sim_executors *executors, int64_t began_ns, int64_t origin_ns);
void sim_executors_free(struct sim_executors *executors);

/* Modules act for this executor from now on. */
void sim_executors_enter(const struct sim_executors *executors, unsigned index);

#endif
