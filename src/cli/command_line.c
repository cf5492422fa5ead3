/* SPDX-License-Identifier: MIT */
#include "cli/command_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/tool_options.h"
#include "cli/groups.h"
#include "cli/limit.h"
#include "cli/option_values.h"
#include "cli/options.h"
#include "cli/refuse.h"

static void print_options(unsigned uses, FILE *to)
{
	tool_options_help_at(showstopper_options, showstopper_option_count, uses, 36, '=', to);
}

void config_help(FILE *to)
{
	fputs("Usage: showstopper [OPTION]... [GROUP-OPTION]... COMMAND [ARG]... [ : [GROUP-OPTION]... COMMAND [ARG]... ]...\n"
	      "       showstopper [OPTION]... --attach=PID...\n"
	      "Run COMMANDs and hold the CPU load of the whole machine at a target by stopping and continuing them.\n\n",
		to);
	fputs("Group options, before any command:\n", to);
	print_options(OPTION_OF_GROUP, to);
	fputs("\nOptions, before the first command:\n", to);
	print_options(OPTION_OF_RUN, to);
	fputs("\nTIME is a number and a unit: ms or m, s, min or M, h (1m is a millisecond, 1min30s a minute and a half).\n"
	      "Example: showstopper -T 50% -r 30s -- ssburn\n"
	      "Exit status: 0 done, 1 a workload failed, 3 --require missed, 125 showstopper failed, or can't run here "
	      "(--check-machine),\n126 and 127 as in a shell.\n",
		to);
}

/* What is wrong with the word at which the scan ended. */
static int refuse_word(const struct tool_options *scan, char **error)
{
	const struct tool_option *const row = scan->faulty;
	char name[TOOL_OPTIONS_NAME_MAX];
	switch (scan->fault) {
	case TOOL_OPTIONS_LACKS_VALUE:
		return refuse(error, "option '%s' needs %s", tool_options_name(scan, row, name), row->argument);
	case TOOL_OPTIONS_TAKES_NO_VALUE:
		return refuse(error, "option '--%s' takes no value", row->name);
	case TOOL_OPTIONS_UNKNOWN:
		break;
	}
	if (scan->letter)
		return refuse(error, "unknown option '-%c' (--help lists them)", scan->letter);
	return refuse(error, "unknown option '%.*s' (long names can't be abbreviated; --help lists them)",
		(int)strcspn(scan->where, "="), scan->where);
}

/* An option of the run behind the first command; named as it was written. */
static int refuse_late(const struct tool_options *scan, const struct tool_option *row, char **error)
{
	static const char why[] = "must stand before the first command: it holds for all groups";
	char name[TOOL_OPTIONS_NAME_MAX];
	return refuse(error, "option '%s' %s", tool_options_name(scan, row, name), why);
}

/* The options before one command; *at is the first word to look at and becomes that of the command. */
static int parse_options(struct config *config, struct group *group, int argc, char **argv, int *at, char **error)
{
	struct option_target target = {.config = config, .group = group, .error = error};
	struct tool_options scan = {
		.option = showstopper_options, .count = showstopper_option_count, .words = argc, .word = argv, .stop = *at};
	for (int found; (found = tool_options_scan(&scan, true)) != TOOL_OPTIONS_END;) {
		if (found == TOOL_OPTIONS_ERROR)
			return refuse_word(&scan, error);
		const struct tool_option *const row = &showstopper_options[found];
		if (config->groups > 0 && !(row->uses & OPTION_OF_GROUP))
			return refuse_late(&scan, row, error);
		char source[TOOL_OPTIONS_NAME_MAX];
		if (option_set(row, &target, tool_options_name(&scan, row, source), scan.value) != 0)
			return -1;
	}
	*at = scan.stop;
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
		return refuse(error, "group %u is empty: expected a command before '%s'", config->groups + 1, argv[*at]);
	const bool given =
		group->instances || group->free || group->cpus || group->pin != PIN_NONE || group->parts || group->frequency_text;
	if (*at == first && !config->groups && config->attaches && !given)
		return 1;
	if (*at == first && !config->groups && config->attaches)
		return refuse(error,
			"a command is missing: expected one, or, for the processes of --attach alone, none of -n, --cpus, "
			"--pin, --part, --frequency and --free");
	if (*at == first)
		return config->groups ? refuse(error, "group %u is empty: expected a command after '%s'", config->groups + 1,
						config->separator)
				      : refuse(error, "a command is missing: expected one, such as showstopper -T 40%% ssburn "
						      "(--help says more)");
	const bool last = *at == argc;
	argv[(*at)++] = NULL;
	group->command = argv + first;
	return groups_add(config, group, error) == 0 ? last : -1;
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

/* Files of a run: what two of them write into one can't be read. */
static int check_outputs(const struct config *config, char **error)
{
	const struct {
		const char *option, *path;
	} output[] = {{"--log", config->log}, {"--export-json", config->export_json}, {"--export-csv", config->export_csv}};
	for (size_t i = 1; i < sizeof output / sizeof *output; i++)
		for (size_t j = 0; j < i; j++)
			if (output_is_same(output[i].path, output[j].path))
				return refuse(error,
					"%s and %s: both would be written to %s: expected a file of its own for one of them",
					output[j].option, output[i].option, output_name(output[i].path));
	return 0;
}

int config_parse(struct config *config, int argc, char **argv, char **error)
{
	*error = NULL;
	config_init(config);
	if (parse_groups(config, argc, argv, error) != 0)
		return -1;
	if (config->json && config->action != ACTION_CHECK_MACHINE)
		return refuse(error, "--json: expected --check-machine with it; the record of a run is written by "
				     "--export-json=FILE");
	if (config->log_counters && config->attaches)
		return refuse(error, "--log-counters: what --attach takes runs already, and only what is started here can be "
				     "counted (cpuload -C counters= counts all of the machine)");
	if (limit_complete(config, error) != 0)
		return -1;
	if (check_outputs(config, error) != 0)
		return -1;
	return groups_complete(config, error);
}
