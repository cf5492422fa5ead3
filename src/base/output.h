/* SPDX-License-Identifier: MIT */
/*
 * Files that are written because an option names them. `-` and /dev/stdout are standard output, /dev/stderr is standard error, as they are
 * open: they are neither emptied nor written at another place than whoever else writes there.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>

/* The descriptor that a name stands for, standard output or error, or -1: it is a file. */
int output_standard(const char *path);

bool output_is_stdout(const char *path);

/* Whether it is a regular file, or none yet: there is something to lose in it, and nothing to wait for. */
bool output_is_file(const char *path);

/* Whether a descriptor is open for writing; else errno is EBADF. */
bool output_is_writable(int file);

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

/*
 * Leaves a file empty that could not be written whole: half a record or trace might be taken for one. What is no regular file is
 * left alone, and so is standard output, called `-`. Keeps errno.
 */
void half_file_empty(const char *path);

/* Where a path leads, also where nothing is yet. */

struct file_place {
	bool is_there;
	struct stat status;    /* of the file; where it isn't there, of the folder that it would be made in */
	char folder[PATH_MAX]; /* that folder, behind all symbolic links; "" where the file is there */
	char name[PATH_MAX];   /* … and what it would be called in it; likewise */
};

/* 0, or -1 with errno where there is neither a file nor a folder for it. */
int file_place_find(const char *path, struct file_place *place);

/* Lines that go to a file whole or not at all: records may be lost, but are never damaged. */

/*
 * Writes a line, with one system call where the file takes it whole. Returns 0, or -1 with errno. What went out of it by then is
 * taken back from a regular file in which nobody has written behind it; *is_cut, where not NULL, tells whether half a line stays.
 */
int whole_line_write(int file, const char *line, size_t length, bool *is_cut);

#endif
