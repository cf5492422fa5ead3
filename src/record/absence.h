/* SPDX-License-Identifier: MIT */
/* Notices, while a run goes on, that its target is missed because workloads are gone: ended, or not yet started again. */
#ifndef RECORD_ABSENCE_H
#define RECORD_ABSENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "record/recorder.h"

/* Zeroed, it has seen nothing. */
struct absence {
	int64_t length_ns;       /* of the samples since the last look */
	double gone_ns, missing; /* … their time without a workload, and the sum of target less load, each times its length */
	bool noticed;
};

/* What the last seconds were like. */
struct absence_found {
	double seconds;
	double gone;       /* part of the workloads' time without them, 0 to 1 */
	double missing_pp; /* target less load, in percentage points */
};

/*
 * Adds a sample with a target and a load. True once, with *found: when workloads were gone for a share of some seconds that is worth
 * naming, and the load was below the target.
 */
bool absence_add(struct absence *absence, const struct record *record, struct absence_found *found);

#endif
