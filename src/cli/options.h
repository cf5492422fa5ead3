/* SPDX-License-Identifier: MIT */
/* The table of showstopper's options: what the command line takes, what --help prints, what a shell completes. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/tool_options.h"

/* Their `uses` and settings: cli/option_values.h. */
extern const struct tool_option showstopper_options[];
extern const size_t showstopper_option_count;

#endif
