/* SPDX-License-Identifier: MIT */
/* Where tables and pictures go. */
#ifndef SSREPORT_OUTPUT_H
#define SSREPORT_OUTPUT_H

#include "ssreport/command.h"

/* An output must be none of the files that are read, nor two be one. 0, or -1 after a message. */
int output_check_files(const struct settings *settings);

/* Its ending must say what is to be written, unless --format does or there is none. 0, or -1 after a message. */
int output_check_ending(const struct settings *settings, const char *path);

/* Writes what --output names, or the table to standard output. 0, or -1 after a message. */
int output_write(const struct report *report);

#endif
