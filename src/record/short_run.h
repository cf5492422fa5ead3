/* SPDX-License-Identifier: MIT */
/* Runs in which nothing can be measured. */
#ifndef RECORD_SHORT_RUN_H
#define RECORD_SHORT_RUN_H

#include "control/run.h"

/* Warns of a run time, a warm-up or a trace shorter than one sample. 0, or -1 if --require, which needs samples, makes it an error. */
int short_run_check(const struct run *run);

#endif
