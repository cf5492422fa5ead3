/* SPDX-License-Identifier: MIT */
#include "os/home.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "os/process.h"

/* The kernel refuses masks that are shorter than its own. */
#define LEAST_BITS 1024u
#define MOST_BITS (1024u * 1024u)

static int read_mask(struct linux_mask *mask)
{
	for (unsigned bits = LEAST_BITS; bits <= MOST_BITS; bits *= 4) {
		mask->size = CPU_ALLOC_SIZE(bits);
		mask->set = CPU_ALLOC(bits);
		if (!mask->set)
			return -1;
		CPU_ZERO_S(mask->size, mask->set);
		if (sched_getaffinity(0, mask->size, mask->set) == 0)
			return 0;
		const int error = errno;
		linux_mask_free(mask);
		errno = error;
		if (errno != EINVAL)
			return -1;
	}
	return -1;
}

/*
 * A mask shows neither processors that are offline nor what else the control group may get, and giving it back would leave these out.
 * So where all at once are no more than there are, all is what is given.
 */
int linux_mask_take(struct linux_mask *mask)
{
	struct linux_mask all = {0};
	struct linux_mask most = {0};
	if (read_mask(mask) != 0)
		return -1;
	all = (struct linux_mask){CPU_ALLOC(8 * mask->size), mask->size};
	if (all.set) {
		memset(all.set, 0xff, all.size);
		if (linux_mask_give(&all) == 0 && read_mask(&most) == 0 && most.size == mask->size &&
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

static int bind_to(pid_t process, unsigned processor)
{
	cpu_set_t *set = CPU_ALLOC(processor + 1);
	const size_t size = CPU_ALLOC_SIZE(processor + 1);
	if (!set)
		return -1;
	CPU_ZERO_S(size, set);
	CPU_SET_S(processor, size, set);
	const int result = sched_setaffinity(process, size, set);
	const int error = errno;
	CPU_FREE(set);
	errno = error;
	return result;
}

void linux_home_go(const struct linux_mask *mask, unsigned number)
{
	struct linux_mask now = {0};
	/* The mask itself may name processors that aren't there. */
	if (!mask->set || linux_mask_give(mask) != 0 || read_mask(&now) != 0)
		return;
	const unsigned usable = (unsigned)CPU_COUNT_S(now.size, now.set);
	for (unsigned i = 0, seen = 0; usable && i < 8 * now.size; i++)
		if (CPU_ISSET_S(i, now.size, now.set) && seen++ == number % usable) {
			bind_to(0, i);
			break;
		}
	linux_mask_free(&now);
	linux_mask_give(mask);
}

int linux_home_fetch(pid_t sibling, int signal)
{
	unsigned processor;
	struct process process;
	struct linux_process now;
	int result = -1;
	if (process_take(&process, sibling, &now) != 0)
		return -1;
	/* The number may have been given to somebody else meanwhile. */
	if (now.parent != getppid())
		errno = ESRCH;
	else if (getcpu(&processor, NULL) == 0 && bind_to(sibling, processor) == 0)
		result = process_signal(&process, signal);
	process_release(&process);
	return result;
}
