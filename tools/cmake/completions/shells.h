/* SPDX-License-Identifier: MIT */
/* The tables in the notation of a shell; what goes through them is in complete.bash, complete.zsh and complete.fish. */
#ifndef COMPLETIONS_SHELLS_H
#define COMPLETIONS_SHELLS_H

#include <stdio.h>

#include "program.h"
#include "tables.h"

/* Both return 0, or -1 after a message. */

/* For bash and zsh: declarations inside a function. */
int shells_write_arrays(const struct program *program, const struct tables_modules *modules, FILE *to);
/* For fish: a list of what takes a value, and a command for each option and subcommand. */
int shells_write_fish(const struct program *program, const struct tables_modules *modules, FILE *to);

#endif
