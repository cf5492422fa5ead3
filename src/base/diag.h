/* SPDX-License-Identifier: MIT */
/* Messages to the user: one line each on stderr, headed by the program's name. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>

/* Exit status of every program of the project when it failed or was misused. */
#define EXIT_TROUBLE 125

/* The name that heads messages; must outlive the program. */
void diag_name(const char *program);

/* A live line of so many columns stands where the next message goes, which is written over it. 0: there is none. */
void diag_over_live_line(unsigned columns);

/*
 * From now on, also in children, nothing here ever waits for a reader: a pipe that is full, a terminal that is held (Ctrl-S). What can't
 * be written at once is dropped, and how much that was is said when something can be written again. For those who supervise.
 */
void diag_never_wait(void);

/* Where stderr is a terminal, ends lines of the text at blanks, so that words aren't broken at its edge. */
void diag_wrap(char *text);

/* Writes a text to stderr, whole lines of at most 4,096 bytes at a time. Keeps errno. */
void diag_write(const char *text, size_t length);

/* The same for what nobody misses: false when it could not be written. */
bool diag_try(const char *text, size_t length);

/*
 * The same for at most DIAG_DRAWING_MAX bytes that must not be cut, such as what steers a terminal: nothing of it is written, or what is
 * left of it before anything else is.
 */
#define DIAG_DRAWING_MAX 4096
bool diag_draw(const char *text, size_t length);

/* printf style, without newline, written with one system call. Keeps errno. */
void diag(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same; returns -1, as what failed does. */
int diag_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
