/* SPDX-License-Identifier: MIT */
/* The clocks of a trial with --frequency: a made-up tree of cpufreq, which must be as before in the end. */
#ifndef CLOCKS_H
#define CLOCKS_H

#include "state.h"

/* Makes the tree, if the plan says so. */
void clocks_make(struct trial *trial);

/* Whether all is as before; else the verdict says so. What nobody was left to set back, the next run must. Then the tree goes. */
void clocks_judge(struct trial *trial);

#endif
