/* SPDX-License-Identifier: MIT */
/* The profile in which threads wait for one another: all of them work on one iteration, in rounds. */
#ifndef SSBURN_TEAM_H
#define SSBURN_TEAM_H

#include "ssburn/burn.h"

/* Gives out the first round, before there are threads. */
void team_begin(struct burn *burn);

/* A thread's life: it does its part of each round until there are no more or the work is halted. */
void team_run(struct worker *self);

/* Has all threads look whether there is something to do. Under the lock. */
void team_wake(struct burn *burn);

#endif
