/* SPDX-License-Identifier: MIT */
/* What is done to the tool's processes and to workloads. */
#ifndef DISTURB_H
#define DISTURB_H

#include "state.h"

/* Waits for the moments of the plan. What is meant to die at one instant is killed without looking in between. */
void disturb(struct trial *trial);

#endif
