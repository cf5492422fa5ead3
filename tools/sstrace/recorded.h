/* SPDX-License-Identifier: MIT */
/* Traces of loads that cpuload or showstopper recorded as CSV. */
#ifndef SSTRACE_RECORDED_H
#define SSTRACE_RECORDED_H

#include "trace/trace.h"

/*
 * Makes the empty trace one of a column of the file, "load" or "target": steps, of which each holds the load of a row since the row before.
 * Where a row has none, the load before holds. Says what was found. 0, or -1 after a message.
 */
int recorded_read(int file, const char *name, const char *column, struct trace *trace);

#endif
