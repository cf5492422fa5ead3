/* SPDX-License-Identifier: MIT */
/* The master: sets a run up, forks the executors, supervises them, records and reports. */
#ifndef SUPERVISE_MASTER_H
#define SUPERVISE_MASTER_H

#include "config/config.h"
#include "supervise/obligations.h"

/*
 * The whole life of the master in the process forked for it. Returns its exit status (design: section 4), or a negative signal
 * number when it is to end by that signal. No descendant is left when it returns.
 */
int master_run(const struct config *config, const struct master_ties *ties);

#endif
