/* SPDX-License-Identifier: MIT */
/* How much of the machine the workloads may use. */
#ifndef PLACEMENT_CAPACITY_H
#define PLACEMENT_CAPACITY_H

#include "base/config.h"

/*
 * The processors that the controlled workloads may use together, by their sets, the affinity of this process and the container's quota,
 * and so perhaps no whole number. NaN where that isn't known, as with attached processes, or changes with the load.
 */
double capacity_of_controlled(const struct config *config);

#endif
