/* SPDX-License-Identifier: MIT */
#include "supervise/used_time.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "os/descendants.h"

static int64_t cpu_ns(int who)
{
	struct rusage usage;
	getrusage(who, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NS_PER_S +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NS_PER_US;
}

int64_t used_time_ended(const struct used_time *used)
{
	if (!used->attached)
		return cpu_ns(RUSAGE_CHILDREN);
	return (int64_t)(used->attached->cpu_ticks - used->ticks_before) * (NS_PER_S / sysconf(_SC_CLK_TCK));
}

int64_t used_time_now(struct used_time *used)
{
	if (!used->attached)
		return cpu_ns(RUSAGE_CHILDREN) + descendants_living_cpu_ns(getpid());
	tree_lives(used->attached, clock_now());
	return used_time_ended(used);
}

void used_time_begin(struct used_time *used, bool has_run)
{
	if (used->began)
		return;
	used->began = true;
	atomic_store(&used->slot->cpu_before_ns, has_run ? used_time_now(used) : 0);
}

void used_time_end(struct used_time *used, int64_t used_ns)
{
	if (used->ended)
		return;
	used->ended = true;
	atomic_store(&used->slot->cpu_until_ns, used_ns);
	if (!used->began)
		atomic_store(&used->slot->cpu_before_ns, used_ns);
	used->began = true;
}

void used_time_total(struct used_time *used)
{
	used_time_end(used, used_time_ended(used));
	atomic_store(&used->slot->workload_cpu_ns, used_time_ended(used));
	atomic_store(&used->slot->executor_cpu_ns, cpu_ns(RUSAGE_SELF));
}
