/* SPDX-License-Identifier: MIT */
/* How the running kernel accounts processor time. */
#ifndef OS_ACCOUNTING_H
#define OS_ACCOUNTING_H

#include <stdbool.h>

#include "showstopper/module.h"

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
