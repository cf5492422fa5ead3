/* SPDX-License-Identifier: MIT */
/* How the kernel accounts user and system time, by its configuration. */
#ifndef SELF_ACCOUNTING_H
#define SELF_ACCOUNTING_H

#include "showstopper/module.h"

/*
 * The accounting mode of user and system time: "tick", "virtual (full dynticks)", "virtual (native)" or "unknown" where the
 * kernel's configuration can't be read. `release` is that of uname(2). A constant.
 */
const char *linux_accounting_mode(const struct sst_env *env, const char *release);

#endif
