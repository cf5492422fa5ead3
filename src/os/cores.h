/* SPDX-License-Identifier: MIT */
/* Which processors share a core, as /sys says it, through the host. */
#ifndef OS_CORES_H
#define OS_CORES_H

#include <stdbool.h>
#include <stddef.h>

#include "os/stat.h"
#include "showstopper/module.h"

#define LINUX_CORES_NONE UINT32_MAX

struct linux_cores {
	unsigned count;
	bool are_shared; /* some core has two of the processors at least */
	unsigned *core;  /* from 0, by the number of the processor; LINUX_CORES_NONE for those that are not among them */
	size_t room;     /* numbers of processors are below this */
};

/*
 * Finds the cores of these processors. 0, or -1 with errno: what the first file that can't be read said, EINVAL for one that is no list
 * of processors, or ENOMEM. Free with linux_cores_free in any case.
 */
int linux_cores_read(
	struct linux_cores *cores, const struct sst_env *env, const struct linux_stat_cpu *processor, size_t processors);
void linux_cores_free(struct linux_cores *cores);

/* The core of a processor, or LINUX_CORES_NONE. */
static inline unsigned linux_cores_of(const struct linux_cores *cores, unsigned processor)
{
	return processor < cores->room ? cores->core[processor] : LINUX_CORES_NONE;
}

#endif
