/* SPDX-License-Identifier: MIT */
#include "os/affinity.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "base/cpus.h"

/* The kernel refuses masks that are shorter than its own, which says how many processors it was built for. */
#define LEAST_BITS 1024u

struct sst_cpus *linux_affinity_get(void)
{
	errno = ENOMEM;
	for (unsigned bits = LEAST_BITS; bits <= CPUS_LIMIT; bits *= 4) {
		cpu_set_t *set = CPU_ALLOC(bits);
		const size_t size = CPU_ALLOC_SIZE(bits);
		if (!set)
			return NULL;
		if (sched_getaffinity(0, size, set) == 0) {
			struct sst_cpus *cpus = NULL;
			unsigned *found = malloc(bits * sizeof *found);
			size_t count = 0;
			for (unsigned cpu = 0; found && cpu < bits; cpu++)
				if (CPU_ISSET_S(cpu, size, set))
					found[count++] = cpu;
			if (found)
				cpus = cpus_make(found, count);
			free(found);
			CPU_FREE(set);
			return cpus;
		}
		const int saved = errno;
		CPU_FREE(set);
		errno = saved;
		if (errno != EINVAL)
			return NULL;
	}
	return NULL;
}

int linux_affinity_set(pid_t thread, const struct sst_cpus *cpus)
{
	const unsigned last = cpus->cpu[cpus->count - 1];
	cpu_set_t *set = CPU_ALLOC(last + 1);
	const size_t size = CPU_ALLOC_SIZE(last + 1);
	if (!set)
		return -1;
	CPU_ZERO_S(size, set);
	for (size_t i = 0; i < cpus->count; i++)
		CPU_SET_S(cpus->cpu[i], size, set);
	const int result = sched_setaffinity(thread, size, set);
	const int saved = errno;
	CPU_FREE(set);
	errno = saved;
	return result;
}
