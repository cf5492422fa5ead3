/* SPDX-License-Identifier: MIT */
/* What this machine can measure and what it permits: --check-machine. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdio.h>

/* Prints it, one fact a line, `name: value`; what can't be found out is "unavailable". Measures with root/proc and root/sys. */
void machine_print(const char *root, FILE *to);

#endif
