/* SPDX-License-Identifier: MIT */
/* What a simulated run is to be. */
#ifndef SIM_CONFIG_H
#define SIM_CONFIG_H

#include "sim/host.h"
#include "sim/workload.h"

/* Who stands still for a while, without having been told. */
enum sim_halt {
	SIM_HALT_EXECUTORS, /* Showstopper's processes, as by SIGSTOP: workloads stay as they are */
	SIM_HALT_RUN,       /* the workloads too, as in a control group that is frozen */
	SIM_HALT_MACHINE,   /* all, and the counters, as a guest whose host stands still */
	SIM_HALT_PROCESSOR, /* one of the processors, which is taken out of the machine, and comes back */
};

struct sim_config {
	struct sim_machine_config machine; /* start_ns is set by the run, from the seed */
	enum sim_accounting accounting;
	const struct sim_workload *model; /* `models` of them, given to the workloads in turn */
	unsigned models;
	const struct sim_workload *background; /* `backgrounds` of them; may be NULL */
	unsigned backgrounds;
	unsigned workloads;
	const char *module[KINDS];
	const char *module_options[KINDS]; /* NULL for none */
	int64_t warmup_ns;
	int64_t run_time_ns;          /* -1: as long as the trace */
	int64_t edge_ns;              /* CPU time an executor takes for an edge, without readings … */
	int64_t edge_thread_ns;       /* … and for each thread of its workload, which the kernel stops or wakes */
	int64_t reading_ns;           /* CPU time of a reading of /proc/stat … */
	int64_t reading_processor_ns; /* … and for each processor */
	int64_t stall_ns,
		stall_every_ns; /* as sim_stall_start's, from the beginning of control on; 0: no processor ever stands still */
	enum sim_halt halt;
	int64_t halt_at_ns, halt_ns; /* since control began, and for how long; 0: never */
	int64_t release_ns;          /* from one executor to the next when the hold ends */
	const char *log;             /* NULL for none */
	int64_t log_interval_ns;
	bool log_instances;
};

#endif
