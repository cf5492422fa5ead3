/* SPDX-License-Identifier: MIT */
/*
 * The text of Linux's /proc/stat, parsed: pure, no file is opened, no clock is read, no memory allocated. And processors that
 * come and go.
 *
 * All kernels since 2.2 are understood: missing columns are 0, additional ones and unknown lines are passed over, processors may have
 * any numbers. The text may be cut off anywhere (a reader with a bounded buffer): a last line without its newline is never used.
 */
#ifndef LOAD_STAT_H
#define LOAD_STAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "showstopper/module.h"

/* Since boot, in ticks (linux_stat_hz() a second). The time of guests is in `user` and `nice` already. */
struct linux_stat_times {
	uint64_t user, nice, system, idle, iowait, irq, softirq, steal;
};

/* Bits of linux_stat.present. */
enum {
	LINUX_STAT_CONTEXT_SWITCHES = 1,
	LINUX_STAT_BOOT_TIME = 2,
	LINUX_STAT_FORKS = 4,
	LINUX_STAT_RUNNING = 8,
	LINUX_STAT_BLOCKED = 16,
	/* A line of another kind follows those of the processors, so that none of them can have been cut off. */
	LINUX_STAT_ALL_PROCESSORS = 32,
	LINUX_STAT_STEAL = 64, /* the kernel has the column `steal` (since 2.6.11) */
};

struct linux_stat {
	struct linux_stat_times total; /* of the machine, or of the subset */
	unsigned processors;           /* online, or how many of the subset are; at least 1 */
	unsigned present;              /* what the text has, LINUX_STAT_…; numbers below that it has not are 0 */
	uint64_t context_switches;
	uint64_t boot_time; /* seconds since 1970 */
	uint64_t forks;
	uint64_t running; /* runnable threads, the reader among them */
	uint64_t blocked; /* threads that wait for a disk */
};

struct linux_stat_cpu {
	unsigned id;
	struct linux_stat_times times;
};

/*
 * Parses `length` bytes. With `subset` NULL the total is that of the summary line (of a text without one: the sum of the
 * processors), else the sum of those processors of the subset that are online. Returns 0, or -1 with errno EINVAL when the text
 * has no usable line of the processors asked for; *stat is undefined then. A processor's line with fewer than four numbers, or
 * with a number above UINT64_MAX among the first eight, is not usable.
 */
int linux_stat_parse(const char *text, size_t length, const struct sst_cpus *subset, struct linux_stat *stat);

/*
 * Stores the first `room` online processors of the text, in its order (ascending on all kernels known). Returns how many there
 * are, which may be more than `room`. Processors outside the subset, where it is not NULL, are passed over.
 */
size_t linux_stat_parse_cpus(
	const char *text, size_t length, const struct sst_cpus *subset, struct linux_stat_cpu *cpu, size_t room);

/* Ticks a second (USER_HZ) of the running kernel's /proc/stat. */
double linux_stat_hz(void);

/* Everything but idle and iowait; steal is part of it. */
uint64_t linux_stat_busy(const struct linux_stat_times *times);
/* idle + iowait. */
uint64_t linux_stat_idle(const struct linux_stat_times *times);

/* Processors that come and go, noticed by the shortest file that tells. */
struct linux_online {
	int handle;      /* -1: there is no such file */
	char text[4096]; /* as much as such a file can have */
	size_t length;
};

#define LINUX_ONLINE_NONE ((struct linux_online){.handle = -1})

/* Without the file nothing ever changes. */
void linux_online_open(struct linux_online *online, const struct sst_env *env);
void linux_online_close(struct linux_online *online, const struct sst_env *env);

/* Whether the list of processors is another one than at the last look; true at the first. */
bool linux_online_changed(struct linux_online *online, const struct sst_env *env);

#endif
