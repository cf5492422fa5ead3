/* SPDX-License-Identifier: MIT */
/* How well a simulated run did. */
#ifndef SSSIM_RESULTS_H
#define SSSIM_RESULTS_H

#include <stdbool.h>

#include "sssim/run.h"

/* Prints one line of name=number on standard output. */
void results_print(const struct sim_run *run);

/* Prints a summary for people on standard error. */
void results_summarise(const struct sim_run *run, bool verbose);

#endif
