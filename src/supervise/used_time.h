/* SPDX-License-Identifier: MIT */
/* Processor time of one workload: how much it used before control began, until control ended, and in all. Times in nanoseconds. */
#ifndef SUPERVISE_USED_TIME_H
#define SUPERVISE_USED_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "control/shared.h"
#include "os/tree.h"

struct used_time {
	struct slot *slot;     /* where it is noted */
	struct tree *attached; /* a tree that ran before; NULL where all of it is our descendants */
	uint64_t ticks_before; /* … and what that had used by then */
	bool began, ended;     /* noted */
};

/* What has ended of the workload has used; of an attached tree, all as of the last look at it. */
int64_t used_time_ended(const struct used_time *used);

/* The whole workload, which lives. Takes a look at all of it. */
int64_t used_time_now(struct used_time *used);

/* Control has begun, for the first time. What was held until then (not `has_run`) has used nothing. */
void used_time_begin(struct used_time *used, bool has_run);

/* Control has ended, for the first time, with so much used; what comes now is the grace period. Without a beginning, all of it was before. */
void used_time_end(struct used_time *used, int64_t used_ns);

/* Nothing of the workload is left, or it is attached: notes what it has used in all, and this process. */
void used_time_total(struct used_time *used);

#endif
