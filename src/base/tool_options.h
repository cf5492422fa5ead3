/* SPDX-License-Identifier: MIT */
/*
 * Command lines of all programs: one table of options drives parsing, the messages about wrong ones, --help, and what a shell
 * completes.
 *
 * The caller goes through the words with tool_options_next and gives each option to tool_options_set. Long names must be given in full:
 * an abbreviation would change its meaning when an option is added. The words stay in their order. Only one parse at a time: this is
 * getopt_long.
 */
#ifndef BASE_TOOL_OPTIONS_H
#define BASE_TOOL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/option_value.h"
#include "showstopper/module.h"

/* What an option takes, and the type of the member that receives it. */
enum tool_option_takes {
	TOOL_NOTHING,  /* the caller acts on it (help, version) */
	TOOL_FLAG,     /* bool */
	TOOL_INT,      /* int64_t, from least to most */
	TOOL_TIME,     /* int64_t, nanoseconds, from least to most */
	TOOL_TEXT,     /* const char *, not empty */
	TOOL_CHOICE,   /* int or an enum of its size, index into choices */
	TOOL_VALUE,    /* the caller stores the text itself */
	TOOL_CONSTANT, /* int or an enum of its size, which becomes `least`; no value */
	TOOL_COUNT,    /* unsigned, from least to most */
	TOOL_ANY_TEXT, /* const char *, may be empty */
	TOOL_CPUS,     /* struct sst_cpus *, the caller's to free; what was there is freed */
	TOOL_CALL,     /* `call` stores it */
	TOOL_REMOVED, /* it is no option any more, which neither --help nor a shell offers: a message says `help`, what to do instead */
};

/* What a shell offers for a value. */
enum tool_option_completion {
	TOOL_COMPLETE_CHOICES,        /* one of choices; nothing when there are none: any text */
	TOOL_COMPLETE_LIST,           /* some of choices, with commas between them */
	TOOL_COMPLETE_FILE,           /* its name */
	TOOL_COMPLETE_FOLDER,         /* its name */
	TOOL_COMPLETE_PROCESS,        /* its number */
	TOOL_COMPLETE_MODULE,         /* the name of a module of that kind */
	TOOL_COMPLETE_MODULE_OPTIONS, /* of the module of that kind */
};

struct tool_option {
	int letter; /* 0: long name only */
	const char *name;
	enum tool_option_takes takes;
	size_t offset; /* of the member in the caller's struct */
	int64_t least, most;
	const char *const *choices; /* NULL-terminated; what TOOL_CHOICE takes, and what can be completed */
	const char *argument;       /* what help calls the value; NULL exactly when there is none */
	const char *help;           /* one line, no full stop */
	unsigned uses;              /* bits for the caller */
	enum tool_option_completion completion;
	enum sst_kind kind; /* of the module that completion names */
	bool is_length; /* TOOL_TIME, of a run: less than 100 ms is taken only where ms is written, since 1m is a millisecond */
	/* Of TOOL_CALL, which takes a value: 0, or -1 after a message, which calls the option `source`. */
	int (*call)(void *settings, const char *source, const char *text);
};

#define TOOL_OPTIONS_MAX 64

enum { TOOL_OPTIONS_ERROR = -1, TOOL_OPTIONS_END = -2, TOOL_OPTIONS_WORD = -3 };

/* What can be wrong with a word. */
enum tool_options_fault {
	TOOL_OPTIONS_UNKNOWN,
	TOOL_OPTIONS_LACKS_VALUE,
	TOOL_OPTIONS_TAKES_NO_VALUE,
};

struct tool_options {
	const struct tool_option *option;
	size_t count;        /* at most TOOL_OPTIONS_MAX */
	const char *program; /* for messages */
	int words;           /* of the command line */
	char **word;
	const char *value; /* of the option or word that was found; NULL for an option without one */
	int letter;        /* by which the option was given; 0 for a long name */
	int stop; /* index of the word to look at next, 0 for the first; at the END of the first word that is no option */
	bool ends_by_dashes; /* END: because of `--` */
	/* ERROR: */
	enum tool_options_fault fault;
	const struct tool_option *faulty; /* NULL when it is unknown */
	const char *where;                /* the word, whole */
	/* The scanner's own: */
	bool begun;
	int before; /* index of the word before the first one */
};

/*
 * Returns the index of the next option, or one of the codes above: ERROR after a message, END behind the last option (or at
 * `--`), WORD for a word that is no option. With `ends_at_word` the first such word (or `--`) is the END.
 */
int tool_options_next(struct tool_options *options, int ends_at_word);

/* The same without a message: an ERROR is told by fault, faulty, where and letter. */
int tool_options_scan(struct tool_options *options, int ends_at_word);

/* What the option of that row, which was found last, is called on the command line: -x or --name. Returns text. */
#define TOOL_OPTIONS_NAME_MAX 64
const char *tool_options_name(
	const struct tool_options *options, const struct tool_option *row, char text[TOOL_OPTIONS_NAME_MAX]);

/*
 * Stores an option's value in the caller's struct; `source` is what messages call it (--name, $NAME). 0, or -1 after a message.
 */
int tool_options_set(const struct tool_option *option, void *settings, const char *source, const char *text);

/* The same with the value that was found last, of the option at that place in the table; messages call it as it was given. */
int tool_options_take(const struct tool_options *options, int found, void *settings);

/* Prints a line per option. */
void tool_options_help(const struct tool_option *option, size_t count, const void *defaults, FILE *to);

/*
 * One of these lines, with the explanation in that column (from 0), and that character between a name and what it takes. `defaults` are settings
 * that nobody has changed: what of a number, a time, a choice or a text stands there is the default, unless the option doesn't take it.
 */
void tool_options_help_row(const struct tool_option *option, const void *defaults, int column, char joint, FILE *to);

#endif
