/* SPDX-License-Identifier: MIT */
/* What is printed instead of a run, but for --check-machine: what modules there are and what they take, also for shells, and what would be run. */
#ifndef CLI_INSTEAD_H
#define CLI_INSTEAD_H

#include <stdbool.h>
#include <stdio.h>

#include "base/complete.h"
#include "config/config.h"
#include "showstopper/module.h"

/*
 * Calls `found` for each module of a kind, or for all by kind (KIND_ANY), which are called `kind:name` then. A module that can't be loaded is
 * reported on stderr. 0, or -1 after a message.
 */
typedef void module_info_found(const char *name, const char *summary, void *context);
int module_info_each(enum sst_kind kind, module_info_found *found, void *context);

/* Prints `kind:name  summary` lines; as module_info_each. */
int module_info_list(FILE *to);

/* Prints one module's summary and options. 0, or -1 after a message. */
int module_info_help(enum sst_kind kind, const char *name, FILE *to);

/* Prints modules, commands and times as they would be, on standard output. 0, or -1 after a message; what can't be written shows in ferror. */
int dry_run_print(const struct config *config);

/* Gives a group back what a run left of which nobody lives, and says so. 0, also where there is nothing, or -1 after a message. */
int release_group(const char *name, bool quiet);

/* What shells complete of modules, from those that there are: for complete_program.offer_modules. */
void complete_modules(struct complete_value *value, const struct tool_option *row);

#endif
