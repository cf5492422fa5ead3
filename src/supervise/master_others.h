/* SPDX-License-Identifier: MIT */
/* What the master knows of the load that others make: readings of our own processor time, at the ends of rows and samples. */
#ifndef SUPERVISE_MASTER_OTHERS_H
#define SUPERVISE_MASTER_OTHERS_H

#include <stdbool.h>

#include "control/run.h"
#include "os/ours.h"

/* Zeroed before the beginning. */
struct master_others {
	struct linux_ours *ours;
	bool has_begun;
	bool tells_free;
};

/* When all executors are there; once more does no harm. Counts nothing where not all of it is part of the load. */
void master_others_begin(struct master_others *others, const struct run *run);
/* Processor time in s of all processes of the run since the beginning; NaN where it isn't counted or can't be read. */
double master_others_read(struct master_others *others);
/* … of which so much was that of free workloads, as of that reading; NaN where there are none, or it isn't known. */
double master_others_free(const struct master_others *others);
void master_others_close(struct master_others *others);

#endif
