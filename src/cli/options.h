/* SPDX-License-Identifier: MIT */
/* The options of showstopper: a table for the command line, --help and completions, and what stores the values. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/tool_options.h"
#include "base/units.h"
#include "config/config.h"

/* Ten years: sums with the clock can't overflow. */
#define OPTION_TIME_MOST (INT64_C(3650) * 86400 * NS_PER_S)

/* Bits of tool_option.uses: it is stored in a group and may stand before any command; and the heading of --help that it stands under. */
enum {
	OPTION_OF_GROUP = 1,
	HELP_EVERYDAY = 4,
	HELP_WORKLOADS = 8,
	HELP_MODULES = 16,
	HELP_LENGTH = 32,
	HELP_OUTPUT = 64,
	HELP_INSTEAD = 128,
	HELP_HEADINGS = HELP_EVERYDAY | HELP_WORKLOADS | HELP_MODULES | HELP_LENGTH | HELP_OUTPUT | HELP_INSTEAD
};

/* Where the options before a command are stored: `settings` of what the table calls. */
struct option_target {
	struct config *config;
	struct group *group;
};

/* With all options known, puts the modules in place that --limit is short for. 0, or -1 after a message. */
int limit_complete(struct config *config);

/* What --pin takes, NULL-terminated. */
extern const char *const option_pins[];

extern const struct tool_option showstopper_options[];
extern const size_t showstopper_option_count;

#endif
