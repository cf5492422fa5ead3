/* SPDX-License-Identifier: MIT */
/* The instance's number in arguments: scratch.% becomes scratch.07. */
#ifndef CONFIG_EXPAND_H
#define CONFIG_EXPAND_H

#include <stdbool.h>

#include "config/config.h"

/* Digits of the largest number of `workloads` instances, which are numbered from 0. */
unsigned expand_width(unsigned workloads);

/*
 * `text` with every placeholder replaced by the number, zero-padded to `width`, and every doubled placeholder by a single one. An
 * empty placeholder replaces nothing. A percent sign that an ASCII letter or digit follows is none, nor is one of a conversion of
 * printf, such as %.2f and %-10s, or of a variable of curl, such as %{http_code}. To be freed; NULL with errno ENOMEM.
 */
char *expand(const char *text, const char *placeholder, unsigned number, unsigned width);

/* Whether expand() would give anything but `text`. */
bool expand_changes(const char *text, const char *placeholder);

/* A command's words, expanded but for the first one; free with expand_free. NULL with errno ENOMEM. */
char **expand_command(char *const *command, const char *placeholder, unsigned number, unsigned width);
void expand_free(char **command);

/* Calls `say` with a line for each text that differs from what was given, as the first instance that it is for gets it. */
void replaced_say(const struct config *config, void (*say)(const char *line));

#endif
