/* SPDX-License-Identifier: MIT */
/* What an executor does last, for what others may have left: it can be the only process of the run that lives. */
#ifndef SUPERVISE_EXECUTOR_LEAVE_H
#define SUPERVISE_EXECUTOR_LEAVE_H

#include <stdbool.h>

#include "control/run.h"
#include "groups/workload_groups.h"

/*
 * Closes the workload's group and leaves it. Lets go what executors that were killed had attached, and waits a moment for those that live
 * where the run is over: it is `terminating`, or its master is dead. The own tree was let go before.
 */
void executor_leave(struct run *run, unsigned index, struct workload_group *group, bool terminating);

#endif
