/* SPDX-License-Identifier: MIT */
/* Words of the command line into settings; help and version. */
#ifndef SSREPORT_COMMAND_LINE_H
#define SSREPORT_COMMAND_LINE_H

#include "ssreport/options.h"

enum { COMMAND_LINE_GO_ON, COMMAND_LINE_DONE };

/*
 * Takes what main was given; the words must outlive the settings. COMMAND_LINE_DONE when help or the version was asked for and
 * printed, or -1 after a message.
 */
int command_line_parse(int count, char **arguments, struct settings *settings);

#endif
