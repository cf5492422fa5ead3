/* SPDX-License-Identifier: MIT */
/* What stops and continues one workload: signals to its tree of processes, or the freezer of its control group. */
#ifndef OS_BRAKE_H
#define OS_BRAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "os/tree.h"
#include "os/workload_groups.h"

struct brake {
	enum sst_hand hand;
	struct workload_group group; /* but with SST_HAND_SIGNALS */
	struct tree tree;            /* tree.stopped: the workload stands still, by whichever hand */
};

/* Stops the workload, also where it is stopped already: somebody else may have continued it. */
void brake_stop(struct brake *brake, int64_t now_ns);
/* Lets it run, likewise. */
void brake_continue(struct brake *brake);
/* Takes off what would keep it from starting or from being killed; where it is stopped by signals nothing does. */
void brake_release(const struct brake *brake);

#endif
