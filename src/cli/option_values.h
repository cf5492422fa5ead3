/* SPDX-License-Identifier: MIT */
/* Values of showstopper's options: those that a type of base/tool_options.h can't hold, and what is said about wrong ones. */
#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include "base/tool_options.h"
#include "base/units.h"
#include "config/config.h"

/* Ten years: sums with the clock can't overflow. */
#define OPTION_TIME_MOST (INT64_C(3650) * 86400 * NS_PER_S)

/* Bits of tool_option.uses: whether an option is stored in a group and stands before any command, or only before the first. */
enum { OPTION_OF_GROUP = 1, OPTION_OF_RUN = 2 };

/* More of these bits, one for each option: the heading of --help that it stands under. */
enum {
	HELP_EVERYDAY = 4,
	HELP_WORKLOADS = 8,
	HELP_MODULES = 16,
	HELP_LENGTH = 32,
	HELP_OUTPUT = 64,
	HELP_INSTEAD = 128,
	HELP_HEADINGS = HELP_EVERYDAY | HELP_WORKLOADS | HELP_MODULES | HELP_LENGTH | HELP_OUTPUT | HELP_INSTEAD
};

/* Where the options before a command are stored: `settings` of the functions below. */
struct option_target {
	struct config *config;
	struct group *group;
	char **error; /* to be freed */
};

/* What --pin takes, NULL-terminated. */
extern const char *const option_pins[];

/* Store the value of the option of that name. 0, or -1 with a message in *error, which calls the option `source`. */
int option_set_attach(void *settings, const char *source, const char *text);
int option_set_cpus(void *settings, const char *source, const char *text);
int option_set_frequency(void *settings, const char *source, const char *text);
int option_set_help_module(void *settings, const char *source, const char *text);
int option_set_load(void *settings, const char *source, const char *text);
int option_set_part(void *settings, const char *source, const char *text);
int option_set_pin(void *settings, const char *source, const char *text);
int option_set_log_counters(void *settings, const char *source, const char *text);
int option_set_require(void *settings, const char *source, const char *text);
int option_set_start_at(void *settings, const char *source, const char *text);

/* The same for any option. */
int option_set(const struct tool_option *option, struct option_target *target, const char *source, const char *text);

#endif
