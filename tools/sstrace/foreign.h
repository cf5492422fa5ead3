/* SPDX-License-Identifier: MIT */
/* Recordings of other programs, which ssimport reads. */
#ifndef SSTRACE_FOREIGN_H
#define SSTRACE_FOREIGN_H

#include "trace/trace.h"

/*
 * Runs ssimport with these words, of which the last one is NULL, and makes the empty trace what it writes; without a trace it writes to standard
 * output. `input`: what it has as standard input; -1: this program's. 0, or -1 after a message, of ssimport or of this program.
 */
int foreign_read(const char *const *words, int input, const char *name, struct trace *trace);

#endif
