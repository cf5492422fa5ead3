/* SPDX-License-Identifier: MIT */
/*
 * What stops and continues one workload: signals to its tree of processes, or the freezer of its control group. Or what slows it down: the
 * bandwidth of that group. It is then stopped by signals where it has to stand still, before the run and in a pause.
 */
#ifndef WORKLOADS_BRAKE_H
#define WORKLOADS_BRAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "groups/attached_group.h"
#include "groups/workload_groups.h"
#include "processes/tree.h"

struct brake {
	enum actuator actuator;
	struct workload_group group;  /* but with ACTUATOR_SIGNALS */
	struct attached_group *found; /* … which was there before; NULL: it is the workload's own */
	struct bandwidth limit;       /* of the group; quota 0: none */
	bool insist;                  /* ACTUATOR_QUOTA: it is continued once more */
	struct tree tree;             /* tree.stopped: the workload stands still, by whichever actuator */
};

/* Stops the workload, also where it is stopped already: somebody else may have continued it. */
void brake_stop(struct brake *brake, int64_t now_ns);
/* Lets it run, likewise. */
void brake_continue(struct brake *brake);
/* Prepares the next stop, where there is time until this moment. */
void brake_settle(struct brake *brake, int64_t until_ns);
/* Limits its bandwidth, where that is the actuator (quota 0: no limit); else nothing. One that is in force is not written again. */
void brake_limit(struct brake *brake, const struct bandwidth *limit);
/* Leaves an attached group as it was found. */
void brake_let_go(struct brake *brake);
/* Takes off what would keep it from starting or from being killed; where it is stopped by signals nothing does. */
void brake_release(struct brake *brake);

#endif
