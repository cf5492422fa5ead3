/* SPDX-License-Identifier: MIT */
/* The run: threads are started, and the first one waits for their end, for signals and for the time limit. */
#ifndef SSBURN_RUN_H
#define SSBURN_RUN_H

#include "ssburn/options.h"

/* Opens the log, works, and returns the exit status; *caught is set to the signal that ended it. */
int ssburn_run(const struct settings *settings, int *caught);

/* Prints, in place of a run, how much processor time requests would take, by their iterations. Trouble is stdout's. */
void ssburn_draw(const struct settings *settings);

#endif
