/* SPDX-License-Identifier: MIT */
/* Pipes that can't be taken for standard descriptors. */
#ifndef OS_PIPE_H
#define OS_PIPE_H

/*
 * A close-on-exec pipe whose ends lie above the standard descriptors, even where those are closed: a child that redirects its own
 * does not lose them. ends[0] is to read from, ends[1] to write to. 0, or -1 with errno and both ends -1.
 */
int pipe_above_standard(int ends[static 2]);

#endif
