/* SPDX-License-Identifier: MIT */
/* Lists of processors in the kernel's notation: 0-3,8. */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "showstopper/module.h"

#define CPUS_EXPECTED "a list of processors such as 0-3,8"
/* Processor numbers are below this. */
#define CPUS_LIMIT 65536u

/*
 * Parses `length` bytes whole. The list may be in any order and overlap; the result is sorted, each once. Returns 0 with *cpus a single
 * block that the caller frees with free(), or -1 with errno EINVAL (malformed, empty), ERANGE (a number too large, a range that
 * runs down) or ENOMEM. `stop`, where not NULL, receives the offset of the first byte that doesn't fit.
 */
int cpus_parse(const char *text, size_t length, struct sst_cpus **cpus, size_t *stop);

/* Prints the list with ranges. */
void cpus_print(const struct sst_cpus *cpus, FILE *to);
/* The same into a text of `size` bytes, 16 or more; what is too long ends with dots. Returns text. */
char *cpus_print_short(const struct sst_cpus *cpus, char *text, size_t size);

/* A list of these, which may be in any order and repeat; a single block as above. NULL with errno ENOMEM. */
struct sst_cpus *cpus_make(const unsigned *cpu, size_t count);

bool cpus_contain(const struct sst_cpus *cpus, unsigned cpu);

#endif
