/* SPDX-License-Identifier: MIT */
/*
 * The load of the machine, of some of its processors, or of its cores: which sources a kernel has, which is the best, and readings of it.
 * Sources are reached through the host, so that a simulated machine can stand in.
 */
#ifndef LOAD_MACHINE_LOAD_H
#define LOAD_MACHINE_LOAD_H

#include <stdbool.h>

#include "load/busy_times.h"
#include "showstopper/module.h"

enum linux_machine_source {
	LINUX_MACHINE_IDLE,      /* the time that the idle columns of /proc/stat leave */
	LINUX_MACHINE_TICKS,     /* all columns of /proc/stat */
	LINUX_MACHINE_CPUACCT,   /* ns of all tasks: the root group of cgroup v1 */
	LINUX_MACHINE_COMBINED,  /* the same, corrected by idle */
	LINUX_MACHINE_GROUPS,    /* ns of the tasks in all groups but the root of cgroup v2, corrected by schedstat or idle */
	LINUX_MACHINE_SCHEDSTAT, /* ns of the tasks on each processor, to its last switch; since then by idle */
	LINUX_MACHINE_SOURCES,
};

/* Their names, in this order. */
#define LINUX_MACHINE_SOURCE_NAMES "idle", "ticks", "cpuacct", "combined", "groups", "schedstat"

/* What is to be measured. */
struct linux_machine_settings {
	int source;                  /* enum linux_machine_source, or -1: the best that the machine has */
	const struct sst_cpus *cpus; /* these processors alone; NULL: all. Must outlive the machine */
	bool moving;                 /* they change, by the host's word */
	bool by_processor;           /* linux_machine_cpu will be called */
	bool of_cores;               /* the load of cores */
	bool always_stat;            /* /proc/stat is wanted with each reading, for what else it says */
	bool is_lxcfs;               /* /proc/stat has a container's processors, with numbers of its own */
};

struct linux_machine;

#define LINUX_MACHINE_ERROR_MAX 384

/*
 * Opens the source and takes a first reading. In a process whose children read too, before they are forked: all share what is counted. NULL with
 * a message. Free with linux_machine_close in each process.
 */
struct linux_machine *linux_machine_open(
	const struct sst_env *env, const struct linux_machine_settings *settings, char error[static LINUX_MACHINE_ERROR_MAX]);
void linux_machine_close(struct linux_machine *machine, const struct sst_env *env);

/* That which was asked for, or the best. */
enum linux_machine_source linux_machine_source(const struct linux_machine *machine);

/* Takes a reading; its `processors` is 0 while none of those that are measured is online. 0, or -1 with errno. */
int linux_machine_read(struct linux_machine *machine, const struct sst_env *env, struct sst_reading *now);

/* As sst_feedback.sample. Work may be somewhat below 0, or above the capacity: the unit of the counters makes it so. */
bool linux_machine_sample(const struct linux_machine *machine, const struct sst_reading *before, const struct sst_reading *now,
	struct sst_sample *sample);

/* The least time between two readings: a unit of the counters, in ns. */
int64_t linux_machine_unit_ns(const struct linux_machine *machine);

/* Work and capacity of one processor since the machine was opened. False where it isn't online, or the source doesn't tell processors apart. */
bool linux_machine_cpu(const struct linux_machine *machine, unsigned id, struct sst_sample *so_far);

/* /proc/stat as this process read it last. */
const struct busy_reading *linux_machine_stat(const struct linux_machine *machine);

/* The processors that are measured and online, also where the load is that of cores. */
double linux_machine_processors(const struct linux_machine *machine);

/* Time that the hypervisor took from the measured processors since the machine was opened, in s. */
double linux_machine_steal(const struct linux_machine *machine);

/*
 * One line about columns of /proc/stat that can't be true, and what is done about it; false where nothing is wrong. Of sources that need the
 * columns, unless `always`.
 */
#define LINUX_MACHINE_TROUBLE_MAX 256
bool linux_machine_trouble(const struct linux_machine *machine, bool always, char text[static LINUX_MACHINE_TROUBLE_MAX]);

#endif
