/* SPDX-License-Identifier: MIT */
#include "ssburn/options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"
#include "load/processors.h"
#include "ssburn/profile.h"

#define MEMORY_MAX (INT64_C(16) << 30)
#define PHASE_MAX INT64_C(1000000000000)
#define CONNECTIONS_MAX 100000
#define DRAWS_MAX 1000000000
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
	LISTEN,
	SERVICE,
	DISTRIBUTION,
	CONNECTIONS,
	DRAW,
	CHECKSUM,
	VERBOSE,
	HELP,
	VERSION
};

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

static int set_memory(void *to, const char *source, const char *text)
{
	struct settings *const settings = to;
	int64_t value;
	if (parse_size(text, &value) != 0 || value < 0 || value > MEMORY_MAX)
		return diag_refuse(
			"%s: '%s' is no number of bytes from 0 to %" PRId64 "G, such as 64M", source, text, MEMORY_MAX >> 30);
	settings->memory = value;
	return 0;
}

static int set_listen(void *to, const char *source, const char *text)
{
	struct settings *const settings = to;
	if (listener_parse(text, &settings->listener) != 0)
		return diag_refuse("%s: '%.200s' is malformed: expected " LISTENER_EXPECTED, source, text);
	settings->listens = true;
	return 0;
}

static int set_distribution(void *to, const char *source, const char *text)
{
	struct settings *const settings = to;
	if (service_time_parse(text, &settings->service) != 0)
		return diag_refuse("%s: '%.200s' is malformed: expected " SERVICE_TIME_EXPECTED, source, text);
	return 0;
}

const struct tool_option ssburn_options[] = {
	[PROFILE] = {'p', "profile", TOOL_CHOICE, MEMBER(profile), .choices = profile_names, .argument = "NAME",
		.help = "how the threads work together, see below"},
	[THREADS] = {'t', "threads", TOOL_INT, MEMBER(threads), 1, THREADS_MAX, .argument = "N",
		.help = "working threads, default see below"},
	[WORK] = {'w', "work", TOOL_INT, MEMBER(work), 1, 1000000000, .argument = "UNITS",
		.help = "units of work per iteration, about 10 us each"},
	[ITERATIONS] = {'n', "iterations", TOOL_INT, MEMBER(iterations), 1, INT64_MAX, .argument = "N",
		.help = "end after so many iterations"},
	[TIME] = {0, "time", TOOL_TIME, MEMBER(time_ns), 0, INT64_MAX, .argument = "TIME", .is_length = true,
		.help = "end after this long; an unfinished iteration doesn't count"},
	[PHASE] = {0, "phase", TOOL_INT, MEMBER(phase), 1, PHASE_MAX, .argument = "UNITS",
		.help = "phased: mean work of a phase, per running thread (200000)"},
	[SLEEP] = {0, "sleep", TOOL_TIME, MEMBER(sleep_ns), 0, SLEEP_MAX, .argument = "TIME",
		.help = "sleepy: mean length of a sleep (40ms)"},
	[MEMORY] = {'m', "memory", TOOL_CALL, .argument = "SIZE", .call = set_memory,
		.help = "working set that all threads read from, such as 64M (0)"},
	[SEED] = {'s', "seed", TOOL_INT, MEMBER(seed), 0, INT64_MAX, .argument = "N",
		.help = "what the work and its order are made from"},
	[INSTANCE_NUMBER] = {'i', "instance", TOOL_INT, MEMBER(instance), 0, UINT_MAX, .argument = "N",
		.help = "number of this instance, default $" INSTANCE " or 0"},
	[OUTPUT] = {'o', "output", TOOL_TEXT, MEMBER(output), .argument = "FILE", .help = "write iteration records, CSV",
		.completion = TOOL_COMPLETE_FILE},
	[LISTEN] = {0, "listen", TOOL_CALL, .argument = "ADDRESS", .call = set_listen,
		.help = "serve HTTP at [ADDRESS:]PORT or unix:PATH, and work for each request"},
	[SERVICE] = {0, "service", TOOL_TIME, MEMBER(service.mean_ns), NS_PER_US, SERVICE_TIME_MOST_NS, .argument = "TIME",
		.help = "listen: mean processor time of a request"},
	[DISTRIBUTION] = {0, "distribution", TOOL_CALL, .argument = "NAME", .call = set_distribution,
		.help = "listen: constant, exponential, lognormal:sigma=S or pareto:shape=A"},
	[CONNECTIONS] = {0, "connections", TOOL_INT, MEMBER(connections), 1, CONNECTIONS_MAX, .argument = "N",
		.help = "listen: at most so many, further ones wait"},
	[DRAW] = {0, "draw", TOOL_INT, MEMBER(draws), 1, DRAWS_MAX, .argument = "N",
		.help = "listen: only print the service times of the first N requests, CSV"},
	[CHECKSUM] = {'c', "checksum", TOOL_FLAG, MEMBER(checksum),
		.help = "print the number of iterations and their checksum at the end"},
	[VERBOSE] = {'v', "verbose", TOOL_FLAG, MEMBER(verbose), .help = "say on stderr what is done and what was done"},
	[HELP] = {'h', "help", TOOL_NOTHING, .help = "print this"},
	[VERSION] = {'V', "version", TOOL_NOTHING, .help = "print the version"},
};
const size_t ssburn_option_count = sizeof ssburn_options / sizeof *ssburn_options;

static const struct settings defaults = {.profile = PROFILE_SINGLE,
	.threads = UNSET,
	.work = 4000,
	.iterations = UNSET,
	.time_ns = UNSET,
	.phase = UNSET,
	.sleep_ns = UNSET,
	.seed = 1,
	.instance = UNSET,
	.service.mean_ns = 5 * NS_PER_MS,
	.connections = 1000,
	.draws = UNSET};

void options_print_help(void)
{
	printf("usage: ssburn [OPTION]...\n"
	       "       ssburn --listen ADDRESS [OPTION]...\n"
	       "Uses processor time in a known way: a workload for demonstrations, tests and experiments;\n"
	       "with --listen a service that uses it for each request.\n\n");
	tool_options_help(ssburn_options, ssburn_option_count, &defaults, stdout);
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

/* Options that were given, by their places in the table. */
static int check_service(const struct settings *settings, unsigned given)
{
	static const int with[] = {SERVICE, DISTRIBUTION, CONNECTIONS, DRAW}, without[] = {PROFILE, WORK, PHASE, SLEEP, CHECKSUM};
	const int *const wrong = settings->listens ? without : with;
	const size_t count = settings->listens ? sizeof without / sizeof *without : sizeof with / sizeof *with;
	for (size_t i = 0; i < count; i++)
		if (given & 1U << wrong[i])
			return diag_refuse("--%s: expected it %s --listen", ssburn_options[wrong[i]].name,
				settings->listens ? "without" : "with");
	return 0;
}

/* Checks what doesn't go together, and sets what was not given. */
static int complete(struct settings *settings)
{
	const struct profile *const profile = settings->listens ? &profile_of_service : &profiles[settings->profile];
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
		return tool_options_set(&ssburn_options[INSTANCE_NUMBER], settings, INSTANCE, number);
	if (settings->instance == UNSET)
		settings->instance = 0;
	return 0;
}

static enum options_wish parse_words(struct tool_options *parse, struct settings *settings)
{
	unsigned given = 0;
	for (;;) {
		const int found = tool_options_next(parse, true);
		if (found == TOOL_OPTIONS_END)
			return check_service(settings, given) == 0 ? WISH_RUN : WISH_ERROR;
		if (found == TOOL_OPTIONS_ERROR)
			return WISH_ERROR;
		if (found == HELP || found == VERSION)
			return found == HELP ? WISH_HELP : WISH_VERSION;
		if (tool_options_take(parse, found, settings) != 0)
			return WISH_ERROR;
		given |= 1U << found;
	}
}

enum options_wish options_parse(int count, char **words, struct settings *settings)
{
	struct tool_options parse = {
		.option = ssburn_options, .count = ssburn_option_count, .program = "ssburn", .words = count, .word = words};
	*settings = defaults;
	const enum options_wish wish = parse_words(&parse, settings);
	if (wish != WISH_RUN)
		return wish;
	if (parse.stop < count) {
		diag("unexpected argument '%s' (see ssburn --help)", words[parse.stop]);
		return WISH_ERROR;
	}
	return complete(settings) == 0 ? WISH_RUN : WISH_ERROR;
}
