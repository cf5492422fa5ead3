/* SPDX-License-Identifier: MIT */
/* Which trace the options -l, -t and -T ask for together, in every program that has them. */
#ifndef MODULE_TRACE_CHOICE_H
#define MODULE_TRACE_CHOICE_H

#include <stdbool.h>

/* Whether -l may have that text, a load. 0, or -1 after a message that calls the option `source`. */
int trace_choice_check_load(const char *source, const char *text);

/*
 * Completes *module and *options, of -t and -T, where *options is NULL if it wasn't given. `load` is that of -l, or NULL, and `has_module`
 * says whether -t was given. Without -t, a -T that begins with the name of a file, and not with a load, is a trace in that file.
 * 0, or -1 after a message.
 */
int trace_choice_complete(const char *load, bool has_module, const char **module, const char **options);

#endif
