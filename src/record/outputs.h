/* SPDX-License-Identifier: MIT */
/* The files that a run writes: what can't be written is refused while nothing is lost, and old ones are emptied as late as can be. */
#ifndef RECORD_OUTPUTS_H
#define RECORD_OUTPUTS_H

#include "control/run.h"

/*
 * Refuses files to write that are read, too, or that are one, and those that can't be written. Makes and empties none. 0, or -1 after a
 * message.
 */
int outputs_check(const struct run *run);

/* Makes those that aren't there. 0, or -1 after a message. */
int outputs_make(const struct config *config);

/* Empties those of the workloads, which all of them append to from then on. 0, or -1 after a message. */
int outputs_empty(const struct config *config);

#endif
