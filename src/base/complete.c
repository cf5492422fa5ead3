/* SPDX-License-Identifier: MIT */
#include "base/complete.h"

#include <string.h>

struct line {
	const struct complete_program *program;
	char **word; /* `words` of them before the last one */
	int words;
	struct complete_value value;   /* the last word */
	const struct tool_option *row; /* whose value is completed; NULL: it is no value */
	const char *separator;
	unsigned uses; /* of the options that are possible; 0: all */
	int command;   /* where what is no option begins; 0: an option is possible */
};

static void note(struct line *line, const struct tool_option *row, const char *value)
{
	/* The last word is a value, or has one in it: --name=VALUE, -abcVALUE. */
	if ((uintptr_t)value - (uintptr_t)line->value.last <= strlen(line->value.last)) {
		line->row = row;
		line->value.text = value;
	} else if (row->completion == TOOL_COMPLETE_MODULE) {
		line->value.module[row->kind] = value;
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
		line->command = scan.stop < line->words + (scan.ends_by_dashes || *line->value.last != '-') ? scan.stop : 0;
		for (at = line->command; at && at < line->words && strcmp(line->word[at], line->separator) != 0;)
			at++;
	} while (at && at < line->words && program->later && *line->separator);
}

void complete_offer(const char *text, const char *help, void *value)
{
	static const char plain[] = "-_.:0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const struct complete_value *const of = value;
	if (!text[strspn(text, plain)])
		printf("%.*s%s%s\t%s\n", (int)(of->text - of->last), of->last, text, of->end, help);
}

void complete_offer_choices(struct complete_value *value, const char *const *choices)
{
	for (; choices && *choices; choices++)
		complete_offer(*choices, "", value);
}

void complete_ask_for(const struct complete_value *value, const char *what)
{
	printf(":%s\t%.*s\n", what, (int)(value->text - value->last), value->last);
}

static void offer_value(const struct line *line, struct complete_value *value)
{
	const struct tool_option *const row = line->row;
	const char *const comma = row->completion == TOOL_COMPLETE_LIST ? strrchr(value->text, ',') : NULL;
	const bool is_module = row->completion == TOOL_COMPLETE_MODULE && !strchr(value->text, '/');
	value->text = comma ? comma + 1 : value->text;
	if (row->completion == TOOL_COMPLETE_CHOICES || row->completion == TOOL_COMPLETE_LIST)
		complete_offer_choices(value, row->choices);
	else if (is_module || row->completion == TOOL_COMPLETE_MODULE_OPTIONS)
		line->program->offer_modules(value, row);
	else
		complete_ask_for(value, row->completion == TOOL_COMPLETE_PROCESS  ? "process"
					: row->completion == TOOL_COMPLETE_FOLDER ? "directory"
										  : "file");
}

static void offer_options(const struct line *line)
{
	const struct complete_program *const program = line->program;
	for (const struct tool_option *row = program->option; row < program->option + program->count; row++) {
		if (row->takes == TOOL_REMOVED || (line->uses && !(row->uses & line->uses)))
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
	struct line line = {program, word + 1, words - 2, .value = {.last = last, .text = last, .end = ""}, .separator = ":"};
	read_line(&line);
	if (line.row)
		offer_value(&line, &line.value);
	else if (line.command && program->words >= COMPLETE_COMMAND)
		printf(":command\t%d\n", line.command);
	else if (!line.command && (*last == '-' || (program->words == COMPLETE_NONE && !*last)))
		offer_options(&line);
	else if (program->words == COMPLETE_FILES)
		complete_ask_for(&line.value, "file");
	return true;
}
