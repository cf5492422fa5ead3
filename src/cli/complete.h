/* SPDX-License-Identifier: MIT */
/*
 * What shells complete: they ask the program itself, which answers from the table that it parses, and from the modules there are.
 * PROGRAM --complete WORD... gets the words behind the program's name up to the cursor; the last one may be empty. It prints a line for each
 * candidate for its place, with a tab and what it means behind it; the shell takes those that fit. Other lines begin with a colon:
 *	:file, :directory, :process	behind a tab what of the last word stands before the name or the number that is wanted
 *	:nospace			more may follow on a candidate
 *	:command			to be completed by itself; behind a tab the number of its first word, where the program's is 0
 */
#ifndef CLI_COMPLETE_H
#define CLI_COMPLETE_H

#include "base/tool_options.h"

/* What the words are that are no options. */
enum complete_words { COMPLETE_NONE, COMPLETE_FILES, COMPLETE_COMMAND, COMPLETE_COMMAND_BEHIND_DASHES };

struct complete_program {
	const struct tool_option *option;
	size_t count;
	enum complete_words words;
	unsigned later; /* COMMAND: uses of the options that are possible behind a separator, too; 0: there is none */
};

/* Answers a shell; false when the words are no question of one. */
bool complete(const struct complete_program *program, int words, char **word);

#endif
