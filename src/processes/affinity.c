/* SPDX-License-Identifier: MIT */
#include "processes/affinity.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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

/* ---- Where one of our processes sleeps ------------------------------------------------------------------------------ */

int linux_mask_read(struct linux_mask *mask)
{
	mask->set = mask_of(0, &mask->size);
	return mask->set ? 0 : -1;
}

/*
 * A mask shows neither processors that are offline nor what else the control group may get, and giving it back would leave these out.
 * So where all at once are no more than there are, all is what is given.
 */
int linux_mask_take(struct linux_mask *mask)
{
	struct linux_mask all = {0};
	struct linux_mask most = {0};
	if (linux_mask_read(mask) != 0)
		return -1;
	all = (struct linux_mask){CPU_ALLOC(8 * mask->size), mask->size};
	if (all.set) {
		memset(all.set, 0xff, all.size);
		if (linux_mask_give(&all) == 0 && linux_mask_read(&most) == 0 && most.size == mask->size &&
			CPU_EQUAL_S(mask->size, mask->set, most.set))
			memset(mask->set, 0xff, mask->size);
		linux_mask_give(mask);
	}
	linux_mask_free(&most);
	linux_mask_free(&all);
	return 0;
}

int linux_mask_give(const struct linux_mask *mask)
{
	return mask->set ? sched_setaffinity(0, mask->size, mask->set) : 0;
}

void linux_mask_free(struct linux_mask *mask)
{
	if (mask->set)
		CPU_FREE(mask->set);
	mask->set = NULL;
}
