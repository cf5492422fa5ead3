/* SPDX-License-Identifier: MIT */
/* What this machine can measure and what it permits: --check-machine. */
#ifndef CLI_MACHINE_H
#define CLI_MACHINE_H

#include <stdio.h>

/* Prints it, one fact a line, `name: value`; what can't be found out is "unavailable". Measures with root/proc and root/sys. */
void machine_print(const char *root, FILE *to);

#endif
