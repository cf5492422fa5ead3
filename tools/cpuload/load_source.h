/* SPDX-License-Identifier: MIT */
/* Readings of whatever load is asked for: of the machine, a tree of processes or a control group, and what lies between two of them. */
#ifndef LOAD_LOAD_SOURCE_H
#define LOAD_LOAD_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "load/machine_load.h"

#define LINUX_LOAD_SOURCE_ERROR_MAX 768

struct linux_load_settings {
	const char *root;            /* before /proc and /sys */
	int source;                  /* of the machine: enum linux_machine_source, or -1 for the best */
	const struct sst_cpus *cpus; /* of the machine: these processors only; NULL: all */
	bool per_cpu;                /* of the machine: linux_load_source_sample_cpu will be called */
	bool of_cores;               /* the load of the machine's cores */
	pid_t pid;                   /* instead of the machine: this process and its descendants; 0: none */
	const char *cgroup;          /* … or this group, a directory or a name below the mount point; NULL: none */
};

struct linux_load_source;

/*
 * Opens the source, and takes a reading; everything that the settings point to must outlive it. NULL with a message: what can't be had, and where
 * it was looked for.
 */
struct linux_load_source *linux_load_source_open(
	const struct linux_load_settings *settings, char error[static LINUX_LOAD_SOURCE_ERROR_MAX]);
void linux_load_source_close(struct linux_load_source *source);

/* Takes a reading; that before it is kept. 0, or -1 with errno. The end of the process or group is no error. */
int linux_load_source_read(struct linux_load_source *source);

/* Looks at the machine between two readings, which the load of cores needs. 0, or -1 with errno. */
int linux_load_source_look(struct linux_load_source *source);

/* CLOCK_MONOTONIC of the last reading. */
int64_t linux_load_source_when(const struct linux_load_source *source);

/* No process of the tree is left, or the group is gone. */
bool linux_load_source_has_ended(const struct linux_load_source *source);

/*
 * Work and capacity between the last two readings; false when there is no sample. The capacity of a tree and a group is that of
 * the whole machine.
 */
bool linux_load_source_sample(const struct linux_load_source *source, struct sst_sample *sample);
/* Of one processor; false also when it was not online at both ends. */
bool linux_load_source_sample_cpu(const struct linux_load_source *source, unsigned id, struct sst_sample *sample);

/* By how much the unit of the counters can put the work of a sample of so many processors off, in CPU-seconds. */
double linux_load_source_noise(const struct linux_load_source *source, double processors);

/* Fraction of the capacity that the hypervisor took, or NaN. */
double linux_load_source_steal(const struct linux_load_source *source);

/* The processors that are measured and online, and what /proc/stat said at the last reading. */
double linux_load_source_processors(const struct linux_load_source *source);
const struct busy_reading *linux_load_source_now(const struct linux_load_source *source);

/* Where the machine's load comes from. */
enum linux_machine_source linux_load_source_kind(const struct linux_load_source *source);

/* As linux_machine_trouble, where the load is the machine's. */
bool linux_load_source_trouble(const struct linux_load_source *source, char text[static LINUX_MACHINE_TROUBLE_MAX]);

#endif
