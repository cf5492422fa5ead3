/* SPDX-License-Identifier: MIT */
/* Which processors share a core, as /sys shows it on the simulated machine. */
#ifndef SIM_SYSFS_H
#define SIM_SYSFS_H

#include <stddef.h>
#include <sys/types.h>

#include "sim/machine.h"

/* The processor whose list of siblings this file is, or -1. */
int sim_sysfs_find(const struct sim_machine *machine, const char *path);

/* Prints that list. Returns its length, as snprintf does. */
int sim_sysfs_print(const struct sim_machine *machine, unsigned processor, char *text, size_t size);

#endif
