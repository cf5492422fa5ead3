/* SPDX-License-Identifier: MIT */
/* Where tables and pictures go. */
#ifndef SSREPORT_OUTPUT_H
#define SSREPORT_OUTPUT_H

#include "ssreport/command.h"

/* An output must not be one of the files that are read. 0, or -1 after a message. */
int output_check(const struct settings *settings);

/* Writes what --output names, or the table to standard output. 0, or -1 after a message. */
int output_write(const struct report *report);

#endif
