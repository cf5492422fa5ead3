/* SPDX-License-Identifier: MIT */
#include "os/affinity.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "base/cpus.h"

/* The kernel refuses masks that are shorter than its own, which says how many processors it was built for. */
#define LEAST_BITS 1024u

/* A mask that all processors of a thread fit, of *size bytes, for CPU_FREE. NULL with errno. */
static cpu_set_t *mask_of(pid_t thread, size_t *size)
{
	errno = ENOMEM;
	for (unsigned bits = LEAST_BITS; bits <= CPUS_LIMIT; bits *= 4) {
		cpu_set_t *set = CPU_ALLOC(bits);
		*size = CPU_ALLOC_SIZE(bits);
		if (!set || sched_getaffinity(thread, *size, set) == 0)
			return set;
		const int saved = errno;
		CPU_FREE(set);
		errno = saved;
		if (errno != EINVAL)
			return NULL;
	}
	return NULL;
}

struct sst_cpus *linux_affinity_get(void)
{
	size_t size;
	cpu_set_t *set = mask_of(0, &size);
	if (!set)
		return NULL;
	struct sst_cpus *cpus = NULL;
	unsigned *found = malloc(8 * size * sizeof *found);
	size_t count = 0;
	for (unsigned cpu = 0; found && cpu < 8 * size; cpu++)
		if (CPU_ISSET_S(cpu, size, set))
			found[count++] = cpu;
	if (found)
		cpus = cpus_make(found, count);
	free(found);
	CPU_FREE(set);
	return cpus;
}

bool linux_affinity_is(pid_t thread, const struct sst_cpus *cpus)
{
	size_t size;
	cpu_set_t *set = mask_of(thread, &size);
	if (!set)
		return false;
	bool same = (size_t)CPU_COUNT_S(size, set) == cpus->count;
	for (size_t i = 0; same && i < cpus->count; i++)
		same = CPU_ISSET_S(cpus->cpu[i], size, set);
	CPU_FREE(set);
	return same;
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
