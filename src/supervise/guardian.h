/* SPDX-License-Identifier: MIT */
/* The guardian: the process the user started. Thin, so that nothing is likely to kill it; cleans up when the master is killed. */
#ifndef SUPERVISE_GUARDIAN_H
#define SUPERVISE_GUARDIAN_H

#include "config/config.h"

/*
 * Forks the master, passes signals on to it, and outlives it. Returns the exit status for main, or a negative signal number by which
 * the process is to end. No descendant is left when it returns.
 */
int guardian_run(const struct config *config);

#endif
