/* SPDX-License-Identifier: MIT */
/* Why a target was missed: what is said at the end of a run, and only with the figures that prove it. */
#ifndef RECORD_WARNINGS_H
#define RECORD_WARNINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "control/run.h"
#include "record/recorder.h"
#include "record/summary.h"

/* A share of the time, and an error, from which one explains the other. */
#define NOTABLE_SHARE 0.05
#define NOTABLE_ERROR_PP 0.5

/* Prints one line for each cause that is known; nothing where the target was held. */
void warnings_print(const struct summary *summary, FILE *to);

/* Notices, while a run goes on, that its target is missed because workloads are gone: ended, or not yet started again. */

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

/* Warns of a run time, a warm-up or a trace shorter than one sample. 0, or -1 if --require, which needs samples, makes it an error. */
int short_run_check(const struct run *run);

#endif
