/* SPDX-License-Identifier: MIT */
#include "os/move.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "os/affinity.h"
#include "os/descendants.h"

/* What a thread starts while it still has the old processors is found by the next look, and what a look misses by the one after it. */
#define LOOKS 10
#define CLEAN_LOOKS 2

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
		if (thread > 0 && !linux_affinity_is(thread, cpus))
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
