/* SPDX-License-Identifier: MIT */
#include "sstrace/options.h"

#include <string.h>

#include "base/diag.h"
#include "base/output.h"

const struct tool_option sstrace_options[] = {
	{JOB_CHECK, "check", TOOL_NOTHING, .help = "write nothing; the status says whether the trace is right"},
	{JOB_INFO, "info", TOOL_NOTHING, .help = "write what the trace holds: records, length, mean, minimum, maximum, …"},
	{JOB_TEXT, "text", TOOL_NOTHING, .help = "write the trace as canonical text instead of compiling it"},
	{'o', "output", TOOL_VALUE, .argument = "FILE", .help = "write to FILE instead of standard output",
		.completion = TOOL_COMPLETE_FILE},
	{'h', "help", TOOL_NOTHING, .help = "print this"},
	{'V', "version", TOOL_NOTHING, .help = "print the version"},
};
const size_t sstrace_option_count = sizeof sstrace_options / sizeof *sstrace_options;

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
		const int letter = sstrace_options[found].letter;
		if (letter == 'h' || letter == 'V')
			return letter;
		if ((letter == 'o' ? set_output(settings, scan->value) : set_job(settings, (enum job)letter)) != 0)
			return -1;
	}
	for (int i = scan->stop; i < scan->words; i++)
		scan->word[(*inputs)++] = scan->word[i];
	return 0;
}

int settings_parse(struct settings *settings, int count, char **words)
{
	struct tool_options scan = {
		.option = sstrace_options, .count = sstrace_option_count, .program = "sstrace", .words = count, .word = words};
	int inputs = 0;
	*settings = (struct settings){0};
	const int what = scan_options(settings, &scan, &inputs);
	if (what != 0)
		return what;
	if (inputs > 1)
		return diag_refuse("found a second file, '%s', expected one trace", words[1]);
	if (inputs == 1 && strcmp(words[0], "-") != 0)
		settings->input = words[0];
	if (settings->output && settings->job == JOB_CHECK)
		return diag_refuse("found --output and --check, which writes nothing");
	if (settings->output && output_is_stdout(settings->output))
		settings->output = NULL;
	return 0;
}
