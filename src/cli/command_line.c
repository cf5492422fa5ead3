/* SPDX-License-Identifier: MIT */
/*
 * getopt_long does the scanning; the table below says what there is, whether it may stand before every command or only before the
 * first, and what --help prints. getopt's abbreviations are refused before it sees them, because a script that uses one breaks
 * when an option is added.
 */
#include "cli/command_line.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/instant.h"
#include "base/units.h"
#include "module/module.h"
#include "module/option.h"
#include "placement/dynamic_pinning.h"
#include "placement/pinning.h"
#include "placement/placement.h"

/* Values of options without a letter; modules' are told by kind. */
enum {
	OPTION_LOG_INTERVAL = 256,
	OPTION_LOG_INSTANCES,
	OPTION_LOG_POWER,
	OPTION_STDOUT,
	OPTION_STDERR,
	OPTION_CHDIR,
	OPTION_GRACE,
	OPTION_CONTAIN,
	OPTION_REQUIRE,
	OPTION_IGNORE_FAILURES,
	OPTION_WHEN_ONE_ENDS,
	OPTION_KEEP_GOING,
	OPTION_ATTACH,
	OPTION_DRY_RUN,
	OPTION_CHECK_MACHINE,
	OPTION_LIST_MODULES,
	OPTION_LIST_PINS,
	OPTION_FREE,
	OPTION_CPUS,
	OPTION_PIN,
	OPTION_PART,
	OPTION_START_AT,
	OPTION_START_INTERVAL,
	OPTION_HELP_MODULE,
	OPTION_SEPARATOR,
	OPTION_PLACEHOLDER,
	OPTION_SYSROOT,
	OPTION_PROGRESS,
	OPTION_EXPORT_JSON,
	OPTION_EXPORT_CSV,
};

static const struct row {
	int value; /* the letter, or one of the above */
	const char *name;
	const char *argument; /* NULL for none */
	bool group;           /* may stand before every command */
	const char *help;
} table[] = {
	{'n', "instances", "N", true, "instances of the command; default: the processors this process may use"},
	{OPTION_FREE, "free", NULL, true, "run uncontrolled, at full speed, beside the controlled groups"},
	{OPTION_CPUS, "cpus", "LIST", true, "processors that the workloads may use, such as 0-3,8"},
	{OPTION_PIN, "pin", "SCHEME", true, "the same by neutral, per-chip, per-core, per-thread, packed, spread or dynamic"},
	{OPTION_PART, "part", "I/K", true, "of the scheme's K parts the one with number I, from 0"},
	{'t', "trace", "MODULE", false, "trace module: what the load should be (default constant)"},
	{'T', "trace-options", "OPTIONS", false, "its options, key=value,key=value"},
	{'f', "feedback", "MODULE", false, "feedback module: what the load is (default realtime)"},
	{'F', "feedback-options", "OPTIONS", false, "its options"},
	{'c', "control", "MODULE", false, "control module: the global duty cycle (default deficit)"},
	{'C', "control-options", "OPTIONS", false, "its options"},
	{'s', "space", "MODULE", false, "space module: what each workload gets of it (default even)"},
	{'S', "space-options", "OPTIONS", false, "its options"},
	{'d', "dithering", "MODULE", false, "dithering module: when each workload runs (default spread)"},
	{'D', "dithering-options", "OPTIONS", false, "its options"},
	{OPTION_START_AT, "start-at", "WHEN", false, "start nothing before @SECONDS, HH:MM[:SS] or YYYY-MM-DDTHH:MM:SS[Z]"},
	{OPTION_START_INTERVAL, "start-interval", "TIME", false, "start one instance after the other, so long apart (default 0)"},
	{'w', "warmup", "TIME", false, "run uncontrolled first (default 0)"},
	{'r', "run-time", "TIME", false, "stop after this long under control (default: the trace's length)"},
	{'o', "log", "FILE", false, "write the control log there, as CSV"},
	{OPTION_LOG_INTERVAL, "log-interval", "TIME", false, "length of a row of the log (default 500m)"},
	{OPTION_LOG_INSTANCES, "log-instances", NULL, false, "add each workload's duty cycle to the log"},
	{OPTION_LOG_POWER, "log-power", NULL, false, "measure the electric power, for log, summary and records"},
	{OPTION_EXPORT_JSON, "export-json", "FILE", false, "write the record of the run there, as JSON"},
	{OPTION_EXPORT_CSV, "export-csv", "FILE", false, "write its figures there, as CSV with one row"},
	{OPTION_PROGRESS, "progress", "WHEN", false, "live line on the terminal: auto, always or never (default auto)"},
	{OPTION_STDOUT, "stdout", "FILE", false, "of the workloads; % is the instance's number"},
	{OPTION_STDERR, "stderr", "FILE", false, "likewise"},
	{OPTION_CHDIR, "chdir", "DIR", false, "where the workloads start; % is the instance's number"},
	{OPTION_GRACE, "grace", "TIME", false, "between SIGTERM and SIGKILL at the end (default 5s)"},
	{OPTION_CONTAIN, "contain", "HOW", false,
		"none, or pidns: the kernel kills them if all of showstopper is killed (default none)"},
	{OPTION_REQUIRE, "require", "error=PP,mse=PP2", false, "exit with 3 when mean error or MSE is larger"},
	{OPTION_ATTACH, "attach", "PID", false, "control this running process and its descendants too (repeatable)"},
	{OPTION_WHEN_ONE_ENDS, "when-one-ends", "WHAT", false, "then continue without it, respawn it or stop (default continue)"},
	{OPTION_KEEP_GOING, "keep-going", NULL, false, "when an executor is killed, go on without its workload"},
	{OPTION_IGNORE_FAILURES, "ignore-failures", NULL, false, "exit with 0 although a workload failed"},
	{OPTION_SEPARATOR, "separator", "STR", false, "between commands (default ':'; empty: none)"},
	{OPTION_PLACEHOLDER, "placeholder", "STR", false, "the instance's number in arguments (default '%'; empty: none)"},
	{OPTION_DRY_RUN, "dry-run", NULL, false, "print what would be run; start nothing"},
	{OPTION_CHECK_MACHINE, "check-machine", NULL, false, "print what this machine can measure and permits"},
	{OPTION_LIST_MODULES, "list-modules", NULL, false, "print the modules there are"},
	{OPTION_LIST_PINS, "list-pins", NULL, false, "print what each scheme of --pin makes of this machine"},
	{OPTION_HELP_MODULE, "help-module", "KIND:NAME", false, "print what a module is and its options"},
	{OPTION_SYSROOT, "sysroot", "DIR", false, "measure with DIR/proc and DIR/sys instead of /proc and /sys"},
	{'q', "quiet", NULL, false, "no summary"},
	{'v', "verbose", NULL, false, "say what was set up and granted"},
	{'h', "help", NULL, false, "print this"},
	{'V', "version", NULL, false, "print the version"},
};
#define ROWS (sizeof table / sizeof *table)

void config_help(FILE *to)
{
	fputs("Usage: showstopper [OPTION]... [GROUP-OPTION]... COMMAND [ARG]... [ : [GROUP-OPTION]... COMMAND [ARG]... ]...\n"
	      "       showstopper [OPTION]... --attach=PID...\n"
	      "Run COMMANDs and hold the CPU load of the whole machine at a target by stopping and continuing them.\n\n",
		to);
	for (int group = 1; group >= 0; group--) {
		fputs(group ? "Group options, before any command:\n" : "\nOptions, before the first command:\n", to);
		for (size_t i = 0; i < ROWS; i++) {
			if (table[i].group != group)
				continue;
			char left[64];
			const bool has_letter = table[i].value < 256;
			snprintf(left, sizeof left, "%c%c%s --%s%s%s", has_letter ? '-' : ' ', has_letter ? table[i].value : ' ',
				has_letter ? "," : " ", table[i].name, table[i].argument ? "=" : "",
				table[i].argument ? table[i].argument : "");
			fprintf(to, "  %-32s  %s\n", left, table[i].help);
		}
	}
	fputs("\nTIME is a number and a unit (107m is 107 milliseconds, 1M30s a minute and a half).\n"
	      "Example: showstopper -T 50% -r 30s -- ssburn\n"
	      "Exit status: 0 done, 1 a workload failed, 3 --require missed, 125 showstopper failed, 126 and 127 as in a "
	      "shell.\n",
		to);
}

/* Ten years. */
#define TIME_MOST (INT64_C(3650) * 86400 * NS_PER_S)

static int fail(char **error, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(char **error, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	if (vasprintf(error, format, arguments) < 0)
		*error = NULL;
	va_end(arguments);
	return -1;
}

static const struct row *row_of(int value)
{
	for (size_t i = 0; i < ROWS; i++)
		if (table[i].value == value)
			return &table[i];
	return NULL;
}

static int parse_time(const struct row *row, const char *text, int64_t least, int64_t *ns, char **error)
{
	int64_t value;
	if (units_parse_time(text, strlen(text), &value, NULL) != 0)
		return fail(error, "--%s: '%s' is %s: expected " UNITS_TIME_EXPECTED, row->name, text,
			errno == ERANGE ? "out of range" : "malformed");
	char bound[UNITS_TEXT_MAX];
	/* Sums with the clock can't overflow. */
	if (value < least || value > TIME_MOST)
		return fail(error, "--%s: '%s' is out of range: expected a time from %s to 3650d", row->name, text,
			units_print_time(least, bound));
	*ns = value;
	return 0;
}

static int parse_start_at(struct config *config, const char *text, char **error)
{
	const int64_t now_ns = clock_ns(CLOCK_REALTIME);
	int64_t when_ns;
	if (instant_parse(text, now_ns, &when_ns) != 0)
		return fail(error, "--start-at: '%s' is %s: expected " INSTANT_EXPECTED, text,
			errno == ERANGE ? "out of range" : "no such time");
	if (when_ns <= now_ns || when_ns > now_ns + TIME_MOST)
		return fail(error, "--start-at: '%s' is %s: expected a time to come, within 3650d", text,
			when_ns <= now_ns ? "in the past" : "too far away");
	config->start_at_ns = when_ns;
	return 0;
}

static int parse_instances(const char *text, unsigned *instances, char **error)
{
	int64_t value;
	if (units_parse_int(text, strlen(text), &value, NULL) != 0 || value < 1 || value > 100000)
		return fail(error, "--instances: '%s': expected a whole number from 1 to 100000", text);
	*instances = (unsigned)value;
	return 0;
}

static int parse_cpus(struct group *group, const char *text, char **error)
{
	struct sst_cpus *cpus;
	if (cpus_parse(text, strlen(text), &cpus, NULL) != 0)
		return fail(error, "--cpus: '%s' is %s: expected " CPUS_EXPECTED, text,
			errno == ERANGE ? "out of range" : "malformed");
	free(group->cpus);
	group->cpus = cpus;
	return 0;
}

/* dynamic, or dynamic:SETTINGS in one of the groups. */
static int parse_dynamic(struct config *config, const char *settings, char **error)
{
	char reason[OPTION_ERROR_MAX];
	if (!settings)
		return 0;
	if (config->dynamic.below)
		return fail(error, "--pin=dynamic: the settings are given twice: expected them in one group");
	return dynamic_pinning_parse(settings, &config->dynamic, reason) == 0 ? 0 : fail(error, "--pin=dynamic: %s", reason);
}

static int parse_pin(struct config *config, struct group *group, const char *text, char **error)
{
	static const char dynamic[] = "dynamic";
	const size_t length = sizeof dynamic - 1;
	if (strncmp(text, dynamic, length) == 0 && (!text[length] || text[length] == ':')) {
		group->pin = PIN_DYNAMIC;
		return parse_dynamic(config, text[length] ? text + length + 1 : NULL, error);
	}
	group->pin = pinning_find(text);
	if (group->pin == PIN_NONE)
		return fail(
			error, "--pin: '%s': expected neutral, per-chip, per-core, per-thread, packed, spread or dynamic", text);
	return 0;
}

static int parse_part(struct group *group, const char *text, char **error)
{
	const char *slash = strchr(text, '/');
	int64_t part;
	int64_t parts;
	if (!slash || units_parse_int(text, (size_t)(slash - text), &part, NULL) != 0 ||
		units_parse_int(slash + 1, strlen(slash + 1), &parts, NULL) != 0 || part < 0 || part >= parts ||
		parts > (int64_t)CPUS_LIMIT)
		return fail(error, "--part: '%s': expected I/K, where I is a whole number from 0 and below K, such as 0/2", text);
	group->part = (unsigned)part;
	group->parts = (unsigned)parts;
	return 0;
}

static int parse_require(struct config *config, const char *text, char **error)
{
	static const struct sst_option options[] = {
		{.name = "error", .type = SST_REAL, .offset = offsetof(struct config, require_error), .least = "0", .help = "pp"},
		{.name = "mse", .type = SST_REAL, .offset = offsetof(struct config, require_mse), .least = "0", .help = "pp²"},
		{0},
	};
	struct option_memory memory = {0};
	char reason[OPTION_ERROR_MAX];
	struct config given = *config;
	const int result = option_parse(options, text, &given, &memory, reason);
	option_free(&memory);
	if (result != 0)
		return fail(error, "--require: %s", reason);
	/* Each --require adds to those before it. */
	if (!isnan(given.require_error))
		config->require_error = given.require_error;
	if (!isnan(given.require_mse))
		config->require_mse = given.require_mse;
	return 0;
}

static int parse_help_module(struct config *config, const char *text, char **error)
{
	const char *colon = strchr(text, ':');
	char kind[16] = "";
	if (colon && (size_t)(colon - text) < sizeof kind)
		memcpy(kind, text, (size_t)(colon - text));
	const int found = module_kind_find(kind);
	if (found < 0 || !colon || !colon[1])
		return fail(error,
			"--help-module: '%s': expected KIND:NAME with a kind of trace, feedback, control, space or dithering",
			text);
	config->help_kind = (enum sst_kind)found;
	config->help_name = colon + 1;
	config->action = ACTION_HELP_MODULE;
	return 0;
}

static const char **file_member(struct config *config, int value)
{
	switch (value) {
	case 'o':
		return &config->log;
	case OPTION_EXPORT_JSON:
		return &config->export_json;
	case OPTION_EXPORT_CSV:
		return &config->export_csv;
	case OPTION_STDOUT:
		return &config->stdout_file;
	case OPTION_STDERR:
		return &config->stderr_file;
	default:
		return &config->directory;
	}
}

static int parse_progress(struct config *config, const char *text, char **error)
{
	if (strcmp(text, "auto") == 0)
		config->progress = PROGRESS_AUTO;
	else if (strcmp(text, "always") == 0)
		config->progress = PROGRESS_ALWAYS;
	else if (strcmp(text, "never") == 0)
		config->progress = PROGRESS_NEVER;
	else
		return fail(error, "--progress: '%s': expected auto, always or never", text);
	return 0;
}

static int parse_attach(struct config *config, const char *text, char **error)
{
	int64_t value;
	if (units_parse_int(text, strlen(text), &value, NULL) != 0 || value < 1 || value > INT_MAX)
		return fail(error, "--attach: '%s': expected the number of a process", text);
	for (unsigned i = 0; i < config->attaches; i++)
		if (config->attach[i] == (pid_t)value)
			return fail(error, "--attach: process %s is given twice", text);
	pid_t *grown = realloc(config->attach, (config->attaches + 1) * sizeof *grown);
	if (!grown)
		return fail(error, "%s", strerror(errno));
	config->attach = grown;
	grown[config->attaches++] = (pid_t)value;
	return 0;
}

static int parse_when_one_ends(struct config *config, const char *text, char **error)
{
	static const char *const known[] = {[ENDS_CONTINUE] = "continue", [ENDS_RESPAWN] = "respawn", [ENDS_STOP] = "stop"};
	for (unsigned i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(text, known[i]) == 0) {
			config->when_one_ends = i;
			return 0;
		}
	return fail(error, "--when-one-ends: '%s': expected continue, respawn or stop", text);
}

static int parse_contain(struct config *config, const char *text, char **error)
{
	if (strcmp(text, "none") == 0)
		config->contain = CONTAIN_NONE;
	else if (strcmp(text, "pidns") == 0)
		config->contain = CONTAIN_PIDNS;
	else
		return fail(error, "--contain: '%s': expected none or pidns", text);
	return 0;
}

/* One option, as getopt found it. */
static int apply(struct config *config, struct group *group, int value, char **error)
{
	static const char letters[] = "tfcsd";
	static const char option_letters[] = "TFCSD";
	const struct row *row = row_of(value);
	const char *at;
	if (value < 256 && (at = strchr(letters, value))) {
		if (!*optarg)
			return fail(error, "--%s: expected the name of a module", row->name);
		config->module[at - letters] = optarg;
		return 0;
	}
	if (value < 256 && (at = strchr(option_letters, value))) {
		config->module_options[at - option_letters] = optarg;
		return 0;
	}
	switch (value) {
	case 'n':
		return parse_instances(optarg, &group->instances, error);
	case OPTION_CPUS:
		return parse_cpus(group, optarg, error);
	case OPTION_PIN:
		return parse_pin(config, group, optarg, error);
	case OPTION_PART:
		return parse_part(group, optarg, error);
	case OPTION_FREE:
		group->free = true;
		return 0;
	case OPTION_START_AT:
		return parse_start_at(config, optarg, error);
	case OPTION_START_INTERVAL:
		return parse_time(row, optarg, 0, &config->start_interval_ns, error);
	case 'w':
		return parse_time(row, optarg, 0, &config->warmup_ns, error);
	case 'r':
		return parse_time(row, optarg, 1, &config->run_time_ns, error);
	case OPTION_LOG_INTERVAL:
		return parse_time(row, optarg, NS_PER_MS, &config->log_interval_ns, error);
	case OPTION_GRACE:
		return parse_time(row, optarg, 0, &config->grace_ns, error);
	case OPTION_CONTAIN:
		return parse_contain(config, optarg, error);
	case OPTION_REQUIRE:
		return parse_require(config, optarg, error);
	case OPTION_ATTACH:
		return parse_attach(config, optarg, error);
	case OPTION_WHEN_ONE_ENDS:
		return parse_when_one_ends(config, optarg, error);
	case OPTION_PROGRESS:
		return parse_progress(config, optarg, error);
	case OPTION_HELP_MODULE:
		return parse_help_module(config, optarg, error);
	case 'o':
	case OPTION_EXPORT_JSON:
	case OPTION_EXPORT_CSV:
	case OPTION_STDOUT:
	case OPTION_STDERR:
	case OPTION_CHDIR:
		if (!*optarg)
			return fail(
				error, "--%s: expected the name of a %s", row->name, value == OPTION_CHDIR ? "folder" : "file");
		*file_member(config, value) = optarg;
		return 0;
	case OPTION_SEPARATOR:
		config->separator = optarg;
		return 0;
	case OPTION_PLACEHOLDER:
		config->placeholder = optarg;
		return 0;
	case OPTION_SYSROOT:
		if (!*optarg)
			return fail(error, "--sysroot: expected the name of a folder");
		config->root = optarg;
		return 0;
	case OPTION_LOG_INSTANCES:
		config->log_instances = true;
		return 0;
	case OPTION_LOG_POWER:
		config->log_power = true;
		return 0;
	case OPTION_KEEP_GOING:
		config->keep_going = true;
		return 0;
	case OPTION_IGNORE_FAILURES:
		config->ignore_failures = true;
		return 0;
	case OPTION_DRY_RUN:
		config->action = ACTION_DRY_RUN;
		return 0;
	case OPTION_CHECK_MACHINE:
		config->action = ACTION_CHECK_MACHINE;
		return 0;
	case OPTION_LIST_MODULES:
		config->action = ACTION_LIST_MODULES;
		return 0;
	case OPTION_LIST_PINS:
		config->action = ACTION_LIST_PINS;
		return 0;
	case 'q':
		config->quiet = true;
		return 0;
	case 'v':
		config->verbose = true;
		return 0;
	case 'h':
		config->action = ACTION_HELP;
		return 0;
	default:
		config->action = ACTION_VERSION;
		return 0;
	}
}

/* Whether the word is a long option, and if so whether its name stands in the table whole. */
static int check_long_name(const char *word, char **error)
{
	if (strncmp(word, "--", 2) != 0 || !word[2])
		return 0;
	const size_t length = strcspn(word + 2, "=");
	for (size_t i = 0; i < ROWS; i++)
		if (strlen(table[i].name) == length && memcmp(table[i].name, word + 2, length) == 0)
			return 0;
	return fail(error, "unknown option '%.*s' (long names can't be abbreviated; --help lists them)", (int)length + 2, word);
}

static void build_getopt_tables(char *letters, struct option *names)
{
	*letters++ = '+';
	*letters++ = ':';
	for (size_t i = 0; i < ROWS; i++) {
		if (table[i].value < 256) {
			*letters++ = (char)table[i].value;
			if (table[i].argument)
				*letters++ = ':';
		}
		names[i] =
			(struct option){table[i].name, table[i].argument ? required_argument : no_argument, NULL, table[i].value};
	}
	*letters = '\0';
	names[ROWS] = (struct option){0};
}

/* The options before one command; *at is the first word to look at and becomes that of the command. */
static int parse_options(struct config *config, struct group *group, int argc, char **argv, int *at, char **error)
{
	char letters[2 * ROWS + 3];
	struct option names[ROWS + 1];
	build_getopt_tables(letters, names);
	/* getopt starts at argv[1]; a new scan in the same array needs optind 0. */
	char **words = argv + *at - 1;
	const int count = argc - *at + 1;
	optind = 0;
	opterr = 0;
	for (;;) {
		const int next = optind ? optind : 1;
		if (next < count && check_long_name(words[next], error) != 0)
			return -1;
		int index = -1;
		const int value = getopt_long(count, words, letters, names, &index);
		if (value == -1)
			break;
		if (value == ':') {
			const struct row *row = row_of(optopt);
			return fail(error, "option '%s%s' needs %s", words[optind - 1][1] == '-' ? "--" : "-",
				words[optind - 1][1] == '-' ? row->name : (char[]){(char)optopt, '\0'}, row->argument);
		}
		if (value == '?') {
			const struct row *row = optopt ? row_of(optopt) : NULL;
			if (row)
				return fail(error, "option '--%s' takes no value", row->name);
			return fail(error, "unknown option '-%c' (--help lists them)", optopt);
		}
		if (config->groups > 0 && !row_of(value)->group)
			return fail(error, "option '--%s' must stand before the first command", row_of(value)->name);
		if (apply(config, group, value, error) != 0)
			return -1;
	}
	*at += optind - 1;
	return 0;
}

static int add_group(struct config *config, const struct group *group, char **error)
{
	/* Looked at with each group: the sum of many would overflow. */
	if (config->workloads + group->instances > 100000)
		return fail(error, "%u workloads are too many: expected at most 100000", config->workloads + group->instances);
	struct group *grown = realloc(config->group, (config->groups + 1) * sizeof *grown);
	if (!grown)
		return fail(error, "%s", strerror(errno));
	config->group = grown;
	grown[config->groups++] = *group;
	config->workloads += group->instances;
	return 0;
}

/* What a group says of its processors, taken together. */
static int place_group(struct group *group, char **error)
{
	char reason[PLACEMENT_ERROR_MAX];
	if (group->cpus && group->pin != PIN_NONE)
		return fail(error, "--cpus and --pin: expected one of them for a group");
	if (group->parts && group->pin == PIN_NONE)
		return fail(error, "--part: expected --pin with it");
	if (group->pin == PIN_DYNAMIC && group->parts)
		return fail(error, "--part: expected none with --pin=dynamic, whose parts are the groups in their order");
	if (group->pin == PIN_DYNAMIC)
		return 0; /* when all groups are known */
	if (group->pin != PIN_NONE && group->pin != PIN_NEUTRAL && !group->parts)
		return fail(error, "--pin=%s: expected --part with it, such as --part 0/2", pinning_name(group->pin));
	if (placement_resolve(group, reason) != 0)
		return fail(error, "%s", reason);
	return 0;
}

/* One group: 0, 1 when it is the last or the options ask for something else than a run, or -1. What it owns is the caller's. */
static int parse_group(struct config *config, struct group *group, int argc, char **argv, int *at, char **error)
{
	if (parse_options(config, group, argc, argv, at, error) != 0)
		return -1;
	config->list_parts = group->parts ? group->parts : 2;
	if (config->action != ACTION_RUN && config->action != ACTION_DRY_RUN)
		return 1;
	const int first = *at;
	while (*at < argc && !(*config->separator && strcmp(argv[*at], config->separator) == 0))
		(*at)++;
	if (*at == first && argc > first)
		return fail(error, "group %u is empty: expected a command before '%s'", config->groups + 1, argv[*at]);
	const bool given = group->instances || group->free || group->cpus || group->pin != PIN_NONE || group->parts;
	if (*at == first && !config->groups && config->attaches && !given)
		return 1;
	if (*at == first)
		return config->groups ? fail(error, "group %u is empty: expected a command after '%s'", config->groups + 1,
						config->separator)
				      : fail(error, "expected a command (--help says more)");
	const bool last = *at == argc;
	argv[(*at)++] = NULL;
	group->command = argv + first;
	if (place_group(group, error) != 0 || add_group(config, group, error) != 0)
		return -1;
	group->cpus = NULL; /* the list's now */
	return last;
}

static int parse_groups(struct config *config, int argc, char **argv, char **error)
{
	int result = 0;
	for (int at = 1; result == 0;) {
		struct group group = {0};
		result = parse_group(config, &group, argc, argv, &at, error);
		config_free_group(&group);
	}
	return result < 0 ? -1 : 0;
}

/* The groups with dynamic pinning are the parts of both schemes. */
static int place_dynamic_groups(struct config *config, char **error)
{
	char reason[PLACEMENT_ERROR_MAX];
	unsigned part = 0;
	for (unsigned i = 0; i < config->groups; i++)
		config->dynamics += config->group[i].pin == PIN_DYNAMIC;
	if (!config->dynamics)
		return 0;
	if (config->dynamics < 2)
		return fail(error, "--pin=dynamic: expected two groups with it, or more");
	if (!config->dynamic.below && dynamic_pinning_parse(NULL, &config->dynamic, reason) != 0)
		return fail(error, "--pin=dynamic: %s", reason);
	for (unsigned i = 0; i < config->groups; i++) {
		struct group *group = &config->group[i];
		if (group->pin != PIN_DYNAMIC)
			continue;
		group->part = part++;
		group->parts = config->dynamics;
		config->workloads -= group->instances;
		if (placement_resolve_dynamic(group, &config->dynamic, reason) != 0)
			return fail(error, "%s", reason);
		config->workloads += group->instances;
	}
	return 0;
}

/* What the controlled groups may use, at low or high load: NULL for all, when one of them may use all. */
static int collect_cpus(const struct config *config, bool moved, struct sst_cpus **cpus, char **error)
{
	size_t count = 0;
	size_t at = 0;
	if (config->attaches)
		return 0;
	for (unsigned i = 0; i < config->groups; i++) {
		const struct group *group = &config->group[i];
		const struct sst_cpus *own = moved && group->pin == PIN_DYNAMIC ? group->moved : group->cpus;
		if (!group->free && !own)
			return 0;
		count += group->free ? 0 : own->count;
	}
	if (!count)
		return 0;
	unsigned *all = calloc(count, sizeof *all);
	for (unsigned i = 0; all && i < config->groups; i++) {
		const struct group *group = &config->group[i];
		const struct sst_cpus *own = moved && group->pin == PIN_DYNAMIC ? group->moved : group->cpus;
		if (group->free)
			continue;
		memcpy(all + at, own->cpu, own->count * sizeof *all);
		at += own->count;
	}
	*cpus = all ? cpus_make(all, count) : NULL;
	free(all);
	if (!*cpus)
		return fail(error, "%s", strerror(ENOMEM));
	if (placement_is_whole_machine(*cpus)) {
		free(*cpus);
		*cpus = NULL;
	}
	return 0;
}

int config_parse(struct config *config, int argc, char **argv, char **error)
{
	*error = NULL;
	config_init(config);
	if (parse_groups(config, argc, argv, error) != 0)
		return -1;
	if (place_dynamic_groups(config, error) != 0)
		return -1;
	config->workloads += config->attaches;
	if (config->workloads > 100000)
		return fail(error, "%u workloads are too many: expected at most 100000", config->workloads);
	if (config->workloads && config->start_interval_ns > TIME_MOST / config->workloads)
		return fail(error, "--start-interval: starting %u workloads takes too long: expected at most 3650d in all",
			config->workloads);
	config->controlled = config->attaches;
	for (unsigned i = 0; i < config->groups; i++)
		config->controlled += config->group[i].free ? 0 : config->group[i].instances;
	if (config->groups && !config->controlled)
		return fail(error, "--free: nothing would be controlled: expected a group without it");
	if (collect_cpus(config, false, &config->cpus, error) != 0)
		return -1;
	return config->dynamics ? collect_cpus(config, true, &config->moved, error) : 0;
}
