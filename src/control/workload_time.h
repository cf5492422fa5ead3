/* SPDX-License-Identifier: MIT */
/* The processor time of a run's workloads. */
#ifndef CONTROL_WORKLOAD_TIME_H
#define CONTROL_WORKLOAD_TIME_H

#include <stdint.h>

#include "control/shared.h"

/* What the controlled workloads have used together, with all that they started, in ns. Never goes back. */
int64_t workload_time(struct shared *shared);

#endif
