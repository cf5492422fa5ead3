/* SPDX-License-Identifier: MIT */
/* What this machine can measure and what it permits: --check-machine. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include <stdio.h>

#include "config/config.h"

/* Takes a second. The exit status: 0, or 125 where a run with this configuration can't start. */
int machine_print(const struct config *config, FILE *to);

#endif
