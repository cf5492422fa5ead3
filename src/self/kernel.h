/* SPDX-License-Identifier: MIT */
/* What the kernel tells of the machine: its processors, and what their idle time is read from. */
#ifndef SELF_KERNEL_H
#define SELF_KERNEL_H

#include <stdbool.h>

#include "showstopper/module.h"

/* /sys/devices/system/cpu/NAME (online, offline, possible, isolated, nohz_full), to be freed; NULL where it is empty or isn't there. */
struct sst_cpus *linux_cpu_list(const struct sst_env *env, const char *name);

/*
 * Whether the idle column of /proc/stat comes from the idle task's clock. It does unless the kernel never stops its tick: what
 * /proc/timer_list (root alone may read it) and /proc/cmdline say, and true where neither says anything.
 */
bool linux_accounting_idle_clock(const struct sst_env *env);

#endif
