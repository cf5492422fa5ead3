/* SPDX-License-Identifier: MIT */
/* Messages to the user: one line each on stderr, headed by the program's name. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>

/* Exit status of every program of the project when it failed or was misused. */
#define EXIT_TROUBLE 125

/* The name that heads messages; must outlive the program. */
void diag_name(const char *program);

/* Whether a live line stands where the next message goes; it is then removed first. */
void diag_over_live_line(bool live);

/* printf style, without newline, written with one system call. Keeps errno. */
void diag(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same; returns -1, as what failed does. */
int diag_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
