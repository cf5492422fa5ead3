/* SPDX-License-Identifier: MIT */
/*
 * What shells complete: they ask the program itself, which answers from the table that it parses.
 * PROGRAM --complete WORD... gets the words behind the program's name up to the cursor; the last one may be empty. It prints a line for each
 * candidate for its place, with a tab and what it means behind it; the shell takes those that fit. Other lines begin with a colon:
 *	:file, :directory, :process	behind a tab what of the last word stands before the name or the number that is wanted
 *	:nospace			more may follow on a candidate
 *	:command			to be completed by itself; behind a tab the number of its first word, where the program's is 0
 */
#ifndef BASE_COMPLETE_H
#define BASE_COMPLETE_H

#include "base/kinds.h"
#include "base/tool_options.h"

/* What the words are that are no options. */
enum complete_words { COMPLETE_NONE, COMPLETE_FILES, COMPLETE_COMMAND, COMPLETE_COMMAND_BEHIND_DASHES };

/* The value of an option that is completed. */
struct complete_value {
	const char *last;              /* the word that it is, or is in */
	const char *text;              /* the part of it that is exchanged */
	const char *end;               /* behind each that is offered */
	const char *module[KINDS + 1]; /* those that other options named, else NULL */
};

struct complete_program {
	const struct tool_option *option;
	size_t count;
	enum complete_words words;
	unsigned later; /* COMMAND: uses of the options that are possible behind a separator, too; 0: there is none */
	/* Offers modules, or their options, for an option that takes these; NULL where there is none. */
	void (*offer_modules)(struct complete_value *value, const struct tool_option *row);
};

/* Answers a shell; false when the words are no question of one. */
bool complete(const struct complete_program *program, int words, char **word);

/* Offers a text with what it means, unless a shell would take it for more than a word. */
void complete_offer(const char *text, const char *help, void *value);
/* Offers all up to NULL; `choices` may be NULL. */
void complete_offer_choices(struct complete_value *value, const char *const *choices);
/* Lets the shell complete what only it knows: file, directory or process. */
void complete_ask_for(const struct complete_value *value, const char *what);

#endif
