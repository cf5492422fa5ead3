/* SPDX-License-Identifier: MIT */
#include "sstrace/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/output.h"
#include "base/units.h"

static int set_cut(void *settings, const char *source, const char *text);
static int set_scale(void *settings, const char *source, const char *text);
static int set_clip(void *settings, const char *source, const char *text);

/* In tool_option.uses: it goes to ssimport, or makes another trace of one. */
#define IMPORT 1u
#define SHAPE 2u
/* The list of machines has nothing to do with it. */
#define TRACE 4u
/* Logs of our own have it, too. */
#define OWN 8u

static const char *const formats[] = {"cpuload", "log", "sadf", "mpstat", "sar", "prometheus", "collectd", "alibaba", "azure",
	"google", "bitbrains", "csv", NULL};
static const char *const units[] = {"found", "fraction", "percent", NULL};
static const char *const stamps[] = {"found", "start", "end", NULL};

#define OF(member) offsetof(struct settings, member)

const struct tool_option sstrace_options[] = {
	{JOB_CHECK, "check", TOOL_NOTHING, .help = "write nothing; the status says whether the trace is right"},
	{JOB_INFO, "info", TOOL_NOTHING, .help = "write what the trace holds: length, mean, levels, changes, …"},
	{JOB_TEXT, "text", TOOL_NOTHING, .help = "write the trace as canonical text instead of compiling it"},
	{'o', "output", TOOL_VALUE, .argument = "FILE", .help = "write to FILE instead of standard output",
		.completion = TOOL_COMPLETE_FILE},
	{0, "cut", TOOL_CALL, .call = set_cut, .argument = "FROM,TO", .uses = SHAPE,
		.help = "keep the part between these times, which begins at 0 then"},
	{0, "scale", TOOL_CALL, .call = set_scale, .argument = "FACTOR", .uses = SHAPE, .help = "multiply loads by this"},
	{0, "clip", TOOL_CALL, .call = set_clip, .argument = "LOW,HIGH", .uses = SHAPE, .help = "cut loads to this range"},
	{0, "length", TOOL_TIME, OF(shape.length_ns), 1, INT64_MAX, .argument = "TIME", .uses = SHAPE,
		.help = "make it so long, and as much faster or slower"},
	{0, "from", TOOL_VALUE, .choices = formats, .argument = "FORMAT", .uses = IMPORT | OWN,
		.help = "make the trace of what that program recorded (ssimport)"},
	{0, "machines", TOOL_NOTHING, .uses = IMPORT, .help = "list the machines in the files instead"},
	{0, "machine", TOOL_VALUE, .argument = "NAME", .uses = IMPORT | TRACE, .help = "of several machines take this one"},
	{0, "mean-of", TOOL_VALUE, .argument = "NAMES", .uses = IMPORT | TRACE,
		.help = "take the mean of these machines, or of all"},
	{0, "step", TOOL_VALUE, .argument = "TIME", .uses = IMPORT | TRACE, .help = "average machines over so long"},
	{0, "cpu", TOOL_VALUE, .argument = "N", .uses = IMPORT, .help = "take one processor of the machine"},
	{0, "column", TOOL_VALUE, .argument = "NAME", .uses = IMPORT | OWN,
		.help = "the load is in this column, a name or a number"},
	{0, "load", TOOL_VALUE, .argument = "NAME", .uses = IMPORT | OWN, .help = "the same"},
	{0, "time", TOOL_VALUE, .argument = "NAME", .uses = IMPORT, .help = "the time is in this column"},
	{0, "zone", TOOL_VALUE, .argument = "NAME", .uses = IMPORT, .help = "the zone of times without one (UTC)"},
	{0, "unit", TOOL_VALUE, .choices = units, .argument = "UNIT", .uses = IMPORT, .help = "of the load"},
	{0, "stamp", TOOL_VALUE, .choices = stamps, .argument = "WHERE", .uses = IMPORT,
		.help = "where in its interval a sample's time stands"},
	{0, "delimiter", TOOL_VALUE, .argument = "CHARACTER", .uses = IMPORT, .help = "between columns"},
	{0, "capacity", TOOL_VALUE, .argument = "NUMBER", .uses = IMPORT,
		.help = "google: of a machine, by which its usage is divided"},
	{0, "smooth", TOOL_NOTHING, .uses = IMPORT | TRACE, .help = "straight lines instead of steps, with the same means"},
	{0, "strict", TOOL_NOTHING, .uses = IMPORT, .help = "refuse what would be left out, cut or filled"},
	{'h', "help", TOOL_NOTHING, .help = "print this"},
	{'V', "version", TOOL_NOTHING, .help = "print the version"},
};
const size_t sstrace_option_count = sizeof sstrace_options / sizeof *sstrace_options;

const struct settings sstrace_defaults = {.shape = TRACE_SHAPE_NONE};

/* What stands before and behind the comma. *behind is NULL without one. */
static size_t split(const char *text, const char **behind)
{
	const size_t length = strcspn(text, ",");
	*behind = text[length] ? text + length + 1 : NULL;
	return length;
}

static int set_cut(void *settings, const char *source, const char *text)
{
	struct trace_shape *const shape = &((struct settings *)settings)->shape;
	const char *behind;
	const size_t length = split(text, &behind);
	shape->from_ns = 0;
	shape->to_ns = TRACE_SHAPE_WHOLE;
	if (behind && strlen(text) > 1 && (length == 0 || units_parse_time(text, length, &shape->from_ns, NULL) == 0) &&
		(!*behind || units_parse_time(behind, strlen(behind), &shape->to_ns, NULL) == 0) && shape->from_ns < shape->to_ns)
		return 0;
	return diag_refuse(
		"%s: found '%s', expected two times, the earlier one first, such as 8h,18h; one may be left out", source, text);
}

static int set_scale(void *settings, const char *source, const char *text)
{
	double *const scale = &((struct settings *)settings)->shape.scale;
	if (units_parse_real(text, strlen(text), scale, NULL) == 0 && *scale > 0)
		return 0;
	return diag_refuse("%s: found '%s', expected a number above 0, such as 1.5", source, text);
}

static int set_clip(void *settings, const char *source, const char *text)
{
	struct trace_shape *const shape = &((struct settings *)settings)->shape;
	const char *behind;
	const size_t length = split(text, &behind);
	if (behind && units_parse_load(text, length, &shape->low, NULL) == 0 &&
		units_parse_load(behind, strlen(behind), &shape->high, NULL) == 0 && shape->low <= shape->high)
		return 0;
	return diag_refuse(
		"%s: found '%s', expected two loads from 0 to 1, the lower one first, such as 10%%,90%%", source, text);
}

static const char *job_name(enum job job)
{
	for (size_t i = 0; i < sstrace_option_count; i++)
		if (sstrace_options[i].letter == (int)job)
			return sstrace_options[i].name;
	return "";
}

static int set_output(struct settings *settings, const char *name)
{
	if (!*name)
		return diag_refuse("--output: expected the name of a file");
	if (settings->output)
		return diag_refuse("found two output files, '%s' and '%s', expected one", settings->output, name);
	settings->output = name;
	return 0;
}

static int set_job(struct settings *settings, enum job job)
{
	if (settings->job && settings->job != job)
		return diag_refuse("found --%s and --%s, expected one of them", job_name(settings->job), job_name(job));
	settings->job = job;
	return 0;
}

/* Keeps an option for ssimport, which checks its value. 0, or -1 after a message. */
static int take_import(struct settings *settings, const struct tool_option *option, const char *value)
{
	char *word;
	if (asprintf(&word, "--%s%s%s", option->name, value ? "=" : "", value ? value : "") < 0)
		return diag_refuse("%s", strerror(ENOMEM));
	settings->word[settings->words++] = word;
	settings->options++;
	if (strcmp(option->name, "from") == 0)
		settings->from = value;
	else if (option->uses & OWN)
		settings->column = value;
	else
		settings->import_option = option->name;
	settings->lists_machines = settings->lists_machines || strcmp(option->name, "machines") == 0;
	return 0;
}

/* As settings_parse for the options. The words among them, *inputs of them, move to the front. */
static int scan_options(struct settings *settings, struct tool_options *scan, int *inputs)
{
	for (int found; (found = tool_options_next(scan, false)) != TOOL_OPTIONS_END;) {
		if (found == TOOL_OPTIONS_ERROR)
			return -1;
		if (found == TOOL_OPTIONS_WORD) {
			scan->word[(*inputs)++] = scan->word[scan->stop - 1];
			continue;
		}
		const struct tool_option *const option = &sstrace_options[found];
		if (option->letter == 'h' || option->letter == 'V')
			return option->letter;
		if (option->uses & (SHAPE | TRACE))
			settings->trace_option = option->name;
		if (option->uses & SHAPE)
			settings->shape_option = option->name;
		int result = 0;
		if (option->uses & IMPORT)
			result = take_import(settings, option, scan->value);
		else if (option->letter == 'o')
			result = set_output(settings, scan->value);
		else if (option->letter)
			result = set_job(settings, (enum job)option->letter);
		else
			result = tool_options_take(scan, found, settings);
		if (result != 0)
			return -1;
	}
	for (int i = scan->stop; i < scan->words; i++)
		scan->word[(*inputs)++] = scan->word[i];
	return 0;
}

/* It can be read once. */
static int check_standard_input(const struct settings *settings)
{
	size_t times = 0;
	for (size_t i = 0; i < settings->inputs; i++)
		times += strcmp(settings->input[i], "-") == 0;
	return times > 1 ? diag_refuse("found '-' %zu times, expected standard input once", times) : 0;
}

int settings_parse(struct settings *settings, int count, char **words)
{
	struct tool_options scan = {
		.option = sstrace_options, .count = sstrace_option_count, .program = "sstrace", .words = count, .word = words};
	static const char *standard_input[] = {"-"};
	int inputs = 0;
	*settings = sstrace_defaults;
	/* The program, "--" and NULL, and no more words than were given, or standard input. */
	settings->word = calloc((size_t)count + 4, sizeof *settings->word);
	if (!settings->word)
		return diag_refuse("%s", strerror(errno));
	settings->word[settings->words++] = "ssimport";
	const int what = scan_options(settings, &scan, &inputs);
	if (what != 0)
		return what;
	settings->input = inputs > 0 ? (const char **)words : standard_input;
	settings->inputs = inputs > 0 ? (size_t)inputs : 1;
	if (settings->lists_machines && (settings->job || settings->output))
		return diag_refuse(
			"found --machines, which writes a list, and %s", settings->output ? "--output" : "another job");
	if (settings->lists_machines && settings->trace_option)
		return diag_refuse("found --machines, which makes no trace, and --%s", settings->trace_option);
	if (check_standard_input(settings) != 0)
		return -1;
	if (settings->output && settings->job == JOB_CHECK)
		return diag_refuse("found --output and --check, which writes nothing");
	if (settings->output && output_is_stdout(settings->output))
		settings->output = NULL;
	return 0;
}

void settings_free(struct settings *settings)
{
	for (size_t i = 1; settings->word && i <= settings->options; i++)
		free((char *)settings->word[i]);
	free(settings->word);
}
