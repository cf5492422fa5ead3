/* SPDX-License-Identifier: MIT */
/* Input that somebody gave and nobody has read. */
#ifndef OS_UNREAD_H
#define OS_UNREAD_H

#include <stdbool.h>

/* Whether the rest of a file, or what has been written to a pipe or socket by now, waits to be read. Reads nothing. */
bool unread_input(int file);

#endif
