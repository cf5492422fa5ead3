/* SPDX-License-Identifier: MIT */
/* What all shells are told of a program, as text. */
#ifndef COMPLETIONS_TABLES_H
#define COMPLETIONS_TABLES_H

#include <stdio.h>

#include "base/tool_options.h"
#include "program.h"

/* Longest description of what completes a value, with its NUL. */
#define TABLES_TEXT_MAX 512

/* A list of texts; the texts are its own. */
struct tables_list {
	char **text;
	size_t count;
};

/* What the modules say of themselves; all empty for a program that has no option for them. */
struct tables_modules {
	struct tables_list usual;   /* KIND:NAME, of those that are taken when none is named */
	struct tables_list module;  /* `KIND:NAME SUMMARY`, as --list-modules has them; without the skeletons */
	struct tables_list options; /* `KIND:NAME KEY=VALUES KEY=VALUES`, as --help-module has them */
};

/* Loads those that the module path has. 0, or -1 after a message. */
int tables_load_modules(const struct program *program, struct tables_modules *modules);
void tables_free_modules(struct tables_modules *modules);

/*
 * Writes what completes an option's value: "" (it takes none), `any`, `choice A|B`, `list A|B`, `file`, `folder`, `command`,
 * `process`, `module KIND`, `options KIND` or `kind:module`. 0, or -1 after a message.
 */
int tables_value(const struct tool_option *option, char text[static TABLES_TEXT_MAX]);

/* Writes the names of the places where the option is possible, with blanks between; "" when it is possible everywhere. */
void tables_places(const struct program *program, const struct tool_option *option, char text[static TABLES_TEXT_MAX]);

/* Of the members of enum program_words. */
const char *tables_words_name(enum program_words words);

/* Whether a shell takes it as it is, wherever it stands. */
bool tables_is_plain(const char *text);

#endif
