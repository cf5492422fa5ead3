/* SPDX-License-Identifier: MIT */
#include "processes/home_cpu.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "processes/process_handle.h"

static int bind_to(pid_t process, unsigned processor)
{
	return linux_affinity_set(process, &(struct sst_cpus){.count = 1, .cpu = &processor});
}

void linux_home_cpu_go(const struct linux_mask *mask, unsigned number)
{
	struct linux_mask now = {0};
	/* The mask itself may name processors that aren't there. */
	if (!mask->set || linux_mask_give(mask) != 0 || linux_mask_read(&now) != 0)
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

int linux_home_cpu_fetch(pid_t sibling, int signal)
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
