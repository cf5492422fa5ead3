/* SPDX-License-Identifier: MIT */
/* What would be run. */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include "config/config.h"

/* Prints modules, commands and times as they would be, on standard output. 0, or -1 after a message; what can't be written shows in ferror. */
int dry_run_print(const struct config *config);

#endif
