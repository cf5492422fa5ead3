/* SPDX-License-Identifier: MIT */
/* The master from the first start of a workload until no executor is left, or those that are left don't end in time. */
#ifndef SUPERVISE_MASTER_SUPERVISION_H
#define SUPERVISE_MASTER_SUPERVISION_H

#include "supervise/master_state.h"

/* Starts what is due, or waits for the instant of --start-at; then goes round until the run has ended. */
void master_supervise(struct master *master);

/* Seconds of control that are left of the time that the run was to take; 0 where none was asked for. */
double master_left_s(const struct master *master, int64_t now_ns);

#endif
