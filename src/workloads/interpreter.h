/* SPDX-License-Identifier: MIT */
/* Which other file the kernel needs to execute a file. */
#ifndef WORKLOADS_INTERPRETER_H
#define WORKLOADS_INTERPRETER_H

#include <limits.h>
#include <stdbool.h>

/*
 * What the first line of a script names, or the loader that a program of this machine's own kind asks for. False where there is none, or
 * where it takes the kernel to know: scripts of scripts, names that count from the folder of the moment, programs of other machines.
 */
bool interpreter_of(const char *path, char interpreter[static PATH_MAX]);

#endif
