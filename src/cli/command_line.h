/* SPDX-License-Identifier: MIT */
/* The command line of showstopper. */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include <stdio.h>

#include "config/config.h"

/*
 * Parses argv. 0, or -1 after a message that says what was found and what was expected. Free with config_free in both cases.
 */
int config_parse(struct config *config, int argc, char **argv);

/* The text of --help, from the table that is parsed. */
void config_help(FILE *to);

#endif
