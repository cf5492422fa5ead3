/* SPDX-License-Identifier: MIT */
/* Files that are written because an option names them. `-` is standard output. */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

bool output_is_stdout(const char *path);

bool output_is_fifo(const char *path);

/* Whether both are written and have one name; either may be NULL, which is written nowhere. */
bool output_is_same(const char *path, const char *other);

/* What messages call it. */
const char *output_name(const char *path);

/*
 * Opens it for writing, creates it where it isn't there, with more flags of open() such as O_TRUNC. Of standard output this is a copy, which
 * the caller closes like any other. A descriptor that is closed on exec, or -1 with errno.
 */
int output_open(const char *path, int flags);

/* The same, emptied, as a stream; NULL with errno. For a reader of a FIFO this waits no longer than a second (ENXIO: there is none). */
FILE *output_stream(const char *path);

#endif
