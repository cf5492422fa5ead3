/* SPDX-License-Identifier: MIT */
#include "ssiterate/options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/diag.h"
#include "base/units.h"

#define INSTANCE "SHOWSTOPPER_INSTANCE"
#define TIME_MAX (366 * 86400 * NS_PER_S)

static const char *const stream_names[] = {"both", "stdout", "stderr", NULL};

static const struct format {
	const char *name;
	const char *start, *end; /* as --match-start and --match */
} formats[] = {
	{"dacapo", "^===== DaCapo .+ starting( warmup [0-9]+)? =====",
		"^===== DaCapo .+ (PASSED|completed warmup [0-9]+) in [0-9]+ msec ====="},
};
static const char *const format_names[] = {"dacapo", NULL};

#define MEMBER(member) offsetof(struct settings, member)

enum {
	OUTPUT,
	EXPORT_JSON,
	ITERATIONS,
	TIME,
	INSTANCE_NUMBER,
	MATCH,
	MATCH_START,
	FORMAT,
	STREAM,
	KEEP_GOING,
	GRACE,
	QUIET,
	HELP,
	VERSION
};

const struct tool_option ssiterate_options[] = {
	[OUTPUT] = {'o', "output", TOOL_TEXT, MEMBER(files.output), .argument = "FILE", .help = "write iteration records, CSV",
		.completion = TOOL_COMPLETE_FILE},
	[EXPORT_JSON] = {0, "export-json", TOOL_TEXT, MEMBER(files.export_json), .argument = "FILE",
		.help = "write mean, spread and all times there, as JSON", .completion = TOOL_COMPLETE_FILE},
	[ITERATIONS] = {'n', "iterations", TOOL_INT, MEMBER(iterations), 1, INT64_MAX, .argument = "N",
		.help = "end after so many iterations"},
	[TIME] = {0, "time", TOOL_TIME, MEMBER(time_ns), 0, TIME_MAX, .argument = "TIME", .is_length = true,
		.help = "end after this long; an unfinished iteration doesn't count"},
	[INSTANCE_NUMBER] = {'i', "instance", TOOL_INT, MEMBER(instance), 0, UINT_MAX, .argument = "N",
		.help = "number of this instance (default $" INSTANCE " or 0)"},
	[MATCH] = {'m', "match", TOOL_TEXT, MEMBER(match), .argument = "REGEX",
		.help = "run once; an iteration ends with each line that matches"},
	[MATCH_START] = {0, "match-start", TOOL_TEXT, MEMBER(match_start), .argument = "REGEX",
		.help = "with -m: iterations begin with lines that match this"},
	[FORMAT] = {'f', "format", TOOL_CHOICE, MEMBER(format), .choices = format_names, .argument = "NAME",
		.help = "take iterations from the lines of a known program: dacapo"},
	[STREAM] = {0, "stream", TOOL_CHOICE, MEMBER(stream), .choices = stream_names, .argument = "NAME",
		.help = "with -m or -f: where the lines are: stdout, stderr, both (both)"},
	[KEEP_GOING] = {'k', "keep-going", TOOL_FLAG, MEMBER(keep_going),
		.help = "go on after a run that fails: it is recorded, but its time doesn't count"},
	[GRACE] = {0, "grace", TOOL_TIME, MEMBER(grace_ns), 0, TIME_MAX, .argument = "TIME",
		.help = "between SIGTERM and SIGKILL when -n or --time ends the command"},
	[QUIET] = {'q', "quiet", TOOL_FLAG, MEMBER(quiet), .help = "don't print mean and range at the end"},
	[HELP] = {'h', "help", TOOL_NOTHING, .help = "print this"},
	[VERSION] = {'V', "version", TOOL_NOTHING, .help = "print the version"},
};
const size_t ssiterate_option_count = sizeof ssiterate_options / sizeof *ssiterate_options;

static const struct settings defaults = {.files.content = "iteration records",
	.iterations = UNSET,
	.time_ns = UNSET,
	.grace_ns = 5 * NS_PER_S,
	.instance = UNSET,
	.format = UNSET,
	.stream = UNSET};

void options_print_help(void)
{
	printf("usage: ssiterate [OPTION]... [--] COMMAND [ARG]...\n"
	       "Runs a command again and again and records each run, or records the iterations that a program prints.\n\n");
	tool_options_help(ssiterate_options, ssiterate_option_count, &defaults, stdout);
}

/* What doesn't go together, and what comes from the environment. 0, or -1 after a message. */
static int complete(struct settings *settings)
{
	const bool matches = settings->match || settings->format != UNSET;
	if (settings->format != UNSET && (settings->match || settings->match_start)) {
		diag("found --format and %s, expected one of them", settings->match ? "--match" : "--match-start");
		return -1;
	}
	if (settings->match_start && !settings->match) {
		diag("found --match-start without --match, which says where iterations end");
		return -1;
	}
	if (settings->stream != UNSET && !matches) {
		diag("found --stream without --match or --format");
		return -1;
	}
	if (settings->keep_going && matches) {
		diag("found --keep-going and %s, with which the command is run once", settings->match ? "--match" : "--format");
		return -1;
	}
	if (settings->format != UNSET) {
		settings->match = formats[settings->format].end;
		settings->match_start = formats[settings->format].start;
	}
	if (settings->stream == UNSET)
		settings->stream = STREAM_BOTH;
	const char *const number = getenv(INSTANCE);
	settings->is_numbered = settings->instance != UNSET || number;
	if (settings->instance == UNSET && number)
		return tool_options_set(&ssiterate_options[INSTANCE_NUMBER], settings, INSTANCE, number);
	if (settings->instance == UNSET)
		settings->instance = 0;
	return 0;
}

enum options_wish options_parse(int count, char **words, struct settings *settings)
{
	struct tool_options parse = {.option = ssiterate_options,
		.count = ssiterate_option_count,
		.program = "ssiterate",
		.words = count,
		.word = words};
	*settings = defaults;
	for (;;) {
		const int found = tool_options_next(&parse, true);
		if (found == TOOL_OPTIONS_END)
			break;
		if (found == TOOL_OPTIONS_ERROR)
			return WISH_ERROR;
		if (found == HELP || found == VERSION)
			return found == HELP ? WISH_HELP : WISH_VERSION;
		if (tool_options_take(&parse, found, settings) != 0)
			return WISH_ERROR;
	}
	settings->command = words + parse.stop;
	if (!*settings->command) {
		diag("expected a command (see ssiterate --help)");
		return WISH_ERROR;
	}
	return complete(settings) == 0 ? WISH_RUN : WISH_ERROR;
}
