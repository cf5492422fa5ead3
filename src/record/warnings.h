/* SPDX-License-Identifier: MIT */
/* Why a target was missed: what is said at the end of a run, and only with the figures that prove it. */
#ifndef RECORD_WARNINGS_H
#define RECORD_WARNINGS_H

#include <stdio.h>

#include "record/summary.h"

/* A share of the time, and an error, from which one explains the other. */
#define NOTABLE_SHARE 0.05
#define NOTABLE_ERROR_PP 0.5

/* Prints one line for each cause that is known; nothing where the target was held. */
void warnings_print(const struct summary *summary, FILE *to);

#endif
