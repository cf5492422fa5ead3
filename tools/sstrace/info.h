/* SPDX-License-Identifier: MIT */
/* What a trace holds. */
#ifndef SSTRACE_INFO_H
#define SSTRACE_INFO_H

#include <stdio.h>

#include "trace/trace.h"

/* Prints a line for each thing that --info tells of a trace. 0, or -1 with errno ENOMEM; whether the stream failed it knows itself. */
int info_print(const struct trace *trace, FILE *to);

#endif
