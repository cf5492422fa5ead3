/* SPDX-License-Identifier: MIT */
#include "load/processors.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "groups/cgroup.h"
#include "processes/affinity.h"
#include "self/host.h"

unsigned linux_processors_usable(void)
{
	struct sst_cpus *allowed = linux_affinity_get();
	unsigned usable = allowed ? (unsigned)allowed->count : 1;
	free(allowed);
	struct host_env host;
	struct linux_cgroup_container container;
	host_env_init(&host, "", 1, 0);
	linux_cgroup_find_container(&host.env, &container);
	const double quota = ceil(container.quota);
	free(container.cpus);
	if (quota >= 1 && quota < usable)
		usable = (unsigned)quota;
	return usable;
}

unsigned linux_processors_online(void)
{
	const long online = sysconf(_SC_NPROCESSORS_ONLN);
	return online > 0 ? (unsigned)online : 1;
}
