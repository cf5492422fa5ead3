/* SPDX-License-Identifier: MIT */
/* Values are stored here, not by tool_options_set: ssburn's messages about wrong ones are its own, and there are sizes. */
#include "ssburn/options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "os/processors.h"
#include "ssburn/profile.h"

#define MEMORY_MAX (INT64_C(16) << 30)
#define PHASE_MAX INT64_C(1000000000000)
#define SLEEP_MAX (86400 * NS_PER_S)
#define INSTANCE "SHOWSTOPPER_INSTANCE"
#define MEMBER(member) offsetof(struct settings, member)

enum {
	PROFILE,
	THREADS,
	WORK,
	ITERATIONS,
	TIME,
	PHASE,
	SLEEP,
	MEMORY,
	SEED,
	INSTANCE_NUMBER,
	OUTPUT,
	CHECKSUM,
	VERBOSE,
	HELP,
	VERSION
};

const struct tool_option ssburn_options[] = {
	[PROFILE] = {'p', "profile", TOOL_CHOICE, MEMBER(profile), .choices = profile_names, .argument = "NAME",
		.help = "how the threads work together, see below (single)"},
	[THREADS] = {'t', "threads", TOOL_INT, MEMBER(threads), 1, THREADS_MAX, .argument = "N",
		.help = "working threads, default see below"},
	[WORK] = {'w', "work", TOOL_INT, MEMBER(work), 1, 1000000000, .argument = "UNITS",
		.help = "units of work per iteration, about 10 us each (4000)"},
	[ITERATIONS] = {'n', "iterations", TOOL_INT, MEMBER(iterations), 1, INT64_MAX, .argument = "N",
		.help = "end after so many iterations"},
	[TIME] = {0, "time", TOOL_TIME, MEMBER(time_ns), 0, INT64_MAX, .argument = "TIME",
		.help = "end after this long; an unfinished iteration doesn't count"},
	[PHASE] = {0, "phase", TOOL_INT, MEMBER(phase), 1, PHASE_MAX, .argument = "UNITS",
		.help = "phased: mean work of a phase, per running thread (200000)"},
	[SLEEP] = {0, "sleep", TOOL_TIME, MEMBER(sleep_ns), 0, SLEEP_MAX, .argument = "TIME",
		.help = "sleepy: mean length of a sleep (40ms)"},
	[MEMORY] = {'m', "memory", TOOL_VALUE, MEMBER(memory), 0, MEMORY_MAX, .argument = "SIZE",
		.help = "working set that all threads read from, such as 64M (0)"},
	[SEED] = {'s', "seed", TOOL_INT, MEMBER(seed), 0, INT64_MAX, .argument = "N",
		.help = "what the work and its order are made from (1)"},
	[INSTANCE_NUMBER] = {'i', "instance", TOOL_INT, MEMBER(instance), 0, UINT_MAX, .argument = "N",
		.help = "number of this instance, default $" INSTANCE " or 0"},
	[OUTPUT] = {'o', "output", TOOL_TEXT, MEMBER(output), .argument = "FILE", .help = "write iteration records, CSV",
		.completion = TOOL_COMPLETE_FILE},
	[CHECKSUM] = {'c', "checksum", TOOL_FLAG, MEMBER(checksum),
		.help = "print the number of iterations and their checksum at the end"},
	[VERBOSE] = {'v', "verbose", TOOL_FLAG, MEMBER(verbose), .help = "say on stderr what is done and what was done"},
	[HELP] = {'h', "help", TOOL_NOTHING, .help = "print this"},
	[VERSION] = {'V', "version", TOOL_NOTHING, .help = "print the version"},
};
const size_t ssburn_option_count = sizeof ssburn_options / sizeof *ssburn_options;

void options_print_help(void)
{
	printf("usage: ssburn [OPTION]...\n"
	       "Uses processor time in a known way: a workload for demonstrations, tests and experiments.\n\n");
	for (size_t i = 0; i < ssburn_option_count; i++) {
		const struct tool_option *const option = &ssburn_options[i];
		char name[48];
		snprintf(name, sizeof name, "--%s%s%s", option->name, option->argument ? " " : "",
			option->argument ? option->argument : "");
		if (option->letter)
			printf("  -%c, %-18s %s\n", option->letter, name, option->help);
		else
			printf("      %-18s %s\n", name, option->help);
	}
	printf("\nprofiles, with their default number of threads:\n");
	for (size_t i = 0; i < PROFILES; i++) {
		char threads[32];
		if (profiles[i].threads > 0)
			snprintf(threads, sizeof threads, "%" PRId64, profiles[i].threads);
		else
			snprintf(threads, sizeof threads, "one per processor");
		printf("  %-10s %s (%s)\n", profile_names[i], profiles[i].help, threads);
	}
}

/* A number of bytes with an optional binary unit. */
static int parse_size(const char *text, int64_t *bytes)
{
	static const char units[] = "KMGT";
	const size_t length = strlen(text);
	const char *unit = length > 1 ? strchr(units, text[length - 1]) : NULL;
	int64_t number;
	if (units_parse_int(text, length - (unit ? 1 : 0), &number, NULL) < 0)
		return -1;
	const int64_t factor = unit ? INT64_C(1024) << (10 * (unit - units)) : 1;
	if (__builtin_mul_overflow(number, factor, bytes)) {
		errno = ERANGE;
		return -1;
	}
	return 0;
}

static int set_profile(int *member, const char *source, const char *text)
{
	for (int i = 0; i < PROFILES; i++) {
		if (strcmp(text, profile_names[i]) == 0) {
			*member = i;
			return 0;
		}
	}
	diag("%s: there is no profile '%s' (see ssburn --help)", source, text);
	return -1;
}

/* Stores an option's value; complains in the name of `source` (--threads, or an environment variable). */
static int set_value(struct settings *settings, const struct tool_option *option, const char *source, const char *text)
{
	void *const member = (char *)settings + option->offset;
	const int64_t least = option->least, most = option->most;
	char least_text[UNITS_TEXT_MAX], most_text[UNITS_TEXT_MAX];
	int64_t value = 0;
	switch (option->takes) {
	case TOOL_INT:
		if (units_parse_int(text, strlen(text), &value, NULL) == 0 && value >= least && value <= most)
			break;
		diag("%s: '%s' is no whole number from %" PRId64 " to %" PRId64, source, text, least, most);
		return -1;
	case TOOL_VALUE: /* --memory */
		if (parse_size(text, &value) == 0 && value >= least && value <= most)
			break;
		diag("%s: '%s' is no number of bytes from %" PRId64 " to %" PRId64 "G, such as 64M", source, text, least,
			most >> 30);
		return -1;
	case TOOL_TIME:
		if (units_parse_time(text, strlen(text), &value, NULL) == 0 && value >= least && value <= most)
			break;
		diag("%s: '%s' is not %s, from %s to %s", source, text, UNITS_TIME_EXPECTED, units_print_time(least, least_text),
			units_print_time(most, most_text));
		return -1;
	case TOOL_TEXT:
		if (*text)
			return tool_options_set(option, settings, source, text);
		diag("%s: the name of a file is missing", source);
		return -1;
	case TOOL_CHOICE:
		return set_profile(member, source, text);
	default:
		return tool_options_set(option, settings, source, text);
	}
	*(int64_t *)member = value;
	return 0;
}

/* Checks what doesn't go together, and sets what was not given. */
static int complete(struct settings *settings)
{
	const struct profile *const profile = &profiles[settings->profile];
	const char *const name = profile_names[settings->profile];
	if (settings->threads == UNSET) {
		settings->threads = profile->threads > 0 ? profile->threads : linux_processors_usable();
		if (settings->threads < profile->least)
			settings->threads = profile->least;
		if (settings->threads > profile->most)
			settings->threads = profile->most;
	}
	if (settings->threads < profile->least || settings->threads > profile->most) {
		diag("--threads: the profile %s has %" PRId64 "%s, not %" PRId64, name, profile->least,
			profile->least == profile->most ? "" : " or more", settings->threads);
		return -1;
	}
	if (settings->phase != UNSET && !profile->phases) {
		diag("--phase: the profile %s has no phases", name);
		return -1;
	}
	if (settings->sleep_ns != UNSET && !profile->sleeps) {
		diag("--sleep: the profile %s doesn't sleep", name);
		return -1;
	}
	if (settings->phase == UNSET)
		settings->phase = 200000;
	if (settings->sleep_ns == UNSET)
		settings->sleep_ns = 40 * NS_PER_MS;
	const char *const number = getenv(INSTANCE);
	if (settings->instance == UNSET && number)
		return set_value(settings, &ssburn_options[INSTANCE_NUMBER], INSTANCE, number);
	if (settings->instance == UNSET)
		settings->instance = 0;
	return 0;
}

static enum options_wish parse_words(struct tool_options *parse, const char *missing, struct settings *settings)
{
	for (;;) {
		const int found = tool_options_next(parse, true);
		if (found == TOOL_OPTIONS_END)
			return WISH_RUN;
		if (found == TOOL_OPTIONS_ERROR)
			return WISH_ERROR;
		if (found == HELP || found == VERSION)
			return found == HELP ? WISH_HELP : WISH_VERSION;
		const struct tool_option *const option = &ssburn_options[found];
		char source[TOOL_OPTIONS_NAME_MAX];
		tool_options_name(parse, option, source);
		if (parse->value == missing) {
			diag("%s: %s is missing", source, option->argument);
			return WISH_ERROR;
		}
		if (set_value(settings, option, source, parse->value) != 0)
			return WISH_ERROR;
	}
}

enum options_wish options_parse(int count, char **words, struct settings *settings)
{
	/* A last word of our own: an option that takes it for its value has none. tool_options_next would say that in other words. */
	static char missing[] = "";
	words[count] = missing;
	struct tool_options parse = {
		.option = ssburn_options, .count = ssburn_option_count, .program = "ssburn", .words = count + 1, .word = words};
	*settings = (struct settings){.profile = PROFILE_SINGLE,
		.threads = UNSET,
		.work = 4000,
		.iterations = UNSET,
		.time_ns = UNSET,
		.phase = UNSET,
		.sleep_ns = UNSET,
		.seed = 1,
		.instance = UNSET};
	const enum options_wish wish = parse_words(&parse, missing, settings);
	words[count] = NULL;
	if (wish != WISH_RUN)
		return wish;
	if (parse.stop < count) {
		diag("unexpected argument '%s' (see ssburn --help)", words[parse.stop]);
		return WISH_ERROR;
	}
	return complete(settings) == 0 ? WISH_RUN : WISH_ERROR;
}
