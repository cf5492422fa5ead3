/* SPDX-License-Identifier: MIT */
/*
 * Module options as data: one table (struct sst_option) drives parsing, defaults, range errors, the record of a run and
 * --help-module.
 *
 * The text is `value,key=value,flag,…`. A first piece without `=` is the value of the table's first option, unless it names a
 * flag. `\` takes the next character as it is, so that a file name may hold a comma. A piece that starts with a digit right after
 * a CPU list continues the list (cpus=0-3,8).
 */
#ifndef MODULE_OPTION_H
#define MODULE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/option_value.h"
#include "showstopper/module.h"

/* What values such as texts and CPU lists need beyond the state; freed by option_free. Start with {0}. */
struct option_memory {
	void **block;
	size_t count;
};

/*
 * Writes every option's value (given or default) into the state. `text` may be NULL. Returns 0, or -1 with a message in `error`
 * that names the option, what was found and what is accepted; `memory` must be freed in both cases.
 */
int option_parse(const struct sst_option *table, const char *text, void *state, struct option_memory *memory,
	char error[static OPTION_ERROR_MAX]);
void option_free(struct option_memory *memory);

/*
 * Writes the text's first piece, unescaped, if that has no name: what the table's first option gets. False when it has one, or doesn't
 * fit, or there is nothing.
 */
bool option_first_value(const char *text, char *value, size_t size);

/* Prints the values in the state as text that option_parse takes again: `key=value,key=value`; unset options are left out. */
void option_print(const struct sst_option *table, const void *state, FILE *to);
/* The same as a text that is to be freed; NULL without memory. */
char *option_print_text(const struct sst_option *table, const void *state);

/* The value of an SST_TEXT or SST_FILE in the state; NULL: unset. */
const char *option_text(const struct sst_option *option, const void *state);

/* The value of the SST_CHOICE of this name; NULL: unset, or there is no such option. */
const char *option_choice(const struct sst_option *table, const void *state, const char *name);

/* Prints an option's name and what it takes, as `step=LOAD` or `interpolate=step|linear`. */
void option_form(const struct sst_option *option, FILE *to);

/* Prints one line per option for people: name, what it takes, bounds, default, help. */
void option_help(const struct sst_option *table, FILE *to);

/*
 * Checks the table itself (names, bounds and defaults that parse, offsets inside the state): 0, or -1 with a message that names the option
 * and what is wrong with it.
 */
int option_check_table(const struct sst_option *table, size_t state_size, char error[static OPTION_ERROR_MAX]);

#endif
