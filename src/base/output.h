/* SPDX-License-Identifier: MIT */
/*
 * Files that are written because an option names them. `-` and /dev/stdout are standard output, /dev/stderr is standard error, as they are
 * open: they are neither emptied nor written at another place than whoever else writes there.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* The descriptor that a name stands for, standard output or error, or -1: it is a file. */
int output_standard(const char *path);

bool output_is_stdout(const char *path);

/* Whether it is a regular file, or none yet: there is something to lose in it, and nothing to wait for. */
bool output_is_file(const char *path);

/* What messages call it. */
const char *output_name(const char *path);

/* Whether it can be written, without making, emptying or waiting for anything: 0, or -1 with errno. */
int output_check(const char *path);

/*
 * Opens it for writing, makes it where it isn't there, with more flags of open() such as O_TRUNC. Of a standard descriptor this is a copy, which
 * the caller closes like any other. A descriptor that is closed on exec, or -1 with errno.
 */
int output_open(const char *path, int flags);

/* Makes a file where there is nothing, and leaves as it is what is there. 0, or -1 with errno. */
int output_make(const char *path);

/* Empties a regular file, and leaves everything else alone. 0, or -1 with errno. */
int output_empty(const char *path);

/* The same, emptied, as a stream; NULL with errno. For a reader of a FIFO this waits no longer than a second (ENXIO: there is none). */
FILE *output_stream(const char *path);

#endif
