/* SPDX-License-Identifier: MIT */
/* Profiles in which every thread has iterations of its own. */
#ifndef SSBURN_INDEPENDENT_H
#define SSBURN_INDEPENDENT_H

#include "ssburn/burn.h"

/*
 * Begins the next phase, in which another number of threads works; its length is that of its work, rounded to iterations. Under the
 * lock, or before there are threads.
 */
void independent_begin_phase(struct burn *burn);

/* A thread's life: it takes whole iterations until there are none left or the work is halted. */
void independent_run(struct worker *self);

#endif
