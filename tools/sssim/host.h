/* SPDX-License-Identifier: MIT */
/* The host of modules in the simulator: /proc and /sys as the modelled machine would show them, as text. */
#ifndef SIM_HOST_H
#define SIM_HOST_H

#include <stddef.h>

#include "self/host.h"
#include "sssim/machine.h"

/*
 * How the modelled kernel counts processor time in /proc/stat. cpuacct.usage has, to the nanosecond, what threads and tasks are
 * charged for.
 */
enum sim_accounting {
	SIM_ACCOUNT_IDLE,  /* user time by ticks, idle time by clock: most distributions */
	SIM_ACCOUNT_TICKS, /* both by ticks: the tick is never stopped (nohz=off) */
	SIM_ACCOUNT_CLOCK, /* both by clock: CONFIG_VIRT_CPU_ACCOUNTING_GEN or _NATIVE */
};

/*
 * What the modelled kernel counts besides, as a set. Of a stretch that is still going on, groups have what was before the last tick, and
 * schedstat has nothing.
 */
enum sim_counter {
	SIM_HAS_CPUACCT = 1,   /* cpuacct.usage, of control groups of version 1 */
	SIM_HAS_GROUPS = 2,    /* cpu.stat of version 2: of the group run, and of rest, which has background loads and past_ns */
	SIM_HAS_SCHEDSTAT = 4, /* /proc/schedstat */
};

struct sim_host {
	const struct sim_machine *machine;
	enum sim_accounting accounting;
	unsigned counters;                   /* of enum sim_counter */
	double idle_excess;                  /* by which share the idle clock is fast */
	int64_t past_ns;                     /* work of each processor before the machine's start, in what is shown */
	int64_t reading_ns;                  /* CPU time that a reading of /proc/stat takes … */
	int64_t reading_processor_ns;        /* … and for each processor */
	int64_t stood_ns;                    /* how long the machine stood still, and its counters with it */
	unsigned gone;                       /* the processor that isn't there … */
	int64_t gone_since_ns;               /* … since this moment; 0: all are */
	int64_t gone_ns;                     /* how long it was gone before; what it did meanwhile is no work */
	int64_t charged_ns;                  /* what readings took; the owner sets it back */
	struct sim_process *const *workload; /* the controlled ones; NULL until there are any */
	unsigned workloads;
	struct sim_process *const *background; /* likewise those that nobody controls */
	unsigned backgrounds;
	char *text;
	size_t room;
};

/* Fills a module's surroundings; the host must outlive them. */
void sim_env_init(struct host_env *env, struct sim_host *host, unsigned workloads, uint64_t entropy);

/* Gives back what readings took of memory. */
void sim_host_free(struct sim_host *host);

/* Which processors share a core, as /sys shows it on the simulated machine. */

/* The processor whose list of siblings this file is, or -1. */
int sim_sysfs_find(const struct sim_machine *machine, const char *path);

/* Prints that list. Returns its length, as snprintf does. */
int sim_sysfs_print(const struct sim_machine *machine, unsigned processor, char *text, size_t size);

/* Time that all processors together were not idle, exactly. */
int64_t sim_machine_work_ns(const struct sim_machine *machine);
/* Likewise of all cores; one is idle when all of its processors are. */
int64_t sim_machine_core_work_ns(const struct sim_machine *machine);
/* What a kernel knows of one processor: work includes its own. Ticks meet threads and tasks, or nothing. */
struct sim_times {
	int64_t work_ns, idle_ns;
	uint64_t busy_ticks, idle_ticks;
};
struct sim_times sim_machine_times(const struct sim_machine *machine, unsigned processor);

#endif
