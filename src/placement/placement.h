/* SPDX-License-Identifier: MIT */
/* Which processors the workloads of a group may use: --cpus, --pin and --part on the machine at hand. */
#ifndef PLACEMENT_PLACEMENT_H
#define PLACEMENT_PLACEMENT_H

#include <stdio.h>
#include <sys/types.h>

#include "config/config.h"
#include "placement/pinning.h"

/*
 * Replaces the group's scheme by a set, checks that the set can be had, and chooses the number of instances where none was given. 0,
 * or -1 after a message.
 */
int placement_resolve(struct group *group);

/* The same for a group with dynamic pinning, whose part is known. */
int placement_resolve_dynamic(struct group *group, const struct dynamic_pinning *dynamic);

/* Prints the sets of all schemes for that many parts, one a line. 0, or -1 after a message. */
int placement_list(unsigned parts, FILE *to);

/* Whether a set that can be had is all that is online. */
bool placement_is_whole_machine(const struct sst_cpus *cpus);

/* Prints a set, or "all". */
void placement_print(const struct sst_cpus *cpus, FILE *to);

/*
 * The processors that the controlled workloads may use together, by their sets, the affinity of this process and the container's quota,
 * and so perhaps no whole number. NaN where that isn't known, as with attached processes, or changes with the load.
 */
double capacity_of_controlled(const struct config *config);

/*
 * Binds every thread of every process below `root`, which is left as it is, and looks again for those that came up meanwhile. True when
 * all that may be bound are; false when threads come up faster than they are found, or there is no memory: to be done again.
 */
bool placement_bind(pid_t root, const struct sst_cpus *cpus);

/* Where the machine's processors are, as hwloc knows it. */

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
