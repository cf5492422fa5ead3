/* SPDX-License-Identifier: MIT */
/* Whether this is a virtual machine. */
#ifndef OS_HYPERVISOR_H
#define OS_HYPERVISOR_H

#include <stdbool.h>

#include "showstopper/module.h"

#define LINUX_HYPERVISOR_NAME_MAX 32

/* True with the hypervisor's name, "" where that can't be told. False where nothing says so, as on a machine of metal. */
bool linux_hypervisor_find(const struct sst_env *env, char name[static LINUX_HYPERVISOR_NAME_MAX]);

#endif
