/* SPDX-License-Identifier: MIT */
#include "ssreport/command_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/version.h"
#include "ssreport/output.h"
#include "ssreport/parts.h"

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static void print_help(const struct command *command)
{
	struct settings defaults;
	settings_init(&defaults);
	if (command) {
		printf("usage: ssreport %s [OPTION]... %s%s%s\n"
		       "Reports %s.\n\n",
			command->name, command->bit & LABELLED ? "[LABEL=]" : "", command->argument,
			command->bit & LABELLED ? "..." : "", command->summary);
		tool_options_help(ssreport_options, ssreport_option_count, command->bit, &defaults, stdout);
		return;
	}
	printf("usage: ssreport SUBCOMMAND [OPTION]... FILE...\n"
	       "Makes tables and pictures from control logs (showstopper -o), load logs (cpuload) and iteration records.\n\n");
	for (size_t i = 0; commands[i]; i++)
		printf("  %-13s %s\n", commands[i]->name, commands[i]->summary);
	printf("\nssreport SUBCOMMAND --help shows the options:\n\n");
	tool_options_help(ssreport_options, ssreport_option_count, 0, &defaults, stdout);
}

static int print_information(const struct command *command, bool is_version)
{
	if (is_version)
		printf("ssreport %s\n", version_text);
	else
		print_help(command);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return COMMAND_LINE_DONE;
	diag("can't write standard output: %s", strerror(errno));
	return -1;
}

/* Files of groups with -- between them, each called by its first file. The first group's have been added. */
static int add_groups(struct settings *settings, const struct tool_options *parse)
{
	struct report_input *const input = &settings->input;
	if (input->groups > 0)
		return complain("found --label and --, expected one of them between groups");
	if (input->words == 0)
		return complain("found no file before --, expected those of the first group");
	for (size_t i = 0; i < input->words; i++)
		input->word[i].label = input->word[0].path;
	bool begins = true;
	for (int i = parse->stop; i < parse->words; i++) {
		const char *const word = parse->word[i];
		if (!begins && strcmp(word, "--") == 0) {
			begins = true;
			continue;
		}
		if (begins && strcmp(word, "--") == 0)
			break;
		if (word[0] == '-' && word[1]) {
			diag("found %s behind --, expected a file; options stand before the first --", word);
			return -1;
		}
		for (size_t other = 0; begins && other < input->words; other++)
			if (strcmp(input->word[other].label, word) == 0) {
				diag("found %s as the first file of two groups, expected another one: a group is called by it",
					word);
				return -1;
			}
		if (begins)
			report_input_label(input, word);
		begins = false;
		if (report_input_file(input, word) != 0)
			return complain_about_memory();
	}
	return begins ? complain("found no file behind --, expected those of another group") : COMMAND_LINE_GO_ON;
}

static int parse_options(struct settings *settings, struct tool_options *parse)
{
	for (;;) {
		int found = tool_options_next(parse, false);
		if (found == TOOL_OPTIONS_ERROR)
			return -1;
		if (found == TOOL_OPTIONS_END)
			break;
		if (found == TOOL_OPTIONS_WORD) {
			if (report_input_file(&settings->input, parse->value) != 0)
				return complain_about_memory();
			continue;
		}
		if (found == OPTION_HELP || found == OPTION_VERSION)
			return print_information(settings->command, found == OPTION_VERSION);
		if (!(ssreport_options[found].uses & settings->command->bit)) {
			diag("%s has no option --%s (see ssreport %s --help)", settings->command->name,
				ssreport_options[found].name, settings->command->name);
			return -1;
		}
		char source[TOOL_OPTIONS_NAME_MAX];
		if (settings_set(settings, found, tool_options_name(parse, &ssreport_options[found], source), parse->value) != 0)
			return -1;
	}
	if (parse->ends_by_dashes && settings->command->bit == COMPARE)
		return add_groups(settings, parse);
	for (int i = parse->stop; i < parse->words; i++)
		if (report_input_file(&settings->input, parse->word[i]) != 0)
			return complain_about_memory();
	return COMMAND_LINE_GO_ON;
}

/* What can be refused before a file is opened. */
static int check(const struct settings *settings)
{
	const struct command *const command = settings->command;
	char error[PLOT_ERROR_MAX];
	bool has_picture = false;
	if (settings->input.words == 0) {
		diag("expected files (see ssreport %s --help)", command->name);
		return -1;
	}
	if (report_input_empty_label(&settings->input)) {
		diag("--label: found no file behind '%s'", report_input_empty_label(&settings->input));
		return -1;
	}
	for (size_t i = 0; i < settings->outputs; i++) {
		const bool is_picture = plot_format_of(settings->output[i]) >= 0;
		if (output_check_ending(settings, settings->output[i]) != 0)
			return -1;
		if (is_picture && !command->draw) {
			diag("--output: found %s, but %s has no picture, expected a table (.txt .csv .md .json)",
				settings->output[i], command->name);
			return -1;
		}
		has_picture |= is_picture;
	}
	if (settings->size.width > 0 && !has_picture)
		return complain("found --size, but no picture (--output FILE.png, .svg or .pdf)");
	if (command->check && command->check(settings) != 0)
		return -1;
	return has_picture && plot_check(error) != 0 ? complain(error) : 0;
}

int command_line_parse(int count, char **arguments, struct settings *settings)
{
	const char *const name = count > 1 ? arguments[1] : "";
	const bool is_version = strcmp(name, "-V") == 0 || strcmp(name, "--version") == 0;
	if (is_version || strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0)
		return print_information(NULL, is_version);
	settings->command = find_command(name);
	if (!settings->command) {
		diag("found %s%s%s, expected a subcommand such as accuracy or timeline (see ssreport --help)",
			count > 1 ? "'" : "", count > 1 ? name : "no subcommand", count > 1 ? "'" : "");
		return -1;
	}
	settings->output = calloc((size_t)count, sizeof *settings->output);
	settings->outlier = calloc((size_t)count, sizeof *settings->outlier);
	settings->input.offset = calloc((size_t)count, sizeof *settings->input.offset);
	settings->input.power = calloc((size_t)count, sizeof *settings->input.power);
	if (!settings->output || !settings->outlier || !settings->input.offset || !settings->input.power)
		return complain_about_memory();
	struct tool_options parse = {.option = ssreport_options,
		.count = ssreport_option_count,
		.program = "ssreport",
		.words = count - 1,
		.word = arguments + 1};
	const int result = parse_options(settings, &parse);
	return result == COMMAND_LINE_GO_ON ? check(settings) : result;
}
