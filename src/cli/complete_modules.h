/* SPDX-License-Identifier: MIT */
/* What shells complete of modules, from those that there are. */
#ifndef CLI_COMPLETE_MODULES_H
#define CLI_COMPLETE_MODULES_H

#include "base/complete.h"

/* For complete_program.offer_modules. */
void complete_modules(struct complete_value *value, const struct tool_option *row);

#endif
