/* SPDX-License-Identifier: MIT */
#include "control/workload_time.h"

#include "os/descendants.h"

/*
 * Everything that a workload started is below its executor, also what lost its parent or came with a respawn, and what ended there
 * counts as waited for. An attached tree is elsewhere, and its counter can go back when its processes end.
 */
static int64_t of_one(struct slot *slot)
{
	const pid_t executor = atomic_load(&slot->executor);
	int64_t now_ns = 0;
	if (atomic_load(&slot->attached))
		now_ns = descendants_cpu_ns(atomic_load(&slot->pid), true);
	else if (executor && !atomic_load(&slot->lost))
		now_ns = descendants_cpu_ns(executor, false);
	else
		now_ns = atomic_load(&slot->workload_cpu_ns);
	int64_t counted_ns = atomic_load(&slot->tree_cpu_ns);
	while (counted_ns < now_ns && !atomic_compare_exchange_weak(&slot->tree_cpu_ns, &counted_ns, now_ns))
		;
	return counted_ns > now_ns ? counted_ns : now_ns;
}

int64_t workload_time(struct shared *shared)
{
	int64_t total = 0;
	for (uint32_t i = 0; i < shared->workloads; i++)
		if (!shared->slot[i].free)
			total += of_one(&shared->slot[i]);
	return total;
}
