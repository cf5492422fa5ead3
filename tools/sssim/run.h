/* SPDX-License-Identifier: MIT */
/*
 * A run of Showstopper in virtual time: the modules, the loop, the estimate, the log and the summary are those of a real run; the
 * machine, its workloads and the processes of Showstopper are modelled.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include "control/executor.h"
#include "control/run.h"
#include "record/control_log.h"
#include "record/intervals.h"
#include "record/summary.h"
#include "sssim/bandwidth.h"
#include "sssim/history.h"
#include "sssim/host.h"
#include "sssim/machine.h"
#include "sssim/services.h"
#include "sssim/workload.h"
#include "trace/stream.h"

/* ---- What it is to be ------------------------------------------------------------------------------------------------- */

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
	unsigned counters;                /* as those of struct sim_host */
	double idle_excess;               /* likewise */
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
	const char *requests; /* where those of all services are recorded; NULL for nowhere */
};

/* What there is without options, for P processors, with showstopper's default modules; without models and the trace's options. */
void sim_config_defaults(struct sim_config *config, unsigned processors);

/* ---- Its executors: tasks of the machine, which hold simulated processes ------------------------------------------------ */

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

/* ---- The run ---------------------------------------------------------------------------------------------------------- */

/* What was exactly done. */
struct sim_use {
	int64_t processors_ns, cores_ns; /* time that they were busy, of all */
	double iterations;               /* likewise in iterations, with parts of those under way */
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
	struct stream_writer followed; /* its board NULL: the trace module follows nothing */
	struct sim_executors executors;
	struct sim_process **background;
	unsigned backgrounds;
	struct sim_event recording, stepping, halting;
	struct sim_event calibrating;
	bool calibrates;         /* it has begun */
	struct sim_task absence; /* occupies the processor that is gone */
	struct sim_services services;
	struct intervals intervals;
	struct control_log *log;
	struct sim_history history, own_history; /* of the load, and of the workloads' processor time alone */
	struct sim_stall stall;                  /* its count says how often a processor stood still */
	struct summary summary;                  /* its accuracy is of what the feedback source said */
	struct sim_use before;                   /* until control began */
	int64_t began_ns, origin_ns, end_ns;
	bool log_failed, out_of_memory, uncalibrated;
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
