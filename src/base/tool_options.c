/* SPDX-License-Identifier: MIT */
#include "base/tool_options.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"

/* ---- Finding options -------------------------------------------------------------------------------------------------- */

/* What getopt_long answers for the row at that place. */
#define CODE(place) (UCHAR_MAX + 1 + (int)(place))

static void make_table(const struct tool_options *options, int ends_at_word, struct option *table, char *letters)
{
	*letters++ = ends_at_word ? '+' : '-';
	*letters++ = ':';
	for (size_t i = 0; i < options->count; i++) {
		const struct tool_option *const row = &options->option[i];
		table[i] = (struct option){row->name, row->argument ? required_argument : no_argument, NULL, CODE(i)};
		if (row->letter) {
			*letters++ = (char)row->letter;
			if (row->argument)
				*letters++ = ':';
		}
	}
	table[options->count] = (struct option){0};
	*letters = '\0';
}

static const struct tool_option *find(const struct tool_options *options, int code)
{
	for (size_t i = 0; code != 0 && i < options->count; i++)
		if (code == options->option[i].letter || code == CODE(i))
			return &options->option[i];
	return NULL;
}

static int refuse(struct tool_options *options, enum tool_options_fault fault, const struct tool_option *row)
{
	options->fault = fault;
	options->faulty = row;
	return TOOL_OPTIONS_ERROR;
}

/* What getopt_long found in the word `where`. */
static int judge(struct tool_options *options, int found)
{
	const bool is_error = found == '?' || found == ':';
	const bool is_long = strncmp(options->where, "--", 2) == 0;
	const struct tool_option *const row = find(options, is_error ? optopt : found);
	options->letter = is_long ? 0 : (unsigned char)(row ? row->letter : optopt);
	if (!row || (is_long && strlen(row->name) != strcspn(options->where + 2, "=")))
		return refuse(options, TOOL_OPTIONS_UNKNOWN, NULL);
	if (is_error)
		return refuse(options, found == ':' ? TOOL_OPTIONS_LACKS_VALUE : TOOL_OPTIONS_TAKES_NO_VALUE, row);
	return (int)(row - options->option);
}

int tool_options_scan(struct tool_options *options, int ends_at_word)
{
	struct option table[TOOL_OPTIONS_MAX + 1];
	char letters[2 * TOOL_OPTIONS_MAX + 3];
	make_table(options, ends_at_word, table, letters);
	/* getopt_long passes over one word, which would be the program's name, and begins anew when optind is 0. */
	if (!options->begun) {
		options->begun = true;
		options->before = options->stop > 0 ? options->stop - 1 : 0;
		optind = 0;
	}
	char **const words = options->word + options->before;
	const int count = options->words - options->before;
	const int next = optind > 0 ? optind : 1;
	opterr = 0;
	options->where = next < count ? words[next] : "";
	const int found = getopt_long(count, words, letters, table, NULL);
	options->value = optarg;
	options->stop = options->before + optind;
	if (found == 1)
		return TOOL_OPTIONS_WORD;
	if (found != -1)
		return judge(options, found);
	options->ends_by_dashes = optind > next && strcmp(words[optind - 1], "--") == 0;
	return TOOL_OPTIONS_END;
}

int tool_options_next(struct tool_options *options, int ends_at_word)
{
	const int found = tool_options_scan(options, ends_at_word);
	if (found != TOOL_OPTIONS_ERROR)
		return found;
	const struct tool_option *const row = options->faulty;
	char name[TOOL_OPTIONS_NAME_MAX];
	if (options->fault == TOOL_OPTIONS_LACKS_VALUE)
		diag("%s: its %s is missing", tool_options_name(options, row, name), row->argument);
	else if (options->fault == TOOL_OPTIONS_TAKES_NO_VALUE)
		diag("--%s: takes no value", row->name);
	else if (options->letter)
		diag("unknown option '-%c' (see %s --help)", options->letter, options->program);
	else
		diag("unknown option '%.*s' (see %s --help)", (int)strcspn(options->where, "="), options->where,
			options->program);
	return TOOL_OPTIONS_ERROR;
}

const char *tool_options_name(const struct tool_options *options, const struct tool_option *row, char text[TOOL_OPTIONS_NAME_MAX])
{
	if (options->letter)
		snprintf(text, TOOL_OPTIONS_NAME_MAX, "-%c", options->letter);
	else
		snprintf(text, TOOL_OPTIONS_NAME_MAX, "--%s", row->name);
	return text;
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
		return option->call(settings, source, text);
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
	char source[TOOL_OPTIONS_NAME_MAX];
	return tool_options_set(row, settings, tool_options_name(options, row, source), options->value);
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
