/* SPDX-License-Identifier: MIT */
#include "cli/complete.h"

#include <string.h>

#include "cli/instead.h"
#include "config/config.h"
#include "module/module.h"

struct line {
	const struct complete_program *program;
	char **word; /* `words` of them before the last one */
	int words;
	const char *last, *value;      /* the word that is completed, and the part of it that is exchanged, … */
	const struct tool_option *row; /* … if it is the value of this option; else NULL */
	const char *end;               /* behind each that is offered */
	const char *separator;
	unsigned uses;                 /* of the options that are possible; 0: all */
	int command;                   /* where what is no option begins; 0: an option is possible */
	const char *module[KINDS + 1]; /* those that were named, else NULL */
};

static void note(struct line *line, const struct tool_option *row, const char *value)
{
	/* The last word is a value, or has one in it: --name=VALUE, -abcVALUE. */
	if ((uintptr_t)value - (uintptr_t)line->last <= strlen(line->last)) {
		line->row = row;
		line->value = value;
	} else if (row->completion == TOOL_COMPLETE_MODULE) {
		line->module[row->kind] = value;
	} else if (strcmp(row->name, "separator") == 0) {
		line->separator = value;
	}
}

static void read_line(struct line *line)
{
	const struct complete_program *const program = line->program;
	int at = 0, found;
	do {
		struct tool_options scan = {
			program->option, program->count, .words = line->words + 1, .word = line->word, .stop = at + 1};
		line->uses = at ? program->later : line->uses;
		while ((found = tool_options_scan(&scan, program->words == COMPLETE_COMMAND)) != TOOL_OPTIONS_END)
			if (found >= 0 && scan.value)
				note(line, &program->option[found], scan.value);
		line->command = scan.stop < line->words + (scan.ends_by_dashes || *line->last != '-') ? scan.stop : 0;
		for (at = line->command; at && at < line->words && strcmp(line->word[at], line->separator) != 0;)
			at++;
	} while (at && at < line->words && program->later && *line->separator);
}

/* Names of modules and of their options are foreign: nothing that a shell would take for more. */
static void offer(const char *text, const char *help, void *context)
{
	static const char plain[] = "-_.:0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const struct line *const line = context;
	if (!text[strspn(text, plain)])
		printf("%.*s%s%s\t%s\n", (int)(line->value - line->last), line->last, text, line->end, help);
}

static void offer_choices(struct line *line, const char *const *choices)
{
	for (; choices && *choices; choices++)
		offer(*choices, "", line);
}

static void ask_for(const struct line *line, const char *what)
{
	printf(":%s\t%.*s\n", what, (int)(line->value - line->last), line->last);
}

static void offer_module_value(struct line *line, const struct sst_option *option)
{
	if (option->type == SST_FILE || option->type == SST_TEXT)
		ask_for(line, "file");
	offer_choices(line, option->type == SST_FLAG ? (const char *const[]){"yes", "no", NULL} : option->choices);
}

/* KEY=VALUE, or the value of the first option alone, or without -t the file of a trace. The shell leaves out what doesn't fit. */
static void offer_module_options(struct line *line, enum sst_kind kind)
{
	const char *const name = line->module[kind] ? line->module[kind] : config_usual_module[kind];
	const char *const comma = strrchr(line->value, ',');
	const char *const key = comma ? comma + 1 : line->value;
	const char *const equals = strchr(key, '=');
	const size_t length = strcspn(key, "=");
	struct module module;
	char error[MODULE_ERROR_MAX];
	/* No file is loaded because its name is typed. */
	if (strchr(name, '/') || module_open(&module, kind, name, error) != 0)
		return;
	puts(":nospace");
	line->value = equals ? equals + 1 : key;
	line->end = equals ? "" : "=";
	const struct sst_option *const first = module.base->options;
	/* What begins no name may be the first option's value, or the name of a trace's file. */
	bool is_value = *key && !equals;
	for (const struct sst_option *option = first; option && option->name; option++) {
		const bool fits = strncmp(option->name, key, length) == 0;
		is_value = is_value && !fits;
		if (fits && !equals)
			offer(option->name, option->help, line);
		else if (fits && !option->name[length])
			offer_module_value(line, option);
	}
	line->end = "";
	if ((is_value || !*key) && kind == SST_TRACE && !line->module[kind] && !comma)
		ask_for(line, "file");
	else if (is_value && first && first->name)
		offer_module_value(line, first);
	module_unload(&module);
}

static void offer_value(struct line *line, const struct tool_option *row)
{
	const char *const comma = row->completion == TOOL_COMPLETE_LIST ? strrchr(line->value, ',') : NULL;
	line->value = comma ? comma + 1 : line->value;
	if (row->completion == TOOL_COMPLETE_CHOICES || row->completion == TOOL_COMPLETE_LIST)
		offer_choices(line, row->choices);
	else if (row->completion == TOOL_COMPLETE_MODULE_OPTIONS)
		offer_module_options(line, row->kind);
	else if (row->completion == TOOL_COMPLETE_MODULE && !strchr(line->value, '/'))
		module_info_each(row->kind, offer, line);
	else
		ask_for(line, row->completion == TOOL_COMPLETE_PROCESS  ? "process"
			      : row->completion == TOOL_COMPLETE_FOLDER ? "directory"
									: "file");
}

static void offer_options(const struct line *line)
{
	const struct complete_program *const program = line->program;
	for (const struct tool_option *row = program->option; row < program->option + program->count; row++) {
		if (line->uses && !(row->uses & line->uses))
			continue;
		if (row->letter)
			printf("-%c\t%s\n", row->letter, row->help);
		printf("--%s\t%s\n", row->name, row->help);
	}
}

bool complete(const struct complete_program *program, int words, char **word)
{
	if (words < 3 || strcmp(word[1], "--complete") != 0)
		return false;
	const char *const last = word[words - 1];
	struct line line = {program, word + 1, words - 2, .last = last, .value = last, .end = "", .separator = ":"};
	read_line(&line);
	if (line.row)
		offer_value(&line, line.row);
	else if (line.command && program->words >= COMPLETE_COMMAND)
		printf(":command\t%d\n", line.command);
	else if (!line.command && (*last == '-' || (program->words == COMPLETE_NONE && !*last)))
		offer_options(&line);
	else if (program->words == COMPLETE_FILES)
		ask_for(&line, "file");
	return true;
}
