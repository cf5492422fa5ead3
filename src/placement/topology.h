/* SPDX-License-Identifier: MIT */
/* Where the machine's processors are, as hwloc knows it. */
#ifndef PLACEMENT_TOPOLOGY_H
#define PLACEMENT_TOPOLOGY_H

#include "placement/pinning.h"

struct topology {
	struct place *place; /* in topological order; owned */
	size_t count;        /* at least 1 */
	bool elsewhere;      /* HWLOC_SYNTHETIC or HWLOC_XMLFILE describes another machine */
};

/*
 * Of this machine only processors that `allowed` has. hwloc's environment variables hold unless the program has privileges that who
 * runs it has not. 0, or -1 with errno (ENODEV: hwloc knows no processor that is allowed). Free with topology_free.
 */
int topology_read(const struct sst_cpus *allowed, struct topology *topology);
void topology_free(struct topology *topology);

#endif
