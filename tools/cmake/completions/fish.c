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
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
	fputc('\'', to);
}

static void put_list(const char *name, const struct tables_list *list, FILE *to)
{
	fprintf(to, "set -g __showstopper_%s", name);
	for (size_t i = 0; i < list->count; i++) {
		fputs(" \\\n    ", to);
		put_word(list->text[i], to);
	}
	fputc('\n', to);
}

/* What is asked for the candidates: evaluated by fish, so the choices become words. */
static void put_value(const struct program *program, const char *value, FILE *to)
{
	if (strcmp(value, "any") == 0) {
		fputs(" -x", to);
	} else if (strcmp(value, "file") == 0) {
		fputs(" -rF", to);
	} else if (*value) {
		fprintf(to, " -xa '(__showstopper_value %s ", program->name);
		for (; *value; value++)
			fputc(*value == '|' ? ' ' : *value, to);
		fputs(")'", to);
	}
}

/* `-t module trace` and the same with the long name, of those that take a value. */
static int put_takes(const struct program *program, FILE *to)
{
	fprintf(to, "set -g __showstopper_takes_%s", program->name);
	for (size_t i = 0; i < program->count; i++) {
		const struct tool_option *const option = &program->option[i];
		char value[TABLES_TEXT_MAX];
		if (tables_value(option, value) != 0)
			return -1;
		if (!*value)
			continue;
		fputs(" \\\n    ", to);
		if (option->letter)
			fprintf(to, "'-%c %s' ", option->letter, value);
		fprintf(to, "'--%s %s'", option->name, value);
	}
	fputc('\n', to);
	return 0;
}

static int put_option(const struct program *program, const struct tool_option *option, FILE *to)
{
	char places[TABLES_TEXT_MAX], value[TABLES_TEXT_MAX];
	if (tables_value(option, value) != 0)
		return -1;
	tables_places(program, option, places);
	fprintf(to, "complete -c %s -n '__showstopper_at %s%s%s'", program->name, program->name, *places ? " " : "", places);
	if (option->letter)
		fprintf(to, " -s %c", option->letter);
	fprintf(to, " -l %s", option->name);
	put_value(program, value, to);
	fputs(" -d ", to);
	put_word(option->help, to);
	fputc('\n', to);
	return 0;
}

static void put_words(const struct program *program, FILE *to)
{
	const char *const name = program->name;
	switch (program->words) {
	case WORDS_FILE:
		return;
	case WORDS_NONE:
		fprintf(to, "complete -c %s -f\n", name);
		return;
	case WORDS_COMMAND:
	case WORDS_GROUPS:
		fprintf(to, "complete -c %s -n '__showstopper_at %s first later command' -fa '(__showstopper_command %s)'\n",
			name, name, name);
		return;
	case WORDS_DASHES:
		fprintf(to, "complete -c %s -n '__showstopper_at %s first words' -f\n", name, name);
		fprintf(to, "complete -c %s -n '__showstopper_at %s command' -fa '(__showstopper_command %s)'\n", name, name,
			name);
		return;
	case WORDS_SUBCOMMAND:
		for (size_t i = 0; i < program->places; i++) {
			fprintf(to, "complete -c %s -n '__showstopper_at %s first' -fa %s -d ", name, name,
				program->place[i].name);
			put_word(program->place[i].help, to);
			fputc('\n', to);
		}
		return;
	}
}

int shells_write_fish(const struct program *program, const struct tables_modules *modules, FILE *to)
{
	fprintf(to, "set -g __showstopper_kind_%s %s\n", program->name, tables_words_name(program->words));
	if (put_takes(program, to) != 0)
		return -1;
	if (modules->module.count) {
		put_list("usual_modules", &modules->usual, to);
		put_list("known_modules", &modules->module, to);
		put_list("known_options", &modules->options, to);
	}
	for (size_t i = 0; i < program->count; i++)
		if (put_option(program, &program->option[i], to) != 0)
			return -1;
	put_words(program, to);
	return 0;
}
