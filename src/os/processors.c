/* SPDX-License-Identifier: MIT */
#include "os/processors.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

#include "os/cgroup.h"
#include "os/host.h"

unsigned linux_processors_usable(void)
{
	unsigned usable = 1;
	/* The mask may be larger than cpu_set_t on very large machines. */
	for (int limit = 1024; limit <= 65536; limit *= 4) {
		cpu_set_t *set = CPU_ALLOC(limit);
		const size_t size = CPU_ALLOC_SIZE(limit);
		const bool got = set && sched_getaffinity(0, size, set) == 0;
		if (got)
			usable = (unsigned)CPU_COUNT_S(size, set);
		CPU_FREE(set);
		if (got)
			break;
	}
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
