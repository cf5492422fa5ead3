/* SPDX-License-Identifier: MIT */
/* The files of a run, from set-up to the first start of a workload. */
#ifndef SUPERVISE_MASTER_OUTPUTS_H
#define SUPERVISE_MASTER_OUTPUTS_H

#include "supervise/master_state.h"

/* Opens a log that is no file, such as a FIFO, which waits for its reader. 0, or -1 after a message. */
int master_outputs_open(struct master *master);

/* The last step before the first start: makes all files, empties those of workloads, and begins the log. 0, or -1 after a message. */
int master_outputs_begin(struct master *master);

#endif
