/* SPDX-License-Identifier: MIT */
#include "placement/capacity.h"

#include <math.h>
#include <stdlib.h>

#include "os/affinity.h"
#include "os/cgroup.h"
#include "os/host.h"

/* Processors of the quota, or infinitely many. */
static double quota(void)
{
	struct host_env host;
	struct linux_cgroup_container container;
	host_env_init(&host, "", 1, 0);
	const bool is_found = linux_cgroup_find_container(&host.env, &container);
	free(container.cpus);
	return is_found && container.quota > 0 ? container.quota : INFINITY;
}

double capacity_of_controlled(const struct config *config)
{
	if (config->attaches || config->dynamics)
		return NAN;
	struct sst_cpus *const allowed = config->cpus ? NULL : linux_affinity_get();
	const struct sst_cpus *const cpus = config->cpus ? config->cpus : allowed;
	const double processors = cpus ? (double)cpus->count : NAN;
	free(allowed);
	return isnan(processors) ? NAN : fmin(processors, quota());
}
