/* SPDX-License-Identifier: MIT */
#include "cli/complete.h"

#include <ctype.h>
#include <string.h>

#include "config/config.h"
#include "module/module.h"

struct line {
	const struct complete_program *program;
	char **word; /* `words` of them before the last one */
	int words;
	const char *last, *value;          /* the word that is completed, and the part of it that is exchanged */
	const struct tool_option *pending; /* whose value the last word is */
	const struct complete_subcommand *subcommand;
	const char *separator;
	unsigned uses;             /* of the options that are possible; 0: all */
	int command;               /* where what is no option begins; 0: an option is possible */
	const char *module[KINDS]; /* those that were named, else NULL */
	enum sst_kind kind;        /* of those that are offered, */
	bool with_kind;            /* by this name, too */
};

static void note(struct line *line, const struct tool_option *row, const char *value)
{
	const struct complete_subcommand *found = row ? NULL : line->program->subcommand;
	if (row && row->completion == TOOL_COMPLETE_MODULE)
		line->module[row->kind] = value;
	else if (row && strcmp(row->name, "separator") == 0)
		line->separator = value;
	while (found && found->name && strcmp(found->name, value) != 0)
		found++;
	if (found && found->name && !line->subcommand)
		line->subcommand = found;
}

/* The index behind the next such word. */
static int behind(const struct line *line, int at, const char *wanted)
{
	while (at < line->words && strcmp(line->word[at], wanted) != 0)
		at++;
	return at + 1;
}

static void read_line(struct line *line)
{
	const struct complete_program *const program = line->program;
	for (int at = 1; at <= line->words;) {
		struct tool_options scan = {
			.option = program->option, .count = program->count, .words = line->words, .word = line->word, .stop = at};
		for (int found; (found = tool_options_scan(&scan, program->words != COMPLETE_FILES)) != TOOL_OPTIONS_END;)
			if (found != TOOL_OPTIONS_ERROR)
				note(line, found == TOOL_OPTIONS_WORD ? NULL : &program->option[found], scan.value);
			else if (scan.fault == TOOL_OPTIONS_LACKS_VALUE)
				line->pending = scan.faulty;
		line->command = scan.ends_by_dashes || scan.stop < line->words ? scan.stop : 0;
		if (line->command && program->words == COMPLETE_COMMAND_BEHIND_DASHES && !scan.ends_by_dashes)
			line->command = behind(line, scan.stop, "--");
		if (!line->command || !program->later || !*line->separator)
			return;
		at = behind(line, line->command, line->separator);
		line->uses = at <= line->words ? program->later : line->uses;
	}
}

/* Names of modules and of their options are foreign: nothing that a shell would take for more. */
static void offer(const struct line *line, const char *text, const char *end, const char *help)
{
	for (const char *at = text; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("-_.:", *at))
			return;
	printf("%.*s%s%s\t%s\n", (int)(line->value - line->last), line->last, text, end, help);
}

static void offer_choices(const struct line *line, const char *const *choices)
{
	for (; choices && *choices; choices++)
		offer(line, *choices, "", "");
}

static void ask_for(const struct line *line, const char *what)
{
	printf(":%s\t%.*s\n", what, (int)(line->value - line->last), line->last);
}

static void offer_module(const char *name, void *context)
{
	const struct line *const line = context;
	const char *const kind = line->with_kind ? module_kind_name(line->kind) : "";
	struct module module;
	char error[MODULE_ERROR_MAX], text[256];
	if (module_open(&module, line->kind, name, error) != 0)
		return;
	snprintf(text, sizeof text, "%s%s%s", kind, *kind ? ":" : "", name);
	offer(line, text, "", module.base->summary);
	module_unload(&module);
}

static void offer_modules(struct line *line, int first, int last)
{
	line->with_kind = first != last;
	for (int kind = first; kind <= last; kind++) {
		line->kind = (enum sst_kind)kind;
		module_list(line->kind, offer_module, line);
	}
}

static void offer_value_of(const struct line *line, const struct sst_option *option)
{
	static const char *const flag[] = {"yes", "no", NULL};
	if (option->type == SST_FILE || option->type == SST_TEXT)
		ask_for(line, "file");
	offer_choices(line, option->type == SST_FLAG ? flag : option->choices);
}

/* KEY=VALUE, or the value of the first one; `or_file`: or a file. */
static void offer_pair(struct line *line, const struct sst_option *options, bool or_file)
{
	const char *const key = line->value;
	const size_t length = strcspn(key, "=");
	bool found = key[length];
	line->value += found ? length + 1 : 0;
	for (const struct sst_option *option = options; option && option->name; option++) {
		if (strncmp(option->name, key, length) != 0)
			continue;
		if (!key[length])
			offer(line, option->name, "=", option->help);
		else if (!option->name[length])
			offer_value_of(line, option);
		found = true;
	}
	if (!found && or_file)
		ask_for(line, "file");
	else if (!found && options && options->name)
		offer_value_of(line, options);
}

static void offer_module_options(struct line *line, enum sst_kind kind)
{
	const char *const name = line->module[kind] ? line->module[kind] : config_usual_module[kind];
	const char *const comma = strrchr(line->value, ',');
	struct module module;
	char error[MODULE_ERROR_MAX];
	/* No file is loaded because its name is typed. */
	if (strchr(name, '/') || module_open(&module, kind, name, error) != 0)
		return;
	puts(":nospace");
	line->value = comma ? comma + 1 : line->value;
	/* Without -t, the trace may be in a file. */
	offer_pair(line, module.base->options, kind == SST_TRACE && !line->module[kind] && !comma);
	module_unload(&module);
}

static void offer_value(struct line *line, const char *value, const struct tool_option *row)
{
	static const char *const asked[] = {[TOOL_COMPLETE_FILE] = "file",
		[TOOL_COMPLETE_FOLDER] = "directory",
		[TOOL_COMPLETE_PROCESS] = "process",
		[TOOL_COMPLETE_MODULE] = "file"};
	const char *const comma = row->completion == TOOL_COMPLETE_LIST ? strrchr(value, ',') : NULL;
	line->value = comma ? comma + 1 : value;
	if (row->completion == TOOL_COMPLETE_CHOICES || row->completion == TOOL_COMPLETE_LIST)
		offer_choices(line, row->choices);
	else if (row->completion == TOOL_COMPLETE_MODULE_OPTIONS)
		offer_module_options(line, row->kind);
	else if (row->completion == TOOL_COMPLETE_KIND_AND_MODULE)
		offer_modules(line, 0, KINDS - 1);
	else if (row->completion == TOOL_COMPLETE_MODULE && !strchr(value, '/'))
		offer_modules(line, row->kind, row->kind);
	else
		ask_for(line, asked[row->completion]);
}

static void offer_options(const struct line *line)
{
	const struct complete_program *const program = line->program;
	const unsigned uses = line->subcommand ? line->subcommand->uses : line->uses;
	for (const struct tool_option *row = program->option; row < program->option + program->count; row++) {
		/* Before the subcommand none but --help and --version. */
		if (program->subcommand && !line->subcommand ? row->takes != TOOL_NOTHING : uses && !(row->uses & uses))
			continue;
		if (row->letter)
			printf("-%c\t%s\n", row->letter, row->help);
		printf("--%s\t%s\n", row->name, row->help);
	}
}

/* A word, or an option whose value may be in the same word: --name=VALUE, -abcVALUE. */
static void offer_word(struct line *line)
{
	const struct complete_program *const program = line->program;
	char *words[] = {NULL, (char *)line->last};
	struct tool_options scan = {.option = program->option, .count = program->count, .words = 2, .word = words};
	for (int found; !line->command && (found = tool_options_scan(&scan, true)) >= 0;)
		if (scan.value)
			return offer_value(line, scan.value, &program->option[found]);
	if (!line->command && (*line->last == '-' || (program->words == COMPLETE_NONE && !*line->last)))
		offer_options(line);
	else if (program->words == COMPLETE_COMMAND)
		printf(":command\t%d\n", line->words);
	else if (program->subcommand && !line->subcommand)
		for (const struct complete_subcommand *one = program->subcommand; one->name; one++)
			offer(line, one->name, "", one->help);
	else if (program->words == COMPLETE_FILES) {
		const char *const equals = program->subcommand ? strchr(line->last, '=') : NULL;
		line->value = equals ? equals + 1 : line->last;
		ask_for(line, "file");
	}
}

bool complete(const struct complete_program *program, int words, char **word)
{
	if (words < 3 || strcmp(word[1], "--complete") != 0)
		return false;
	const char *const last = word[words - 1];
	struct line line = {
		.program = program, .word = word + 1, .words = words - 2, .last = last, .value = last, .separator = ":"};
	read_line(&line);
	if (line.pending)
		offer_value(&line, last, line.pending);
	else if (line.command && line.command <= line.words && program->words >= COMPLETE_COMMAND)
		printf(":command\t%d\n", line.command);
	else
		offer_word(&line);
	return true;
}
