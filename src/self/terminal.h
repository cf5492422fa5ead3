/* SPDX-License-Identifier: MIT */
/*
 * Keeping the last row of a terminal for ourselves, while others go on writing in the rows above it: these alone scroll.
 *
 * The sequences are those of ECMA-48 and of the VT100 that xterm, tmux, screen and the Linux console have in common.
 */
#ifndef SELF_TERMINAL_H
#define SELF_TERMINAL_H

#include <stdbool.h>
#include <sys/types.h>

struct terminal_size {
	unsigned rows, columns; /* 0: not known */
};

void terminal_size(int fd, struct terminal_size *size);

/* Whether it is a terminal that knows these sequences: TERM is set, and neither dumb nor unknown. */
bool terminal_knows_sequences(int fd);

/* Whether it is the terminal of a session in which another process group than this one is in the foreground. */
bool terminal_is_of_others(int fd, pid_t group);

/* Each of these adds a text of less than so many bytes and returns its end. */
#define TERMINAL_SEQUENCE_MAX 64
/*
 * Goes before a line that is to stay: the cursor leaves the last row, by scrolling where it must. `below` says whether what stands below
 * it is to be erased, as after a change of size, when an old line may have moved there.
 */
char *terminal_leave_last_row(char *at, bool below);
/* Goes before the text of the line. Nothing scrolls there from now on; the text must be narrower than the terminal. */
char *terminal_begin_last_row(char *at, unsigned rows);
/* Goes behind it: whoever writes next writes where he was. */
char *terminal_end_last_row(char *at);
/* Erases the line and gives the row back. It also ends a sequence that was cut. `rows` may be 0. */
char *terminal_give_back(char *at, unsigned rows);

/* Input that somebody gave: whether the rest of a file, or what has been written to a pipe or socket by now, waits to be read. Reads nothing. */
bool unread_input(int file);

#endif
