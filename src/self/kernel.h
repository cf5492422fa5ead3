/* SPDX-License-Identifier: MIT */
/* What the kernel tells of the machine: its processors, its clock, its swap space, its hypervisor, and how it accounts processor time. */
#ifndef SELF_KERNEL_H
#define SELF_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "showstopper/module.h"

/* /sys/devices/system/cpu/NAME (online, offline, possible, isolated, nohz_full), to be freed; NULL where it is empty or isn't there. */
struct sst_cpus *linux_cpu_list(const struct sst_env *env, const char *name);

/* Whether this is a virtual machine: true with the hypervisor's name, "" where that can't be told. */
#define LINUX_HYPERVISOR_NAME_MAX 32
bool linux_hypervisor_find(const struct sst_env *env, char name[static LINUX_HYPERVISOR_NAME_MAX]);

/* The name of the counter that the kernel's clock is made of, or "" where the kernel doesn't tell. */
#define LINUX_CLOCK_SOURCE_MAX 64
void linux_clock_source(const struct sst_env *env, char name[static LINUX_CLOCK_SOURCE_MAX]);

/* Whether a look at the clock with this source leaves the processor, and so takes a microsecond or more. */
bool linux_clock_source_is_slow(const char *name);

/* Whether the kernel offers another one. */
bool linux_clock_source_has(const struct sst_env *env, const char *name);

/* Seconds that the machine was suspended since it was started. */
double linux_clock_suspended_s(void);

/* Swap space and its traffic. */
struct linux_swap {
	uint64_t total_kib, free_kib;
	uint64_t pages; /* brought in and out since boot */
};

/* False where /proc/meminfo or /proc/vmstat doesn't tell. */
bool linux_swap_read(const struct sst_env *env, struct linux_swap *swap);

/*
 * Whether the idle column of /proc/stat comes from the idle task's clock. It does unless the kernel never stops its tick: what
 * /proc/timer_list (root alone may read it) and /proc/cmdline say, and true where neither says anything.
 */
bool linux_accounting_idle_clock(const struct sst_env *env);

/*
 * The accounting mode of user and system time: "tick", "virtual (full dynticks)", "virtual (native)" or "unknown" where the
 * kernel's configuration can't be read. `release` is that of uname(2). A constant.
 */
const char *linux_accounting_mode(const struct sst_env *env, const char *release);

#endif
