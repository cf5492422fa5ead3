/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "shells.h"

/* As one word, whatever is in it. */
static void put_word(const char *text, FILE *to)
{
	if (tables_is_plain(text)) {
		fputs(text, to);
		return;
	}
	fputc('\'', to);
	for (; *text; text++)
		if (*text == '\'')
			fputs("'\\''", to);
		else
			fputc(*text, to);
	fputc('\'', to);
}

static void put_list(const char *name, const struct tables_list *list, FILE *to)
{
	fprintf(to, "\tlocal -a %s=(", name);
	for (size_t i = 0; i < list->count; i++) {
		fputs("\n\t\t", to);
		put_word(list->text[i], to);
	}
	fprintf(to, "%s)\n", list->count ? "\n\t" : "");
}

static int put_option(const struct program *program, const struct tool_option *option, FILE *to)
{
	char places[TABLES_TEXT_MAX], value[TABLES_TEXT_MAX];
	const char letter[2] = {(char)option->letter, '\0'};
	if (tables_value(option, value) != 0)
		return -1;
	tables_places(program, option, places);
	const char *const words[] = {places, letter, option->name, option->argument ? option->argument : "", value, option->help};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		fputs(i ? " " : "\t\t", to);
		put_word(words[i], to);
	}
	fputc('\n', to);
	return 0;
}

int shells_write_arrays(const struct program *program, const struct tables_modules *modules, FILE *to)
{
	fprintf(to, "\tlocal kind=%s\n", tables_words_name(program->words));
	fputs("\t# Of each option: the places where it is possible (none: everywhere), letter, name, argument, what completes "
	      "it, help.\n"
	      "\tlocal -a rows=(\n",
		to);
	for (size_t i = 0; i < program->count; i++)
		if (put_option(program, &program->option[i], to) != 0)
			return -1;
	fputs("\t)\n\t# Each a name, a blank and what it means.\n\tlocal -a subcommands=(", to);
	for (size_t i = 0; program->words == WORDS_SUBCOMMAND && i < program->places; i++) {
		fprintf(to, "\n\t\t%s' '", program->place[i].name);
		put_word(program->place[i].help, to);
	}
	fprintf(to, "%s)\n", program->words == WORDS_SUBCOMMAND ? "\n\t" : "");
	put_list("usual_modules", &modules->usual, to);
	put_list("known_modules", &modules->module, to);
	put_list("known_options", &modules->options, to);
	return 0;
}
