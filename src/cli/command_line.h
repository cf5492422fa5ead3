/* SPDX-License-Identifier: MIT */
/* The command line of showstopper. */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include <stdio.h>

#include "config/config.h"

/*
 * Parses argv. Returns 0, or -1 with a message in *error (to be freed) that says what was found and what was expected. Free with
 * config_free in both cases.
 */
int config_parse(struct config *config, int argc, char **argv, char **error);

/* The text of --help, from the table that is parsed. */
void config_help(FILE *to);

#endif
