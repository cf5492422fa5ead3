/* SPDX-License-Identifier: MIT */
#include "cli/command_line.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/diag.h"
#include "base/tool_options.h"
#include "cli/options.h"
#include "config/config.h"
#include "module/trace_choice.h"
#include "placement/pinning.h"
#include "placement/placement.h"

/* The groups of a command line: which processors each of them may use, and what all of them come to. */

#define WORKLOADS_MOST 100000
#define TOO_MANY "%u workloads are too many: expected at most %d"

static int append(struct config *config, const struct group *group)
{
	/* Looked at with each group: the sum of many would overflow. */
	if (config->workloads + group->instances > WORKLOADS_MOST)
		return diag_refuse(TOO_MANY, config->workloads + group->instances, WORKLOADS_MOST);
	struct group *grown = realloc(config->group, (config->groups + 1) * sizeof *grown);
	if (!grown)
		return diag_refuse("%s", strerror(errno));
	config->group = grown;
	grown[config->groups++] = *group;
	config->workloads += group->instances;
	return 0;
}

/* What a group says of its processors, taken together. */
static int place(struct group *group)
{
	if (group->cpus && group->pin != PIN_NONE)
		return diag_refuse("--cpus and --pin: expected one of them for a group");
	if (group->parts && group->pin == PIN_NONE)
		return diag_refuse("--part: expected --pin with it, such as --pin per-core --part 0/2");
	if (group->pin == PIN_DYNAMIC && group->parts)
		return diag_refuse("--part: expected none with --pin=dynamic, whose parts are the groups in their order");
	if (group->pin == PIN_DYNAMIC && group->bind)
		return diag_refuse("--bind: expected none with --pin=dynamic, which moves workloads while they run");
	if (group->pin == PIN_DYNAMIC)
		return 0; /* when all groups are known */
	if (group->pin != PIN_NONE && group->pin != PIN_NEUTRAL && !group->parts)
		return diag_refuse("--pin=%s: expected --part with it, such as --part 0/2", pinning_name(group->pin));
	return placement_resolve(group);
}

/* What stands before the first command is for all groups without files of their own. */
static void choose_outputs(struct config *config, struct group *group)
{
	if (!config->groups) {
		config->stdout_file = group->stdout_file;
		config->stderr_file = group->stderr_file;
	}
	if (!group->stdout_file)
		group->stdout_file = config->stdout_file;
	if (!group->stderr_file)
		group->stderr_file = config->stderr_file;
}

/*
 * Finds the group's processors and instances, and adds it to the configuration, which then owns its sets. 0, or -1
 * after a message; the group is the caller's still.
 */
static int groups_add(struct config *config, struct group *group)
{
	if (config->limit > 0 && !group->instances)
		group->instances = 1;
	choose_outputs(config, group);
	if (place(group) != 0 || append(config, group) != 0)
		return -1;
	group->cpus = NULL;
	return 0;
}

/* The groups with dynamic pinning are the parts of both schemes. */
static int place_dynamic(struct config *config)
{
	char reason[OPTION_ERROR_MAX];
	unsigned part = 0;
	for (unsigned i = 0; i < config->groups; i++)
		config->dynamics += config->group[i].pin == PIN_DYNAMIC;
	if (!config->dynamics)
		return 0;
	if (config->dynamics < 2)
		return diag_refuse("--pin=dynamic: expected two groups with it, or more, such as --pin dynamic COMMAND : --pin "
				   "dynamic COMMAND");
	if (!config->dynamic.below && dynamic_pinning_parse(NULL, &config->dynamic, reason) != 0)
		return diag_refuse("--pin=dynamic: %s", reason);
	for (unsigned i = 0; i < config->groups; i++) {
		struct group *group = &config->group[i];
		if (group->pin != PIN_DYNAMIC)
			continue;
		group->part = part++;
		group->parts = config->dynamics;
		config->workloads -= group->instances;
		if (placement_resolve_dynamic(group, &config->dynamic) != 0)
			return -1;
		config->workloads += group->instances;
	}
	return 0;
}

/* What the controlled groups may use, at low or high load: NULL for all, when one of them may use all. */
static int collect_cpus(const struct config *config, bool moved, struct sst_cpus **cpus)
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
		return diag_refuse("%s", strerror(ENOMEM));
	if (placement_is_whole_machine(*cpus)) {
		free(*cpus);
		*cpus = NULL;
	}
	return 0;
}

/* How many workloads there are, and how many of them are controlled. */
static int count_workloads(struct config *config)
{
	config->workloads += config->attaches;
	if (config->workloads > WORKLOADS_MOST)
		return diag_refuse(TOO_MANY, config->workloads, WORKLOADS_MOST);
	if (config->workloads && config->start_interval_ns > OPTION_TIME_MOST / config->workloads)
		return diag_refuse("--start-interval: starting %u workloads takes too long: expected at most 3650d in all",
			config->workloads);
	config->controlled = config->attaches;
	for (unsigned i = 0; i < config->groups; i++)
		config->controlled += config->group[i].free ? 0 : config->group[i].instances;
	if (config->groups && !config->controlled)
		return diag_refuse(
			"--free: nothing would be controlled: expected a group without it, such as --free COMMAND : COMMAND");
	return 0;
}

/* What takes all groups: dynamic pinning, sums, and the processors of all that is controlled. 0, or -1 as above. */
static int groups_complete(struct config *config)
{
	if (place_dynamic(config) != 0 || count_workloads(config) != 0)
		return -1;
	if (collect_cpus(config, false, &config->cpus) != 0)
		return -1;
	return config->dynamics ? collect_cpus(config, true, &config->moved) : 0;
}

static void print_options(const char *heading, unsigned uses, FILE *to)
{
	struct config config;
	const struct group group = {0};
	config_init(&config);
	fprintf(to, "\n%s:\n", heading);
	for (const struct tool_option *row = showstopper_options; row < showstopper_options + showstopper_option_count; row++)
		if (row->uses & uses)
			tool_options_help_row(row, row->uses & OPTION_OF_GROUP ? (void *)&group : &config, 36, '=', to);
}

/* "-n, --free and --cpus" */
static void print_group_options(FILE *to)
{
	size_t left = 0;
	for (size_t i = 0; i < showstopper_option_count; i++)
		left += (showstopper_options[i].uses & OPTION_OF_GROUP) != 0;
	for (size_t i = 0; i < showstopper_option_count; i++) {
		const struct tool_option *const row = &showstopper_options[i];
		if (!(row->uses & OPTION_OF_GROUP))
			continue;
		if (row->letter)
			fprintf(to, "-%c", row->letter);
		else
			fprintf(to, "--%s", row->name);
		left--;
		fputs(left > 1 ? ", " : left ? " and " : "", to);
	}
}

void config_help(FILE *to)
{
	fputs("Usage: showstopper [OPTION]... [GROUP-OPTION]... COMMAND [ARG]... [ : [GROUP-OPTION]... COMMAND [ARG]... ]...\n"
	      "       showstopper [OPTION]... --attach=PID... --attach-group=GROUP...\n"
	      "Run COMMANDs and hold the CPU load of the whole machine at a target by stopping and continuing them.\n",
		to);
	print_options("Every day", HELP_EVERYDAY, to);
	fputs("\nOptions stand before the first command; those of a group before any command: ", to);
	print_group_options(to);
	fputs(".\n", to);
	print_options("Workloads", HELP_WORKLOADS, to);
	print_options("Modules", HELP_MODULES, to);
	print_options("Length of the run", HELP_LENGTH, to);
	print_options("Output", HELP_OUTPUT, to);
	print_options("Instead of a run", HELP_INSTEAD, to);
	fputs("\nTIME is a number and a unit: ms or m, s, min or M, h (1m is a millisecond, 1min30s a minute and a half).\n"
	      "Exit status: 0 done, 1 a workload failed, 3 --require missed, 125 showstopper failed, or can't run here "
	      "(--check-machine),\n126 and 127 as in a shell.\n"
	      "Examples:\n"
	      "  showstopper -l 50% -r 30s ssburn                 half load for 30 seconds\n"
	      "  showstopper -T day.trace -o day.csv ssburn       a load as recorded, with a log\n"
	      "  showstopper -l 50% --when-one-ends stop ssburn : --free -n 1 --stdout client.txt CLIENT\n"
	      "                                                   a client beside a load, to the client's end\n",
		to);
}

/* An option of the run behind the first command; named as it was written. */
static int refuse_late(const struct tool_options *scan, const struct tool_option *row)
{
	static const char why[] = "must stand before the first command: it holds for all groups";
	char name[TOOL_OPTIONS_NAME_MAX];
	return diag_refuse("option '%s' %s", tool_options_name(scan, row, name), why);
}

/* What is for a run or a group that is there already, and says nothing of a new one. */
static bool is_for_others(const struct tool_option *row)
{
	return strcmp(row->name, "set") == 0 || strcmp(row->name, "release") == 0;
}

/* Of `other`, an option beside one of these; "" for none. */
static int refuse_beside(const struct config *config, const char *other)
{
	if (!*other || (config->action != ACTION_SET && config->action != ACTION_RELEASE))
		return 0;
	return diag_refuse("--%s: option '%s' beside it would do nothing: expected it alone",
		config->action == ACTION_SET ? "set" : "release", other);
}

/* The options before one command; *at is the first word to look at and becomes that of the command. */
static int parse_options(struct config *config, struct group *group, int argc, char **argv, int *at)
{
	char other[TOOL_OPTIONS_NAME_MAX] = "";
	struct option_target target = {.config = config, .group = group};
	struct tool_options scan = {.option = showstopper_options,
		.count = showstopper_option_count,
		.program = "showstopper",
		.words = argc,
		.word = argv,
		.stop = *at};
	for (int found; (found = tool_options_next(&scan, true)) != TOOL_OPTIONS_END;) {
		if (found == TOOL_OPTIONS_ERROR)
			return -1;
		const struct tool_option *const row = &showstopper_options[found];
		if (config->groups > 0 && !(row->uses & OPTION_OF_GROUP) && row->takes != TOOL_REMOVED)
			return refuse_late(&scan, row);
		if (!is_for_others(row) && strcmp(row->name, "quiet") != 0)
			tool_options_name(&scan, row, other);
		void *const settings = row->takes == TOOL_CALL       ? (void *)&target
				       : row->uses & OPTION_OF_GROUP ? (void *)group
								     : config;
		if (tool_options_take(&scan, found, settings) != 0)
			return -1;
	}
	*at = scan.stop;
	return refuse_beside(config, other);
}

/* What --set is for: 1, or -1 after a message. */
static int take_run(struct config *config, int count, char **words)
{
	int64_t run;
	if (count == 0)
		return 1;
	if (count != 1)
		return diag_refuse("--set: expected one word behind it, the number of a run's process");
	if (units_parse_int(words[0], strlen(words[0]), &run, NULL) != 0 || run < 1 || run > INT_MAX)
		return diag_refuse("--set: '%s': expected the number of a run's process", words[0]);
	config->target_process = (pid_t)run;
	return 1;
}

/* One group: 0, 1 when it is the last or the options ask for something else than a run, or -1. What it owns is the caller's. */
static int parse_group(struct config *config, struct group *group, int argc, char **argv, int *at)
{
	if (parse_options(config, group, argc, argv, at) != 0)
		return -1;
	config->list_parts = group->parts ? group->parts : 2;
	if (config->action == ACTION_SET)
		return take_run(config, argc - *at, argv + *at);
	if (config->action == ACTION_RELEASE && *at < argc)
		return diag_refuse("--release: '%s' behind it would do nothing: expected one group at a time", argv[*at]);
	if (config->action != ACTION_RUN && config->action != ACTION_DRY_RUN)
		return 1;
	const int first = *at;
	while (*at < argc && !(*config->separator && strcmp(argv[*at], config->separator) == 0))
		(*at)++;
	if (*at == first && argc > first)
		return diag_refuse("group %u is empty: expected a command before '%s'", config->groups, argv[*at]);
	const bool given = group->instances || group->free || group->cpus || group->pin != PIN_NONE || group->parts ||
			   group->bind || group->stdout_file || group->stderr_file;
	if (*at == first && !config->groups && config->attaches && config->contain == CONTAIN_PIDNS)
		return diag_refuse("--contain=pidns: what is attached runs already, and only what is started here can be "
				   "contained: expected a command as well");
	if (*at == first && !config->groups && config->attaches && !given)
		return 1;
	if (*at == first && !config->groups && config->attaches)
		return diag_refuse("a command is missing: expected one, or, for what is attached alone, none of -n, --free, "
				   "--cpus, --pin, --part, --bind, --stdout and --stderr");
	if (*at == first)
		return config->groups ? diag_refuse("group %u is empty: expected a command after '%s'", config->groups,
						config->separator)
				      : diag_refuse("a command is missing: expected one, such as showstopper -l 40%% ssburn "
						    "(--help says more)");
	const bool last = *at == argc;
	argv[(*at)++] = NULL;
	group->command = argv + first;
	return groups_add(config, group) == 0 ? last : -1;
}

static int parse_groups(struct config *config, int argc, char **argv)
{
	int result = 0;
	for (int at = 1; result == 0;) {
		struct group group = {0};
		result = parse_group(config, &group, argc, argv, &at);
		config_free_group(&group);
	}
	return result < 0 ? -1 : 0;
}

/* What -l, -t and -T say together. */
static int choose_trace(struct config *config)
{
	const bool has_module = config->module[SST_TRACE] != config_usual_module[SST_TRACE];
	if (config->limit > 0)
		return 0;
	return trace_choice_complete(config->load, has_module, &config->module[SST_TRACE], &config->module_options[SST_TRACE]);
}

int config_parse(struct config *config, int argc, char **argv)
{
	config_init(config);
	if (parse_groups(config, argc, argv) != 0)
		return -1;
	if (config->json && config->action != ACTION_CHECK_MACHINE)
		return diag_refuse("--json: expected --check-machine with it; the record of a run is written by "
				   "--export-json=FILE");
	if (config->log_counters && config->attaches)
		return diag_refuse("--log-counters: what is attached runs already, and only what is started here can be "
				   "counted (cpuload -C counters= counts all of the machine)");
	if (limit_complete(config) != 0 || choose_trace(config) != 0)
		return -1;
	return groups_complete(config);
}
