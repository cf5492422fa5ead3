/* SPDX-License-Identifier: MIT */
#include "base/tool_options.h"

#include <inttypes.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"

/* ---- Finding options -------------------------------------------------------------------------------------------------- */

static int refuse(struct tool_options *options, enum tool_options_fault fault, const struct tool_option *row)
{
	options->fault = fault;
	options->faulty = row;
	return TOOL_OPTIONS_ERROR;
}

/* The value of an option that takes one is the rest of its word, if there is any (else NULL), or the next word. */
static int with_value(struct tool_options *options, const struct tool_option *row, const char *rest)
{
	if (rest)
		options->value = rest;
	else if (options->stop < options->words)
		options->value = options->word[options->stop++];
	else
		return refuse(options, TOOL_OPTIONS_LACKS_VALUE, row);
	return (int)(row - options->option);
}

static int scan_letter(struct tool_options *options)
{
	const struct tool_option *row = NULL;
	const char *const rest = options->letters + 1;
	options->letter = (unsigned char)*options->letters;
	options->letters = *rest ? rest : NULL;
	for (size_t i = 0; i < options->count && !row; i++)
		if (options->option[i].letter == options->letter)
			row = &options->option[i];
	if (!row)
		return refuse(options, TOOL_OPTIONS_UNKNOWN, NULL);
	if (!row->argument)
		return (int)(row - options->option);
	options->letters = NULL;
	return with_value(options, row, *rest ? rest : NULL);
}

static int scan_name(struct tool_options *options, const char *name)
{
	const struct tool_option *row = NULL;
	const size_t length = strcspn(name, "=");
	const char *const value = name[length] ? name + length + 1 : NULL;
	options->letter = 0;
	for (size_t i = 0; i < options->count && !row; i++)
		if (strlen(options->option[i].name) == length && memcmp(options->option[i].name, name, length) == 0)
			row = &options->option[i];
	if (!row)
		return refuse(options, TOOL_OPTIONS_UNKNOWN, NULL);
	if (row->argument)
		return with_value(options, row, value);
	return value ? refuse(options, TOOL_OPTIONS_TAKES_NO_VALUE, row) : (int)(row - options->option);
}

int tool_options_scan(struct tool_options *options, int ends_at_word)
{
	options->value = NULL;
	if (options->letters)
		return scan_letter(options);
	if (options->stop == 0)
		options->stop = 1;
	if (options->stop >= options->words)
		return TOOL_OPTIONS_END;
	const char *const word = options->word[options->stop];
	const bool is_option = word[0] == '-' && word[1];
	if (!is_option && ends_at_word)
		return TOOL_OPTIONS_END;
	options->stop++;
	if (!is_option) {
		options->value = word;
		return TOOL_OPTIONS_WORD;
	}
	options->ends_by_dashes = strcmp(word, "--") == 0;
	if (options->ends_by_dashes)
		return TOOL_OPTIONS_END;
	options->where = word;
	if (word[1] == '-')
		return scan_name(options, word + 2);
	options->letters = word + 1;
	return scan_letter(options);
}

int tool_options_next(struct tool_options *options, int ends_at_word)
{
	const int found = tool_options_scan(options, ends_at_word);
	if (found != TOOL_OPTIONS_ERROR)
		return found;
	const struct tool_option *const row = options->faulty;
	if (options->fault == TOOL_OPTIONS_LACKS_VALUE)
		diag("--%s: its %s is missing", row->name, row->argument);
	else if (options->fault == TOOL_OPTIONS_TAKES_NO_VALUE)
		diag("--%s: takes no value", row->name);
	else if (options->letter)
		diag("unknown option '-%c' (see %s --help)", options->letter, options->program);
	else
		diag("unknown option '%.*s' (see %s --help)", (int)strcspn(options->where, "="), options->where,
			options->program);
	return TOOL_OPTIONS_ERROR;
}

/* ---- Their values ----------------------------------------------------------------------------------------------------- */

/* The number that an option takes, or -1. */
static int parse_number(const struct tool_option *option, const char *text, int64_t *number)
{
	const int result = option->takes == TOOL_TIME ? units_parse_time(text, strlen(text), number, NULL)
						      : units_parse_int(text, strlen(text), number, NULL);
	return result == 0 && *number >= option->least && *number <= option->most ? 0 : -1;
}

static int find_choice(const struct tool_option *option, const char *text)
{
	for (int i = 0; option->choices[i]; i++)
		if (strcmp(option->choices[i], text) == 0)
			return i;
	return -1;
}

int tool_options_store(const struct tool_option *option, void *settings, const char *text)
{
	void *const member = (char *)settings + option->offset;
	int64_t number;
	int choice;
	switch (option->takes) {
	case TOOL_NOTHING:
	case TOOL_VALUE:
	case TOOL_CALL:
		return 0;
	case TOOL_FLAG:
		*(bool *)member = true;
		return 0;
	case TOOL_CONSTANT:
		*(int *)member = (int)option->least;
		return 0;
	case TOOL_INT:
	case TOOL_TIME:
		if (parse_number(option, text, &number) != 0)
			return -1;
		*(int64_t *)member = number;
		return 0;
	case TOOL_COUNT:
		if (parse_number(option, text, &number) != 0)
			return -1;
		*(unsigned *)member = (unsigned)number;
		return 0;
	case TOOL_TEXT:
	case TOOL_ANY_TEXT:
		if (!*text && option->takes == TOOL_TEXT)
			return -1;
		*(const char **)member = text;
		return 0;
	case TOOL_CHOICE:
		choice = find_choice(option, text);
		if (choice < 0)
			return -1;
		*(int *)member = choice;
		return 0;
	}
	return -1;
}

static void refuse_choice(const struct tool_option *option, const char *source, const char *text)
{
	char names[256] = "";
	size_t used = 0;
	for (int i = 0; option->choices[i]; i++) {
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", option->choices[i]);
		if (used >= sizeof names)
			used = sizeof names - 1;
	}
	diag("%s: found '%s', expected one of %s", source, text, names);
}

int tool_options_set(const struct tool_option *option, void *settings, const char *source, const char *text)
{
	char least[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];
	if (option->takes == TOOL_CALL)
		return option->call(settings, text);
	if (tool_options_store(option, settings, text) == 0)
		return 0;
	if (option->takes == TOOL_CHOICE)
		refuse_choice(option, source, text);
	else if (option->takes == TOOL_TIME)
		diag("%s: found '%s', expected " UNITS_TIME_EXPECTED ", from %s to %s", source, text,
			units_print_time(option->least, least), units_print_time(option->most, most));
	else if (option->takes == TOOL_TEXT)
		diag("%s: found '', expected %s", source, option->argument);
	else
		diag("%s: found '%s', expected a whole number from %" PRId64 " to %" PRId64, source, text, option->least,
			option->most);
	return -1;
}

int tool_options_take(const struct tool_options *options, int found, void *settings)
{
	const struct tool_option *const row = &options->option[found];
	char source[64];
	snprintf(source, sizeof source, "--%s", row->name);
	return tool_options_set(row, settings, source, options->value);
}

/* ---- Help ------------------------------------------------------------------------------------------------------------- */

void tool_options_help(const struct tool_option *option, size_t count, unsigned mask, FILE *to)
{
	size_t width = 0;
	for (size_t i = 0; i < count; i++) {
		const size_t length = strlen(option[i].name) + (option[i].argument ? strlen(option[i].argument) + 1 : 0);
		if (length > width)
			width = length;
	}
	tool_options_help_at(option, count, mask, (int)(strlen("  -x, --") + width + 2), ' ', to);
}

void tool_options_help_at(const struct tool_option *option, size_t count, unsigned mask, int column, char joint, FILE *to)
{
	for (size_t i = 0; i < count; i++) {
		const struct tool_option *const row = &option[i];
		if (mask && !(row->uses & mask))
			continue;
		int used =
			row->letter ? fprintf(to, "  -%c, --%s", row->letter, row->name) : fprintf(to, "      --%s", row->name);
		if (row->argument)
			used += fprintf(to, "%c%s", joint, row->argument);
		fprintf(to, "%*s%s\n", used < column ? column - used : 1, "", row->help);
	}
}
