/* SPDX-License-Identifier: MIT */
/*
 * The files of a program, by what it does with each, so that none is written that is read or written for something else, too. Two names
 * are of one file when device and inode say so, and of one that isn't there yet when folder and name do. What is neither a regular file nor
 * a FIFO, such as /dev/null, may be used as often as one likes.
 */
#ifndef BASE_FILE_USES_H
#define BASE_FILE_USES_H

#include <stddef.h>

#define FILE_USES_ERROR_MAX 1024

enum file_use {
	FILE_IS_READ,
	FILE_IS_WRITTEN,  /* by one alone */
	FILE_IS_APPENDED, /* by several that may share it, at its end */
};

struct file_used;

/* Start with {0}. */
struct file_uses {
	struct file_used *item;
	size_t count, size;
	int error; /* errno of one that could not be added */
};

/*
 * `what` is how messages call it: an option that names a file to write (`--log`), or what a file is that is read (`the input of the trace
 * module`). A path of NULL adds nothing; `-` and its like (output.h) are the standard output that is there. Both texts are copied.
 */
void file_uses_add(struct file_uses *uses, enum file_use use, const char *what, const char *path);

/* A standard descriptor as it was inherited, which nobody opens: standard input is read, others go where somebody else has put them. */
void file_uses_add_standard(struct file_uses *uses, int descriptor);

/* 0, or -1 with a message about two that don't go together. Frees the list. */
int file_uses_check(struct file_uses *uses, char error[static FILE_USES_ERROR_MAX]);

#endif
