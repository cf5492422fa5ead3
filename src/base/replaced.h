/* SPDX-License-Identifier: MIT */
/* What the placeholder changes in commands and options, for people. */
#ifndef BASE_REPLACED_H
#define BASE_REPLACED_H

#include "base/config.h"

/* Calls `say` with a line for each text that differs from what was given, as the first instance that it is for gets it. */
void replaced_say(const struct config *config, void (*say)(const char *line));

#endif
