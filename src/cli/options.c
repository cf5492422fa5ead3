/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/diag.h"
#include "base/instant.h"
#include "base/log_columns.h"
#include "base/units.h"
#include "config/config.h"
#include "meters/counter_event.h"
#include "module/module.h"
#include "module/option.h"
#include "module/trace_choice.h"
#include "placement/pinning.h"
#include "trace/stream.h"

/* What a row of a module's table would say, by errno. */
static int refuse_value(const struct sst_option *row, const char *source, const char *text)
{
	char error[OPTION_ERROR_MAX];
	option_value_refuse(row, source, text, errno, error);
	return diag_refuse("%s", error);
}

/* ---- Values of single options ----------------------------------------------------------------------------------------- */

static int set_start_at(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	const int64_t now_ns = clock_ns(CLOCK_REALTIME);
	int64_t when_ns;
	if (instant_parse(text, now_ns, &when_ns) != 0)
		return diag_refuse("%s: '%s' is %s: expected " INSTANT_EXPECTED, source, text,
			errno == ERANGE ? "out of range" : "no such time");
	if (when_ns <= now_ns || when_ns > now_ns + OPTION_TIME_MOST)
		return diag_refuse("%s: '%s' is %s: expected a time to come, within 3650d", source, text,
			when_ns <= now_ns ? "in the past" : "too far away");
	target->config->start_at_ns = when_ns;
	return 0;
}

static int set_load(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	if (trace_choice_check_load(source, text) != 0)
		return -1;
	target->config->load = text;
	return 0;
}

static int set_cpus(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	static const struct sst_option row = {.type = SST_CPUS};
	union option_value value;
	if (option_value_parse(&row, text, &value) != 0)
		return refuse_value(&row, source, text);
	free(target->group->cpus);
	target->group->cpus = value.block;
	return 0;
}

const char *const option_pins[] = {"neutral", "per-chip", "per-core", "per-thread", "packed", "spread", "dynamic", NULL};

/* dynamic, or dynamic:SETTINGS in one of the groups. */
static int parse_dynamic(struct config *config, const char *settings)
{
	char reason[OPTION_ERROR_MAX];
	if (!settings)
		return 0;
	if (config->dynamic.below)
		return diag_refuse("--pin=dynamic: the settings are given twice: expected them in one group");
	return dynamic_pinning_parse(settings, &config->dynamic, reason) == 0 ? 0 : diag_refuse("--pin=dynamic: %s", reason);
}

static int set_pin(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	struct group *const group = target->group;
	static const char dynamic[] = "dynamic";
	const size_t length = sizeof dynamic - 1;
	if (strncmp(text, dynamic, length) == 0 && (!text[length] || text[length] == ':')) {
		group->pin = PIN_DYNAMIC;
		return parse_dynamic(target->config, text[length] ? text + length + 1 : NULL);
	}
	static const struct sst_option row = {.type = SST_CHOICE, .choices = option_pins};
	group->pin = pinning_find(text);
	errno = EINVAL;
	return group->pin == PIN_NONE ? refuse_value(&row, source, text) : 0;
}

static int set_part(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	const char *slash = strchr(text, '/');
	int64_t part;
	int64_t parts;
	if (!slash || units_parse_int(text, (size_t)(slash - text), &part, NULL) != 0 ||
		units_parse_int(slash + 1, strlen(slash + 1), &parts, NULL) != 0 || part < 0 || part >= parts ||
		parts > (int64_t)CPUS_LIMIT)
		return diag_refuse(
			"%s: '%s': expected I/K, where I is a whole number from 0 and below K, such as 0/2", source, text);
	target->group->part = (unsigned)part;
	target->group->parts = (unsigned)parts;
	return 0;
}

static int set_require(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	struct config *const config = target->config;
	static const struct sst_option options[] = {
		{.name = "error", .type = SST_REAL, .offset = offsetof(struct config, require_error), .least = "0", .help = "pp"},
		{.name = "mse", .type = SST_REAL, .offset = offsetof(struct config, require_mse), .least = "0", .help = "pp²"},
		{.name = "others",
			.type = SST_REAL,
			.offset = offsetof(struct config, require_others),
			.least = "0",
			.help = "pp"},
		{0},
	};
	struct option_memory memory = {0};
	char reason[OPTION_ERROR_MAX];
	struct config given = *config;
	const int result = option_parse(options, text, &given, &memory, reason);
	option_free(&memory);
	if (result != 0)
		return diag_refuse("%s: %s", source, reason);
	/* Each --require adds to those before it. */
	if (!isnan(given.require_error))
		config->require_error = given.require_error;
	if (!isnan(given.require_mse))
		config->require_mse = given.require_mse;
	if (!isnan(given.require_others))
		config->require_others = given.require_others;
	return 0;
}

static int set_log_counters(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	struct linux_counter_events ignored;
	char reason[LINUX_COUNTER_ERROR_MAX];
	if (linux_counter_events_parse(text, &ignored, reason) != 0)
		return diag_refuse("%s: %s", source, reason);
	target->config->log_counters = text;
	return 0;
}

static int set_help_module(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	struct config *const config = target->config;
	const char *colon = strchr(text, ':');
	char kind[16] = "";
	if (colon && (size_t)(colon - text) < sizeof kind)
		memcpy(kind, text, (size_t)(colon - text));
	const int found = module_kind_find(kind);
	if (found < 0 || !colon || !colon[1])
		return diag_refuse(
			"%s: '%s': expected KIND:NAME with a kind of trace, feedback, control, space, dithering or actuator",
			source, text);
	config->help_kind = (enum sst_kind)found;
	config->help_name = colon + 1;
	config->action = ACTION_HELP_MODULE;
	return 0;
}

static int set_target(void *settings, const char *source, const char *text)
{
	struct config *const config = ((const struct option_target *)settings)->config;
	struct stream_line line;
	char error[STREAM_ERROR_MAX];
	if (strlen(text) > STREAM_LINE_MAX || strchr(text, '\n'))
		return diag_refuse("%s: expected one line of at most %d bytes", source, STREAM_LINE_MAX);
	if (stream_line_parse(text, strlen(text), &line, error) != 0)
		return diag_refuse("%s: %s", source, error);
	if (line.says == STREAM_NOTHING)
		return diag_refuse("%s: '%s': expected " STREAM_EXPECTED, source, text);
	config->target = text;
	config->action = ACTION_SET;
	return 0;
}

static int set_attach(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	struct config *const config = target->config;
	int64_t value;
	if (units_parse_int(text, strlen(text), &value, NULL) != 0 || value < 1 || value > INT_MAX)
		return diag_refuse("%s: '%s': expected the number of a process", source, text);
	const unsigned processes = config->attaches - config->attach_groups;
	for (unsigned i = 0; i < processes; i++)
		if (config->attach[i] == (pid_t)value)
			return diag_refuse("%s: process %s is given twice", source, text);
	pid_t *grown = realloc(config->attach, (processes + 1) * sizeof *grown);
	if (!grown)
		return diag_refuse("%s", strerror(errno));
	config->attach = grown;
	grown[processes] = (pid_t)value;
	config->attaches++;
	return 0;
}

static int set_attach_group(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	struct config *const config = target->config;
	if (!*text)
		return diag_refuse("%s: '': expected a control group: its path, unit:NAME, lxc:NAME or container:ID", source);
	const char **const grown = realloc(config->attach_group, (config->attach_groups + 1) * sizeof *grown);
	if (!grown)
		return diag_refuse("%s", strerror(errno));
	config->attach_group = grown;
	grown[config->attach_groups++] = text;
	config->attaches++;
	return 0;
}

static int set_release(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	if (!*text)
		return diag_refuse("%s: '': expected a control group: its path, unit:NAME, lxc:NAME or container:ID", source);
	target->config->action = ACTION_RELEASE;
	target->config->release = text;
	return 0;
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* The name before the equals sign, or what the last part of the text makes as a column; "" where it can be none. */
static void name_watch(struct watch *watch, const char *text)
{
	const char *const slash = strrchr(watch->text, '/');
	const size_t length = (size_t)(watch->text - text);
	if (!length)
		column_name(slash && slash[1] ? slash + 1 : watch->text, watch->name, sizeof watch->name);
	else if (length <= sizeof watch->name && strspn(text, LETTERS "0123456789_") == length - 1)
		snprintf(watch->name, sizeof watch->name, "%.*s", (int)length - 1, text);
}

static int set_watch(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	struct config *const config = target->config;
	/* An equals sign behind a slash is that of a path. */
	const size_t length = strcspn(text, "=/");
	struct watch watch = {.text = text[length] == '=' ? text + length + 1 : text};
	int64_t pid;
	if (!*watch.text)
		return diag_refuse("%s: '%s': expected the number of a process or a control group", source, text);
	if (config->watches == WATCHES_MAX)
		return diag_refuse("%s: '%s' is one too many: expected at most %d", source, text, WATCHES_MAX);
	if (strspn(watch.text, "0123456789") == strlen(watch.text)) {
		if (units_parse_int(watch.text, strlen(watch.text), &pid, NULL) != 0 || pid < 1 || pid > INT_MAX)
			return diag_refuse("%s: '%s': expected the number of a process or a control group", source, text);
		watch.pid = (pid_t)pid;
	}
	name_watch(&watch, text);
	if (!*watch.name)
		return diag_refuse("%s: '%s': expected a name of at most %d letters, digits and underscores before '='", source,
			text, WATCH_NAME_MAX - 1);
	for (unsigned i = 0; i < config->watches; i++)
		if (strcmp(config->watch[i].name, watch.name) == 0)
			return diag_refuse(
				"%s: '%s' and '%s' are both called %s: expected another name before one of them, such as a=%s",
				source, config->watch[i].text, watch.text, watch.name, watch.text);
	config->watch[config->watches++] = watch;
	return 0;
}

/* Of one processor: more of them than any machine has. */
#define PERCENT_MOST 1e7

static int set_limit(void *settings, const char *source, const char *text)
{
	const struct option_target *const target = settings;
	const size_t length = strlen(text);
	/* Without the sign, 20 could be meant as 20 % of a processor or as 20 of them. */
	const bool percent = length > 0 && text[length - 1] == '%';
	double value;
	if (!percent || units_parse_real(text, length - 1, &value, NULL) != 0 || value <= 0 || value > PERCENT_MOST)
		return diag_refuse(
			"%s: '%s': expected a share of one processor and a percent sign, such as 20%%, or 150%% for one and a "
			"half",
			source, text);
	target->config->limit = value / 100;
	return 0;
}

static bool was_given(const struct config *config, enum sst_kind kind)
{
	return config->module_options[kind] || config->module[kind] != config_usual_module[kind];
}

int limit_complete(struct config *config)
{
	if (!(config->limit > 0))
		return 0;
	if (config->load || was_given(config, SST_TRACE) || was_given(config, SST_FEEDBACK))
		return diag_refuse("--limit: expected none of -l, -t, -T, -f and -F with it: it stands for them");
	if (!isnan(config->require_mse))
		return diag_refuse("--require: mse says nothing with --limit, where a load below it is no miss: expected error");
	const double processors = ceil(config->limit);
	snprintf(config->limit_load, sizeof config->limit_load, "%.17g", config->limit / processors);
	snprintf(config->limit_processors, sizeof config->limit_processors, "processors=%.0f", processors);
	config->module[SST_FEEDBACK] = "workloads";
	config->module_options[SST_FEEDBACK] = config->limit_processors;
	config->module_options[SST_TRACE] = config->limit_load;
	return 0;
}

#define RUN(member) offsetof(struct config, member)
#define GROUP(member) offsetof(struct group, member)

static const char *const containments[] = {[CONTAIN_NONE] = "none", [CONTAIN_PIDNS] = "pidns", NULL};
static const char *const endings[] = {[ENDS_CONTINUE] = "continue", [ENDS_RESPAWN] = "respawn", [ENDS_STOP] = "stop", NULL};
static const char *const progresses[] = {
	[PROGRESS_AUTO] = "auto", [PROGRESS_ALWAYS] = "always", [PROGRESS_NEVER] = "never", NULL};

#define MODULE(letter, name, of, what)                                                                                           \
	{                                                                                                                        \
		letter, name, TOOL_TEXT, RUN(module[of]), .argument = "MODULE", .help = (what), .uses = HELP_MODULES,            \
							  .completion = TOOL_COMPLETE_MODULE, .kind = (of)                       \
	}
#define MODULE_OPTIONS(letter, name, of, what, heading)                                                                          \
	{                                                                                                                        \
		letter, name, TOOL_ANY_TEXT, RUN(module_options[of]), .argument = "OPTIONS", .help = (what), .uses = (heading),  \
								      .completion = TOOL_COMPLETE_MODULE_OPTIONS, .kind = (of)   \
	}

const struct tool_option showstopper_options[] = {
	{'l', "load", TOOL_CALL, .argument = "LOAD", .help = "the load to hold, such as 50%; short for -t constant -T LOAD",
		.uses = HELP_EVERYDAY, .call = set_load},
	MODULE_OPTIONS('T', "trace-options", SST_TRACE,
		"name of a trace's file, or options of the module -t, key=value,key=value", HELP_EVERYDAY),
	{'n', "instances", TOOL_COUNT, GROUP(instances), 1, 100000, .argument = "N",
		.help = "instances of the command; default: the processors this process may use",
		.uses = OPTION_OF_GROUP | HELP_EVERYDAY},
	{0, "free", TOOL_FLAG, GROUP(free),
		.help = "run this group uncontrolled beside the others, such as a service, or the client of one",
		.uses = OPTION_OF_GROUP | HELP_EVERYDAY},
	{0, "cpus", TOOL_CALL, .argument = "LIST", .help = "processors that the workloads may use, such as 0-3,8",
		.uses = OPTION_OF_GROUP | HELP_WORKLOADS, .call = set_cpus},
	{0, "pin", TOOL_CALL, .choices = option_pins, .argument = "SCHEME",
		.help = "the same by neutral, per-chip, per-core, per-thread, packed, spread or dynamic",
		.uses = OPTION_OF_GROUP | HELP_WORKLOADS, .call = set_pin},
	{0, "part", TOOL_CALL, .argument = "I/K", .help = "of the scheme's K parts the one with number I, from 0",
		.uses = OPTION_OF_GROUP | HELP_WORKLOADS, .call = set_part},
	{0, "bind", TOOL_FLAG, GROUP(bind), .help = "each instance to one of these processors, the first to the first and so on",
		.uses = OPTION_OF_GROUP | HELP_WORKLOADS},
	{0, "frequency", TOOL_REMOVED, .argument = "VALUE",
		.help = "expected clocks that are held around the run, such as by cpupower frequency-set --min 1.8GHz --max "
			"1.8GHz"},
	MODULE('t', "trace", SST_TRACE, "trace module: what the load should be"),
	MODULE('f', "feedback", SST_FEEDBACK, "feedback module: what the load is"),
	MODULE_OPTIONS('F', "feedback-options", SST_FEEDBACK, "its options", HELP_MODULES),
	MODULE('c', "control", SST_CONTROL, "control module: the global duty cycle"),
	MODULE_OPTIONS('C', "control-options", SST_CONTROL, "its options", HELP_MODULES),
	MODULE('s', "space", SST_SPACE, "space module: what each workload gets of it"),
	MODULE_OPTIONS('S', "space-options", SST_SPACE, "its options", HELP_MODULES),
	MODULE('d', "dithering", SST_DITHERING, "dithering module: when each workload runs"),
	MODULE_OPTIONS('D', "dithering-options", SST_DITHERING, "its options", HELP_MODULES),
	MODULE('a', "actuator", KIND_ACTUATOR, "actuator module: what holds them to it"),
	MODULE_OPTIONS('A', "actuator-options", KIND_ACTUATOR, "its options", HELP_MODULES),
	{0, "limit", TOOL_CALL, .argument = "SHARE",
		.help = "at most this share of one processor for the workloads, of which there is one if -n doesn't say more",
		.uses = HELP_MODULES, .call = set_limit},
	{0, "start-at", TOOL_CALL, .argument = "WHEN",
		.help = "start nothing before @SECONDS, HH:MM[:SS] or YYYY-MM-DDTHH:MM:SS[Z]", .uses = HELP_LENGTH,
		.call = set_start_at},
	{0, "start-interval", TOOL_TIME, RUN(start_interval_ns), 0, OPTION_TIME_MOST, .argument = "TIME",
		.help = "start one instance after the other, so long apart", .uses = HELP_LENGTH},
	{'w', "warmup", TOOL_TIME, RUN(warmup_ns), 0, OPTION_TIME_MOST, .argument = "TIME", .is_length = true,
		.help = "run uncontrolled first", .uses = HELP_EVERYDAY},
	{'r', "run-time", TOOL_TIME, RUN(run_time_ns), 1, OPTION_TIME_MOST, .argument = "TIME", .is_length = true,
		.help = "stop after this long under control, and the workloads with it (default: the trace's length)",
		.uses = HELP_EVERYDAY},
	{'o', "log", TOOL_TEXT, RUN(log), .argument = "FILE", .help = "write the control log there, as CSV",
		.uses = HELP_EVERYDAY, .completion = TOOL_COMPLETE_FILE},
	{0, "log-interval", TOOL_TIME, RUN(log_interval_ns), NS_PER_MS, OPTION_TIME_MOST, .argument = "TIME",
		.help = "length of a row of the log", .uses = HELP_OUTPUT},
	{0, "log-instances", TOOL_FLAG, RUN(log_instances), .help = "add each workload's duty cycle to the log",
		.uses = HELP_OUTPUT},
	{0, "log-power", TOOL_FLAG, RUN(log_power), .help = "measure the electric power, for log, summary and records",
		.uses = HELP_OUTPUT},
	{0, "log-zones", TOOL_FLAG, RUN(log_zones), .help = "add the power of each package, its cores and its memory to the log",
		.uses = HELP_OUTPUT},
	{0, "power-command", TOOL_REMOVED, .argument = "COMMAND",
		.help = "expected a meter that writes CSV beside the run, for ssreport --power (see there)"},
	{0, "log-counters", TOOL_CALL, .argument = "EVENTS", .choices = linux_counter_names,
		.help = "count these events of the workloads, such as cycles,cache-misses, for log, summary and records",
		.uses = HELP_OUTPUT, .completion = TOOL_COMPLETE_LIST, .call = set_log_counters},
	{0, "export-json", TOOL_TEXT, RUN(export_json), .argument = "FILE", .help = "write the record of the run there, as JSON",
		.uses = HELP_OUTPUT, .completion = TOOL_COMPLETE_FILE},
	{0, "export-csv", TOOL_TEXT, RUN(export_csv), .argument = "FILE", .help = "write its figures there, as CSV with one row",
		.uses = HELP_OUTPUT, .completion = TOOL_COMPLETE_FILE},
	{0, "progress", TOOL_CHOICE, RUN(progress), .choices = progresses, .argument = "WHEN",
		.help = "live line in the terminal's last row: auto, always or never", .uses = HELP_OUTPUT},
	{0, "stdout", TOOL_TEXT, GROUP(stdout_file), .argument = "FILE",
		.help = "a file for what the workloads print, emptied once; % is the instance's number",
		.uses = OPTION_OF_GROUP | HELP_EVERYDAY, .completion = TOOL_COMPLETE_FILE},
	{0, "stderr", TOOL_TEXT, GROUP(stderr_file), .argument = "FILE",
		.help = "a file for their standard error; % is the instance's number", .uses = OPTION_OF_GROUP | HELP_WORKLOADS,
		.completion = TOOL_COMPLETE_FILE},
	{0, "chdir", TOOL_TEXT, RUN(directory), .argument = "DIR",
		.help = "where the workloads start; % is the instance's number", .uses = HELP_WORKLOADS,
		.completion = TOOL_COMPLETE_FOLDER},
	{0, "grace", TOOL_TIME, RUN(grace_ns), 0, OPTION_TIME_MOST, .argument = "TIME",
		.help = "between SIGTERM and SIGKILL at the end", .uses = HELP_WORKLOADS},
	{0, "contain", TOOL_CHOICE, RUN(contain), .choices = containments, .argument = "HOW",
		.help = "none, or pidns: the kernel kills them if all of showstopper is killed", .uses = HELP_WORKLOADS},
	{0, "require", TOOL_CALL, .argument = "error=PP,mse=PP2,others=PP",
		.help = "exit with 3 when mean error, MSE or the load made by others is larger", .uses = HELP_OUTPUT,
		.call = set_require},
	{0, "attach", TOOL_CALL, .argument = "PID", .help = "control this running process and its descendants too (repeatable)",
		.uses = HELP_EVERYDAY, .call = set_attach, .completion = TOOL_COMPLETE_PROCESS},
	{0, "watch", TOOL_CALL, .argument = "[NAME=]PID|GROUP",
		.help = "measure what this process with its descendants, or this control group, does beside the run (repeatable)",
		.uses = HELP_OUTPUT, .call = set_watch, .completion = TOOL_COMPLETE_PROCESS},
	{0, "attach-group", TOOL_CALL, .argument = "GROUP",
		.help = "control all that is in this control group too: a path, unit:NAME, lxc:NAME or container:ID",
		.uses = HELP_WORKLOADS, .call = set_attach_group},
	{0, "when-one-ends", TOOL_CHOICE, RUN(when_one_ends), .choices = endings, .argument = "WHAT",
		.help = "then continue without it, respawn it, or stop the run, as for a client that ends",
		.uses = HELP_EVERYDAY},
	{0, "keep-going", TOOL_FLAG, RUN(keep_going),
		.help = "go on without a workload whose executor is killed, and without feedback where the load isn't known",
		.uses = HELP_WORKLOADS},
	{0, "ignore-failures", TOOL_FLAG, RUN(ignore_failures), .help = "exit with 0 although a workload failed",
		.uses = HELP_OUTPUT},
	{0, "separator", TOOL_ANY_TEXT, RUN(separator), .argument = "STR", .help = "between commands (default ':'; empty: none)",
		.uses = HELP_WORKLOADS},
	{0, "placeholder", TOOL_ANY_TEXT, RUN(placeholder), .argument = "STR",
		.help = "the instance's number in arguments (default '%'; empty: none)", .uses = HELP_WORKLOADS},
	{0, "dry-run", TOOL_CONSTANT, RUN(action), .least = ACTION_DRY_RUN, .help = "print what would be run; start nothing",
		.uses = HELP_INSTEAD},
	{0, "check-machine", TOOL_CONSTANT, RUN(action), .least = ACTION_CHECK_MACHINE,
		.help = "print what this machine can measure and permits, and what lowers the accuracy", .uses = HELP_INSTEAD},
	{0, "json", TOOL_FLAG, RUN(json), .help = "with --check-machine: as JSON", .uses = HELP_INSTEAD},
	{0, "release", TOOL_CALL, .argument = "GROUP",
		.help = "give a group back what a run has left of --attach-group all of which was killed", .uses = HELP_INSTEAD,
		.call = set_release},
	{0, "list-modules", TOOL_CONSTANT, RUN(action), .least = ACTION_LIST_MODULES, .help = "print the modules there are",
		.uses = HELP_INSTEAD},
	{0, "list-pins", TOOL_CONSTANT, RUN(action), .least = ACTION_LIST_PINS,
		.help = "print what each scheme of --pin makes of this machine", .uses = HELP_INSTEAD},
	{0, "explain", TOOL_CONSTANT, RUN(action), .least = ACTION_EXPLAIN, .help = "print what the rows of the summary mean",
		.uses = HELP_INSTEAD},
	{0, "help-module", TOOL_CALL, .argument = "KIND:NAME", .help = "print what a module is and its options",
		.uses = HELP_INSTEAD, .call = set_help_module, .completion = TOOL_COMPLETE_MODULE, .kind = KIND_ANY},
	{0, "set", TOOL_CALL, .argument = "LOAD",
		.help = "set the target of the only run, or of the one with this process: --set 40% [PID] (of -t stream)",
		.uses = HELP_INSTEAD, .call = set_target},
	{0, "sysroot", TOOL_TEXT, RUN(root), .argument = "DIR",
		.help = "measure with DIR/proc and DIR/sys instead of /proc and /sys", .uses = HELP_INSTEAD,
		.completion = TOOL_COMPLETE_FOLDER},
	{'q', "quiet", TOOL_FLAG, RUN(quiet), .help = "no summary and no live line", .uses = HELP_OUTPUT},
	{'v', "verbose", TOOL_FLAG, RUN(verbose), .help = "say what was set up and granted", .uses = HELP_OUTPUT},
	{'h', "help", TOOL_CONSTANT, RUN(action), .least = ACTION_HELP, .help = "print this", .uses = HELP_INSTEAD},
	{'V', "version", TOOL_CONSTANT, RUN(action), .least = ACTION_VERSION, .help = "print the version", .uses = HELP_INSTEAD},
};
const size_t showstopper_option_count = sizeof showstopper_options / sizeof *showstopper_options;
