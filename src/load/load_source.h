/* SPDX-License-Identifier: MIT */
/*
 * Readings of whatever load is asked for: of the machine, some processors, a tree of processes or a cgroup. And the load between two readings
 * of /proc/stat, of the whole machine (or a subset) and of each processor, also when processors go offline or come back in between.
 */
#ifndef LOAD_LOAD_SOURCE_H
#define LOAD_LOAD_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "groups/cgroup_text.h"
#include "load/stat.h"

/* The processor time that a control group has used (cpu.stat, or cpuacct), read again and again. Start with {.fd = -1}. */
struct linux_cgroup_usage {
	int fd;
	enum linux_cgroup_format format;
	char *text; /* buffer */
	size_t size;
};

/*
 * Opens the usage of a group: a directory, or a name below the mount point of cgroup v2 or of v1's cpuacct. `root` stands before
 * every path. Returns 0, or -1 with a message that says where it was looked for.
 */
int linux_cgroup_usage_open(
	struct linux_cgroup_usage *usage, const char *root, const char *path, char error[static LINUX_CGROUP_ERROR_MAX]);

/*
 * Opens the busy nanoseconds of the whole machine: the root group of v1's cpuacct, in one number or by processor. Returns 0, or -1
 * with a message (no such hierarchy; or a container, whose root group is not the machine's).
 */
int linux_cgroup_usage_open_machine(
	struct linux_cgroup_usage *usage, const char *root, int by_processor, char error[static LINUX_CGROUP_ERROR_MAX]);

/*
 * Reads the source: stores at most `room` numbers (ns) and returns how many there are (1 unless by processor), or -1 with errno
 * (ENODEV: the group is gone; EINVAL: the text is not what it should be).
 */
ssize_t linux_cgroup_usage_read(struct linux_cgroup_usage *usage, uint64_t *ns, size_t room, int64_t *when_ns);
void linux_cgroup_usage_close(struct linux_cgroup_usage *usage);

/* One reading of /proc/stat. Start with {0}; linux_load_parse uses the memory again; freed by linux_load_free. */
struct linux_load_reading {
	int64_t when_ns;
	struct linux_stat stat;     /* stat.processors is 0 when none of the subset is online */
	struct linux_stat_cpu *cpu; /* online ones (of the subset), ascending */
	size_t count, room;
};

/*
 * Fills the reading from the text of /proc/stat. 0, or -1 with errno EINVAL (not a text of /proc/stat) or ENOMEM. It is not an error
 * when no processor of the subset is online.
 */
int linux_load_parse(
	const char *text, size_t length, int64_t when_ns, const struct sst_cpus *subset, struct linux_load_reading *reading);
void linux_load_free(struct linux_load_reading *reading);

/* Whether the processor was online (and is of the subset). */
bool linux_load_has_cpu(const struct linux_load_reading *reading, unsigned id);

/* What is taken for idle and for time, as in stat.h. */
enum linux_load_counters { LINUX_LOAD_IDLE, LINUX_LOAD_TICKS };

/*
 * Work and capacity between two readings, of all processors. When processors came or went, or a counter jumped, the sample is that of
 * the processors which have a sample of their own. False when there are none.
 */
bool linux_load_sample(const struct linux_load_reading *before, const struct linux_load_reading *now,
	enum linux_load_counters counters, double hz, struct sst_sample *sample);
/* Of one processor; false also when it was not online at both ends. */
bool linux_load_sample_cpu(const struct linux_load_reading *before, const struct linux_load_reading *now, unsigned id,
	enum linux_load_counters counters, double hz, struct sst_sample *sample);

/* Fraction of the capacity that the hypervisor gave to others, or NaN when the kernel doesn't tell. */
double linux_load_steal(const struct linux_load_reading *before, const struct linux_load_reading *now, double hz);

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
