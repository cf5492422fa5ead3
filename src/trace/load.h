/* SPDX-License-Identifier: MIT */
/* Loads a trace of either form, told by its first byte. */
#ifndef TRACE_LOAD_H
#define TRACE_LOAD_H

#include <stddef.h>

#include "trace/trace.h"

/* A compiled trace of up to so many bytes is copied into memory; a larger one is mapped from its file. See trace_read. */
#define TRACE_COPY_MAX ((size_t)256 << 20)

/*
 * Loads the trace in a file, a FIFO too, and checks all of it. Returns 0, or -1 with a message
 * that names the file and says what was found and what was expected; then the trace is empty. `wait`, of which the caller has set who hears
 * of a wait, may be NULL.
 */
int trace_load(struct trace *trace, const char *path, struct trace_wait *wait, char error[static TRACE_ERROR_MAX]);

/*
 * As trace_load without `wait`, from where the open file stands to its end; a pipe will do. `name` is for messages.
 *
 * A compiled trace of at most copy_max bytes, and every text, is copied into shared memory: whoever changes or truncates the
 * file later does not disturb this process or its children. A larger one in a regular file is mapped from it (after the
 * check), so it must be left alone as long as the trace is used: a program that reads the missing part of a truncated file
 * is killed by SIGBUS.
 */
int trace_read(struct trace *trace, int file, const char *name, size_t copy_max, char error[static TRACE_ERROR_MAX]);

#endif
