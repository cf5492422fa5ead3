/* SPDX-License-Identifier: MIT */
#include "os/cores.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "os/host_text.h"

/* The processors of the core that this one is on, to be freed; NULL with errno. */
static struct sst_cpus *read_siblings(const struct sst_env *env, unsigned processor)
{
	char path[96];
	size_t length = 0;
	struct sst_cpus *siblings = NULL;
	/* Called core_cpus_list since Linux 5.3, but there under this name, too. */
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", processor);
	char *text = host_text(env, path, &length);
	if (!text)
		return NULL;
	if (length && text[length - 1] == '\n')
		length--;
	if (cpus_parse(text, length, &siblings, NULL) != 0)
		siblings = NULL;
	free(text);
	return siblings;
}

static int make_room(struct linux_cores *cores, const struct linux_stat_cpu *processor, size_t processors)
{
	for (size_t i = 0; i < processors; i++) {
		if (processor[i].id >= CPUS_LIMIT) {
			errno = EINVAL;
			return -1;
		}
		if (processor[i].id >= cores->room)
			cores->room = (size_t)processor[i].id + 1;
	}
	cores->core = malloc((cores->room + 1) * sizeof *cores->core);
	if (!cores->core)
		return -1;
	for (size_t i = 0; i < cores->room; i++)
		cores->core[i] = LINUX_CORES_NONE;
	return 0;
}

int linux_cores_read(
	struct linux_cores *cores, const struct sst_env *env, const struct linux_stat_cpu *processor, size_t processors)
{
	*cores = (struct linux_cores){0};
	if (make_room(cores, processor, processors) != 0)
		return -1;
	for (size_t i = 0; i < processors; i++) {
		const unsigned first = processor[i].id;
		if (cores->core[first] != LINUX_CORES_NONE)
			continue;
		struct sst_cpus *siblings = read_siblings(env, first);
		if (!siblings)
			return -1;
		/* Of the others only those that are asked for. */
		for (size_t other = i; other < processors; other++) {
			const unsigned id = processor[other].id;
			if (id != first && !cpus_contain(siblings, id))
				continue;
			cores->core[id] = cores->count;
			cores->are_shared |= id != first;
		}
		cores->count++;
		free(siblings);
	}
	return 0;
}

void linux_cores_free(struct linux_cores *cores)
{
	free(cores->core);
	*cores = (struct linux_cores){0};
}
