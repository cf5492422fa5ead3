/* SPDX-License-Identifier: MIT */
/* When a workload that has ended may be started again (--when-one-ends=respawn). */
#ifndef CONTROL_RESPAWN_H
#define CONTROL_RESPAWN_H

#include <stdbool.h>
#include <stdint.h>

/* Of a workload, from one start to its end. */
struct respawn_life {
	int64_t lived_ns, cpu_ns;
	bool failed;
};

/*
 * The least time in ns between a start of a workload and the next one of it, once it has ended. previous_ns is what this returned the last
 * time, 0 the first time.
 */
int64_t respawn_delay(int64_t previous_ns, const struct respawn_life *life);

#endif
