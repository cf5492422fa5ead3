/* SPDX-License-Identifier: MIT */
/* Files that can't be written to their ends. */
#ifndef BASE_HALF_FILE_H
#define BASE_HALF_FILE_H

/*
 * Leaves a file empty that could not be written whole: half a record or trace might be taken for one. What is no regular file is
 * left alone, and so is standard output, called `-`. Keeps errno.
 */
void half_file_empty(const char *path);

#endif
