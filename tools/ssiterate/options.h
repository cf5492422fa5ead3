/* SPDX-License-Identifier: MIT */
/* The command line of ssiterate. */
#ifndef SSITERATE_OPTIONS_H
#define SSITERATE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/tool_options.h"
#include "record/record_files.h"

#define UNSET (-1)

enum { STREAM_BOTH, STREAM_STDOUT, STREAM_STDERR };

struct settings {
	struct record_files files;
	int64_t iterations, time_ns;     /* UNSET: no end */
	int64_t grace_ns, instance;      /* instance UNSET: from the environment */
	const char *match, *match_start; /* NULL: none */
	int format, stream;              /* UNSET, or index */
	bool is_numbered;                /* somebody said which instance this is */
	bool keep_going, quiet;
	char **command;
};

extern const struct tool_option ssiterate_options[];
extern const size_t ssiterate_option_count;

enum options_wish { WISH_ERROR = -1, WISH_RUN, WISH_HELP, WISH_VERSION };

/* Fills the settings in, which then point into the words. WISH_ERROR after a message. */
enum options_wish options_parse(int count, char **words, struct settings *settings);

void options_print_help(void);

#endif
