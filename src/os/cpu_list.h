/* SPDX-License-Identifier: MIT */
/* Lists of processors that the kernel keeps. */
#ifndef OS_CPU_LIST_H
#define OS_CPU_LIST_H

#include "showstopper/module.h"

/* /sys/devices/system/cpu/NAME (online, offline, possible, isolated, nohz_full), to be freed; NULL where it is empty or isn't there. */
struct sst_cpus *linux_cpu_list(const struct sst_env *env, const char *name);

#endif
