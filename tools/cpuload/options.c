/* SPDX-License-Identifier: MIT */
#include "cpuload/options.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"

#define COUNTERS "counters="
#define INTERVAL_DEFAULT (500 * NS_PER_MS)
#define INTERVAL_LEAST (10 * NS_PER_MS)
#define INTERVAL_MOST (86400 * NS_PER_S)

const char *const source_names[] = {LINUX_MACHINE_SOURCE_NAMES, NULL};
static const char *const format_names[] = {"csv", "jsonl", "table", NULL};
static const char *const column_names[] = {"runqueue", "steal", "frequency", "power", "idle", "all", "zones", NULL};
static const char *const unit_names[] = {[UNIT_PROCESSOR] = "processor", [UNIT_CORE] = "core", NULL};
static const char *const power_sources[] = {"rapl", NULL};

/* ---- Options ---------------------------------------------------------------------------------------------------------- */

/* The index of a word among names, or -1. */
static int find_name(const char *const *names, const char *word, size_t length)
{
	for (int i = 0; names[i]; i++)
		if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0)
			return i;
	return -1;
}

/* All that follows in the list. */
static int set_counters(struct settings *settings, const char *source, const char *list)
{
	char error[LINUX_COUNTER_ERROR_MAX];
	if (linux_counter_events_parse(list, &settings->counters, error) == 0)
		return 0;
	diag("%s: counters: %s", source, error);
	return -1;
}

static int set_columns(void *to, const char *source, const char *list)
{
	struct settings *const settings = to;
	for (const char *at = list;; at++) {
		const size_t length = strcspn(at, ",");
		const int found = find_name(column_names, at, length);
		if (strncmp(at, COUNTERS, strlen(COUNTERS)) == 0)
			return set_counters(settings, source, at + strlen(COUNTERS));
		if (found < 0) {
			diag("%s: '%.*s' is none of runqueue, steal, frequency, power, idle, all, zones and " COUNTERS
			     "EVENT,...",
				source, (int)length, at);
			return -1;
		}
		for (int i = 0; i < COLUMNS; i++)
			if (i == found || found == COLUMNS)
				settings->column[i] = true;
		settings->zones |= found > COLUMNS;
		at += length;
		if (!*at)
			return 0;
	}
}

#define MEMBER(member) offsetof(struct settings, member)

const struct tool_option cpuload_options[] = {
	{'c', "cpus", TOOL_CPUS, MEMBER(cpus), .argument = "LIST", .help = "measure these processors only, such as 0-3,8"},
	{'P', "per-cpu", TOOL_FLAG, MEMBER(per_cpu), .help = "add the load of each processor"},
	{'p', "pid", TOOL_INT, MEMBER(pid), 1, INT_MAX, .argument = "PID", .help = "measure this process and its descendants",
		.completion = TOOL_COMPLETE_PROCESS},
	{'g', "cgroup", TOOL_TEXT, MEMBER(cgroup), .argument = "PATH", .help = "measure this control group",
		.completion = TOOL_COMPLETE_FOLDER},
	{'s', "source", TOOL_CHOICE, MEMBER(source), .choices = source_names, .argument = "NAME",
		.help = "where the machine's load comes from: idle, ticks, cpuacct, combined, groups or schedstat (the best of "
			"this machine)"},
	{'u', "unit", TOOL_CHOICE, MEMBER(unit), .choices = unit_names, .argument = "NAME",
		.help = "what the machine's load is of: processor, or core, busy when any of its processors is"},
	{'C', "columns", TOOL_CALL, .choices = column_names, .argument = "LIST",
		.help = "add runqueue, steal, frequency, power, idle, all of these; zones, the power of each part; and at the "
			"end "
			"counters=EVENT,...",
		.completion = TOOL_COMPLETE_LIST, .call = set_columns},
	{0, "power-source", TOOL_TEXT, MEMBER(power_source), .choices = power_sources, .argument = "NAME",
		.help = "rapl, or the hwmon chip that measures the power"},
	{0, "power-command", TOOL_REMOVED, .argument = "COMMAND",
		.help = "expected a meter that writes CSV beside this, for ssreport --power (see there)"},
	{'f', "format", TOOL_CHOICE, MEMBER(format), .choices = format_names, .argument = "NAME",
		.help = "csv, jsonl or table (table on a terminal, else csv)"},
	{0, "stream", TOOL_FLAG, MEMBER(stream),
		.help = "write the load alone, a line each time, as showstopper -t stream reads it"},
	{'o', "output", TOOL_TEXT, MEMBER(output), .argument = "FILE", .help = "write to FILE instead of standard output",
		.completion = TOOL_COMPLETE_FILE},
	{'q', "quiet", TOOL_FLAG, MEMBER(quiet), .help = "don't say at the end what COMMAND used of the machine"},
	{0, "sysroot", TOOL_TEXT, MEMBER(sysroot), .argument = "DIR",
		.help = "read DIR/proc and DIR/sys instead of /proc and /sys", .completion = TOOL_COMPLETE_FOLDER},
	{'h', "help", TOOL_NOTHING, .help = "print this"},
	{'V', "version", TOOL_NOTHING, .help = "print the version"},
};
const size_t cpuload_option_count = sizeof cpuload_options / sizeof *cpuload_options;

/* As settings_parse, up to the first word that is no option. */
static int parse_options(struct settings *settings, struct tool_options *parse)
{
	for (int found; (found = tool_options_next(parse, true)) != TOOL_OPTIONS_END;) {
		if (found == TOOL_OPTIONS_ERROR)
			return -1;
		const struct tool_option *const row = &cpuload_options[found];
		if (row->takes == TOOL_NOTHING)
			return row->letter;
		if (tool_options_take(parse, found, settings) != 0)
			return -1;
	}
	return 0;
}

/* ---- Words ------------------------------------------------------------------------------------------------------------ */

/* INTERVAL, COUNT, -- and COMMAND. */
static int parse_words(char **word, bool is_command, struct settings *settings)
{
	int64_t least = INTERVAL_LEAST, most = INTERVAL_MOST;
	for (int place = 0; !is_command && *word; word++, place++) {
		char text[2][UNITS_TEXT_MAX];
		if (strcmp(*word, "--") == 0) {
			is_command = true;
		} else if (place == 0) {
			int64_t value;
			if (units_parse_time(*word, strlen(*word), &value, NULL) != 0 || value < least || value > most) {
				diag("interval '%s': expected " UNITS_TIME_EXPECTED ", from %s to %s (a command stands after --)",
					*word, units_print_time(least, text[0]), units_print_time(most, text[1]));
				return -1;
			}
			settings->interval_ns = value;
		} else if (place == 1) {
			if (units_parse_int(*word, strlen(*word), &settings->count, NULL) != 0 || settings->count < 1) {
				diag("count '%s': expected a whole number from 1 on", *word);
				return -1;
			}
		} else {
			diag("'%s': expected nothing after the count, or -- and a command", *word);
			return -1;
		}
	}
	if (!is_command)
		return 0;
	if (!*word) {
		diag("expected a command after --");
		return -1;
	}
	settings->command = word;
	return 0;
}

/* What doesn't go together. */
static int check_settings(const struct settings *settings)
{
	bool has_more = settings->per_cpu || settings->format != FORMAT_UNSET || settings->zones || settings->counters.count;
	for (int i = 0; i < COLUMNS; i++)
		has_more |= settings->column[i];
	if (settings->stream && has_more) {
		diag("--stream: expected none of --format, --per-cpu and --columns with it: it writes the load alone");
		return -1;
	}
	const char *const scope = settings->pid ? "--pid" : "--cgroup";
	if (settings->pid && settings->cgroup) {
		diag("--pid and --cgroup: expected one of them");
		return -1;
	}
	if (settings->unit == UNIT_CORE && settings->source >= 0 && settings->source != LINUX_MACHINE_IDLE &&
		settings->source != LINUX_MACHINE_SCHEDSTAT) {
		diag("--unit=core can't be had with --source=%s, which doesn't tell cores apart: expected idle or schedstat",
			source_names[settings->source]);
		return -1;
	}
	if (!settings->pid && !settings->cgroup)
		return 0;
	const char *const wrong = settings->unit == UNIT_CORE ? "--unit=core"
				  : settings->cpus            ? "--cpus"
				  : settings->per_cpu         ? "--per-cpu"
				  : settings->source >= 0     ? "--source"
							      : NULL;
	if (!wrong)
		return 0;
	diag("%s can't be had with %s: it is about the load of the machine", wrong, scope);
	return -1;
}

void settings_init(struct settings *settings)
{
	*settings = (struct settings){.interval_ns = INTERVAL_DEFAULT, .source = -1, .format = FORMAT_UNSET, .sysroot = ""};
}

int settings_parse(struct settings *settings, int count, char **words)
{
	struct tool_options parse = {
		.option = cpuload_options, .count = cpuload_option_count, .program = "cpuload", .words = count, .word = words};
	settings_init(settings);
	const int what = parse_options(settings, &parse);
	if (what != 0)
		return what;
	if (parse_words(words + parse.stop, parse.ends_by_dashes, settings) != 0)
		return -1;
	return check_settings(settings);
}

void settings_free(struct settings *settings)
{
	free(settings->cpus);
	settings->cpus = NULL;
}
