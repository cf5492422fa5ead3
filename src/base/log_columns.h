/* SPDX-License-Identifier: MIT */
/* Columns of control logs and load logs, by which who writes one and who reads it understand each other; units in their names. */
#ifndef BASE_LOG_COLUMNS_H
#define BASE_LOG_COLUMNS_H

#include <stddef.h>

#define LOG_TIME "time_s"           /* end of the row, since control or the measurement began */
#define LOG_MONOTONIC "monotonic_s" /* the same on CLOCK_MONOTONIC */
#define LOG_WALL "time_unix_s"      /* and on the wall clock, since 1970; of iterations and requests, too */
#define LOG_TARGET "target"
#define LOG_LOAD "load"
#define LOG_OTHERS "others"
#define LOG_WATCHED "watch_" /* … and the name of what is watched */
#define LOG_POWER "power_w"

/* Copies a name, cut to the size, with one underscore for whatever is neither a letter nor a digit, and none at its ends. */
void column_name(const char *name, char *column, size_t size);

#endif
