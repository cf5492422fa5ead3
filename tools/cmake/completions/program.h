/* SPDX-License-Identifier: MIT */
/* What the generator knows of a program; each of the files named after one fills it in. */
#ifndef COMPLETIONS_PROGRAM_H
#define COMPLETIONS_PROGRAM_H

#include "base/tool_options.h"

/* What the words are that are no options. */
enum program_words {
	WORDS_NONE,
	WORDS_FILE,       /* files, also between options */
	WORDS_COMMAND,    /* a command and its arguments */
	WORDS_GROUPS,     /* several of them, with options before each and a separator between */
	WORDS_DASHES,     /* others, but after `--` a command */
	WORDS_SUBCOMMAND, /* the first is a subcommand, all others are files */
};

#define PLACES_MAX 32

/* Where in the line other options are possible than elsewhere: one of the subcommands, or a group. */
struct program_place {
	const char *name, *help; /* help: of a subcommand, else NULL */
	unsigned uses;           /* as the mask of tool_options_help */
};

struct program {
	const char *name;
	const struct tool_option *option;
	size_t count;
	enum program_words words;
	struct program_place place[PLACES_MAX]; /* `places` of them; 0: the options are the same everywhere */
	size_t places;
};

/* Each generator has one program's: it fills the zeroed struct in. */
void program_describe(struct program *program);

#endif
