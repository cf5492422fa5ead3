/* SPDX-License-Identifier: MIT */
/*
 * Command lines of the smaller programs: one table of options drives parsing, the messages about wrong ones, and --help.
 *
 * The caller goes through the words with tool_options_next and gives each option to tool_options_set. Long names must be given in
 * full: an abbreviation would change its meaning when an option is added.
 */
#ifndef BASE_TOOL_OPTIONS_H
#define BASE_TOOL_OPTIONS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* What an option takes, and the type of the member that receives it. */
enum tool_option_takes {
	TOOL_NOTHING, /* the caller acts on it (help, version) */
	TOOL_FLAG,    /* bool */
	TOOL_INT,     /* int64_t, from least to most */
	TOOL_TIME,    /* int64_t, nanoseconds, from least to most */
	TOOL_TEXT,    /* const char *, not empty */
	TOOL_CHOICE,  /* int, index into choices */
	TOOL_VALUE,   /* the caller stores the text itself */
};

struct tool_option {
	int letter; /* 0: long name only */
	const char *name;
	enum tool_option_takes takes;
	size_t offset; /* of the member in the caller's struct */
	int64_t least, most;
	const char *const *choices; /* NULL-terminated */
	const char *argument;       /* what help calls the value; NULL exactly when there is none */
	const char *help;           /* one line, no full stop */
	unsigned uses;              /* for the caller */
};

#define TOOL_OPTIONS_MAX 64

enum { TOOL_OPTIONS_ERROR = -1, TOOL_OPTIONS_END = -2, TOOL_OPTIONS_WORD = -3 };

struct tool_options {
	const struct tool_option *option;
	size_t count;        /* at most TOOL_OPTIONS_MAX */
	const char *program; /* for messages */
	int words;           /* of the command line */
	char **word;
	const char *value; /* of the option or word that tool_options_next found; NULL for an option without one */
	int stop;          /* TOOL_OPTIONS_END: the index of the first word that is no option */
};

/*
 * Returns the index of the next option, or one of the codes above: ERROR after a message, END behind the last option (or at
 * `--`), WORD for a word that is no option. With `ends_at_word` the first such word (or `--`) is the END. Only one parse at a
 * time: this is getopt_long.
 */
int tool_options_next(struct tool_options *options, int ends_at_word);

/*
 * Stores an option's value in the caller's struct; `source` is what messages call it (--name, $NAME). 0, or -1 after a message.
 */
int tool_options_set(const struct tool_option *option, void *settings, const char *source, const char *text);

/* Prints a line per option of which `uses` has a bit in the mask (all of them when that is 0). */
void tool_options_help(const struct tool_option *option, size_t count, unsigned mask, FILE *to);

#endif
