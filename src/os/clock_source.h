/* SPDX-License-Identifier: MIT */
/* The counter that the kernel's clock is made of. */
#ifndef OS_CLOCK_SOURCE_H
#define OS_CLOCK_SOURCE_H

#include <stdbool.h>

#include "showstopper/module.h"

#define LINUX_CLOCK_SOURCE_MAX 64

/* Its name, or "" where the kernel doesn't tell. */
void linux_clock_source(const struct sst_env *env, char name[static LINUX_CLOCK_SOURCE_MAX]);

/* Whether a look at the clock with this source leaves the processor, and so takes a microsecond or more. */
bool linux_clock_source_is_slow(const char *name);

/* Whether the kernel offers another one. */
bool linux_clock_source_has(const struct sst_env *env, const char *name);

/* Seconds that the machine was suspended since it was started. */
double linux_clock_suspended_s(void);

#endif
