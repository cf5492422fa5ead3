/* SPDX-License-Identifier: MIT */
/* Lines that go to a file whole or not at all: records may be lost, but are never damaged. */
#ifndef BASE_WHOLE_LINE_H
#define BASE_WHOLE_LINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Writes a line, with one system call where the file takes it whole. Returns 0, or -1 with errno. What went out of it by then is
 * taken back from a regular file in which nobody has written behind it; *is_cut, where not NULL, tells whether half a line stays.
 */
int whole_line_write(int file, const char *line, size_t length, bool *is_cut);

#endif
