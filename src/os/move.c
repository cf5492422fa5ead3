/* SPDX-License-Identifier: MIT */
#include "os/move.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cpus.h"
#include "os/affinity.h"
#include "os/descendants.h"

/* What a thread starts while it still has the old processors is found by the next look, and what a look misses by the one after it. */
#define LOOKS 10
#define CLEAN_LOOKS 2

/* The kernel's own mask may be larger than any number in use here; then a thread counts as not bound, and is bound again. */
static bool is_bound(pid_t thread, const struct sst_cpus *cpus)
{
	cpu_set_t *set = CPU_ALLOC(CPUS_LIMIT);
	const size_t size = CPU_ALLOC_SIZE(CPUS_LIMIT);
	bool same = false;
	if (set && sched_getaffinity(thread, size, set) == 0) {
		same = (size_t)CPU_COUNT_S(size, set) == cpus->count;
		for (size_t i = 0; same && i < cpus->count; i++)
			same = CPU_ISSET_S(cpus->cpu[i], size, set);
	}
	CPU_FREE(set);
	return same;
}

/* How many threads had to be bound. */
static size_t bind_threads(pid_t pid, const struct sst_cpus *cpus)
{
	char path[64];
	size_t bound = 0;
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *tasks = opendir(path);
	if (!tasks)
		return 0;
	for (struct dirent *entry; (entry = readdir(tasks));) {
		const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
		if (thread > 0 && !is_bound(thread, cpus))
			bound += linux_affinity_set(thread, cpus) == 0;
	}
	closedir(tasks);
	return bound;
}

bool linux_move_tree(pid_t root, const struct sst_cpus *cpus)
{
	int clean = 0;
	for (int look = 0; look < LOOKS && clean < CLEAN_LOOKS; look++) {
		struct descendants list = {0};
		size_t bound = 0;
		if (descendants_list(root, &list) != 0) {
			descendants_free(&list);
			return false;
		}
		for (size_t i = 0; i < list.count; i++)
			bound += bind_threads(list.item[i].process.pid, cpus);
		descendants_free(&list);
		clean = bound ? 0 : clean + 1;
	}
	return clean == CLEAN_LOOKS;
}
