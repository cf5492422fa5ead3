/* SPDX-License-Identifier: MIT */
/* The life of a recording: its moments, the command's beginning and end, and signals. */
#ifndef CPULOAD_LIFE_H
#define CPULOAD_LIFE_H

#include "cpuload/rows.h"

/* Records as the settings say, with the command that they name. Returns the status to exit with. */
int live(struct rows *rows);

#endif
