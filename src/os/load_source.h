/* SPDX-License-Identifier: MIT */
/* Readings of whatever load is asked for: of the machine, some processors, a tree of processes or a cgroup. */
#ifndef OS_LOAD_SOURCE_H
#define OS_LOAD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "os/load.h"

#define LINUX_LOAD_SOURCE_ERROR_MAX 768

enum linux_load_kind {
	LINUX_LOAD_KIND_IDLE,    /* the machine: what idle and iowait leave of the time */
	LINUX_LOAD_KIND_TICKS,   /* the machine: all columns of /proc/stat */
	LINUX_LOAD_KIND_CPUACCT, /* the machine: busy nanoseconds of the root group of cgroup v1 */
	LINUX_LOAD_KIND_TREE,    /* a process and its descendants */
	LINUX_LOAD_KIND_CGROUP,  /* a control group */
};

struct linux_load_settings {
	const char *root; /* before /proc and /sys */
	enum linux_load_kind kind;
	const struct sst_cpus *cpus; /* kinds of the machine: these processors only; NULL: all */
	bool per_cpu;                /* kinds of the machine: linux_load_source_sample_cpu will be called */
	pid_t pid;                   /* of the tree */
	const char *cgroup;
};

struct linux_load_source;

/*
 * Opens the source; everything that the settings point to must outlive it. NULL with a message: what can't be had, and where it was
 * looked for.
 */
struct linux_load_source *linux_load_source_open(
	const struct linux_load_settings *settings, char error[static LINUX_LOAD_SOURCE_ERROR_MAX]);
void linux_load_source_close(struct linux_load_source *source);

/* Takes a reading; that before it is kept. 0, or -1 with errno. The end of the process or cgroup is no error. */
int linux_load_source_read(struct linux_load_source *source);

/* CLOCK_MONOTONIC of the last reading. */
int64_t linux_load_source_when(const struct linux_load_source *source);

/* No process of the tree is left, or the cgroup is gone. */
bool linux_load_source_has_ended(const struct linux_load_source *source);

/*
 * Work and capacity between the last two readings; false when there is no sample. The capacity of a tree and a cgroup is that of
 * the whole machine.
 */
bool linux_load_source_sample(const struct linux_load_source *source, struct sst_sample *sample);
/* Of one processor; false also when it was not online at both ends. */
bool linux_load_source_sample_cpu(const struct linux_load_source *source, unsigned id, struct sst_sample *sample);

/* By how much the unit of the counters can put the work of a sample of so many processors off, in CPU-seconds. */
double linux_load_source_noise(const struct linux_load_source *source, double processors);

/* Fraction of the capacity that the hypervisor took, or NaN. */
double linux_load_source_steal(const struct linux_load_source *source);

/* What /proc/stat said at the last reading. */
const struct linux_load_reading *linux_load_source_now(const struct linux_load_source *source);

#endif
