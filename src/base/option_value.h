/* SPDX-License-Identifier: MIT */
/*
 * Values of options, wherever they are given: as text, by what a row of a table says about them (struct sst_option), in the memory that the
 * row means, and what is said about wrong ones. Options of modules have such rows; base/tool_options.h makes them of those of programs.
 */
#ifndef BASE_OPTION_VALUE_H
#define BASE_OPTION_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "showstopper/module.h"

/* Longest message about an option, with its NUL. */
#define OPTION_ERROR_MAX 512

union option_value {
	int64_t integer; /* TIME, INT, CHOICE, FLAG */
	double real;     /* LOAD, REAL */
	void *block;     /* TEXT, FILE: the text as given, not owned; CPUS: owned by whoever parsed it */
};

/*
 * 0, or -1 with errno: EINVAL (malformed), ERANGE (beyond the type's or the option's bounds) or ENOMEM; then there is nothing to be freed.
 * The second one doesn't look at the option's bounds.
 */
int option_value_parse(const struct sst_option *option, const char *text, union option_value *value);
int option_value_parse_type(const struct sst_option *option, const char *text, union option_value *value);

/* Whether values of a type can have bounds, and which of two is larger: below 0, 0 or above 0. */
bool option_value_has_order(enum sst_type type);
int option_value_compare(enum sst_type type, const union option_value *a, const union option_value *b);

/* Of the member, which is also its alignment. */
size_t option_value_size(enum sst_type type);
/* Writes to the option's member; what is in a block must stay there. */
void option_value_put(const struct sst_option *option, void *state, const union option_value *value);
/* The same with what stands there when nothing was given. */
void option_value_clear(const struct sst_option *option, void *state);
/* Prints the member behind those two texts, as it would be given; false, and nothing, when it is unset. */
bool option_value_print(const struct sst_option *option, const void *state, const char *before, const char *name, FILE *to);

/* What it takes, short: TIME, or one|two. */
void option_value_form(const struct sst_option *option, FILE *to);
/* The same in words, then the bounds; and these alone behind a separator, if there are any. */
void option_value_expected(const struct sst_option *option, FILE *to);
void option_value_bounds(const struct sst_option *option, char separator, FILE *to);
/* A text of the table, with a unit that nobody takes for another. */
void option_value_given(const struct sst_option *option, const char *before, const char *given, FILE *to);

/* Writes `SOURCE: 'TEXT' is malformed: expected …`, by the errno of a parser. Returns -1. */
int option_value_refuse(
	const struct sst_option *option, const char *source, const char *text, int reason, char error[static OPTION_ERROR_MAX]);

#endif
