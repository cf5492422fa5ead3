/* SPDX-License-Identifier: MIT */
#include "base/tool_options.h"

#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/diag.h"
#include "base/units.h"

/* Long options answer with their place behind all letters. */
#define LONG_CODE(place) (UCHAR_MAX + 1 + (int)(place))

static void make_table(const struct tool_options *options, int ends_at_word, struct option *table, char *letters)
{
	*letters++ = ends_at_word ? '+' : '-';
	*letters++ = ':';
	for (size_t i = 0; i < options->count; i++) {
		const struct tool_option *const row = &options->option[i];
		table[i] = (struct option){row->name, row->argument ? required_argument : no_argument, NULL, LONG_CODE(i)};
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
		if (code == options->option[i].letter || code == LONG_CODE(i))
			return &options->option[i];
	return NULL;
}

int tool_options_next(struct tool_options *options, int ends_at_word)
{
	struct option table[TOOL_OPTIONS_MAX + 1];
	char letters[2 * TOOL_OPTIONS_MAX + 3];
	make_table(options, ends_at_word, table, letters);
	const int next = optind > 0 ? optind : 1; /* 0 makes getopt_long begin anew */
	const char *const word = next < options->words ? options->word[next] : "";
	const int found = getopt_long(options->words, options->word, letters, table, NULL);
	options->value = optarg;
	if (found == -1) {
		options->stop = optind;
		return TOOL_OPTIONS_END;
	}
	if (found == 1)
		return TOOL_OPTIONS_WORD;
	const struct tool_option *const row = find(options, found == '?' || found == ':' ? optopt : found);
	const bool is_long = strncmp(word, "--", 2) == 0;
	if (is_long && (!row || strlen(row->name) != strcspn(word + 2, "="))) {
		diag("unknown option '%.*s' (see %s --help)", (int)strcspn(word, "="), word, options->program);
		return TOOL_OPTIONS_ERROR;
	}
	if (!row) {
		diag("unknown option '-%c' (see %s --help)", optopt, options->program);
		return TOOL_OPTIONS_ERROR;
	}
	if (found == ':') {
		diag("--%s: its %s is missing", row->name, row->argument);
		return TOOL_OPTIONS_ERROR;
	}
	if (found == '?') {
		diag("--%s: takes no value", row->name);
		return TOOL_OPTIONS_ERROR;
	}
	return (int)(row - options->option);
}

static int set_choice(const struct tool_option *option, int *member, const char *source, const char *text)
{
	char names[256] = "";
	size_t used = 0;
	for (int i = 0; option->choices[i]; i++) {
		if (strcmp(option->choices[i], text) == 0) {
			*member = i;
			return 0;
		}
		used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", option->choices[i]);
		if (used >= sizeof names)
			used = sizeof names - 1;
	}
	diag("%s: found '%s', expected one of %s", source, text, names);
	return -1;
}

int tool_options_set(const struct tool_option *option, void *settings, const char *source, const char *text)
{
	void *const member = (char *)settings + option->offset;
	char least[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];
	int64_t value;
	switch (option->takes) {
	case TOOL_NOTHING:
	case TOOL_VALUE:
		return 0;
	case TOOL_FLAG:
		*(bool *)member = true;
		return 0;
	case TOOL_INT:
		if (units_parse_int(text, strlen(text), &value, NULL) == 0 && value >= option->least && value <= option->most) {
			*(int64_t *)member = value;
			return 0;
		}
		diag("%s: found '%s', expected a whole number from %" PRId64 " to %" PRId64, source, text, option->least,
			option->most);
		return -1;
	case TOOL_TIME:
		if (units_parse_time(text, strlen(text), &value, NULL) == 0 && value >= option->least && value <= option->most) {
			*(int64_t *)member = value;
			return 0;
		}
		diag("%s: found '%s', expected " UNITS_TIME_EXPECTED ", from %s to %s", source, text,
			units_print_time(option->least, least), units_print_time(option->most, most));
		return -1;
	case TOOL_TEXT:
		if (*text) {
			*(const char **)member = text;
			return 0;
		}
		diag("%s: found '', expected %s", source, option->argument);
		return -1;
	case TOOL_CHOICE:
		return set_choice(option, member, source, text);
	}
	return -1;
}

void tool_options_help(const struct tool_option *option, size_t count, unsigned mask, FILE *to)
{
	size_t width = 0;
	for (size_t i = 0; i < count; i++) {
		const size_t length = strlen(option[i].name) + (option[i].argument ? strlen(option[i].argument) + 1 : 0);
		if (length > width)
			width = length;
	}
	for (size_t i = 0; i < count; i++) {
		const struct tool_option *const row = &option[i];
		if (mask && !(row->uses & mask))
			continue;
		if (row->letter)
			fprintf(to, "  -%c, ", row->letter);
		else
			fprintf(to, "      ");
		const int used = fprintf(to, "--%s%s%s", row->name, row->argument ? " " : "", row->argument ? row->argument : "");
		fprintf(to, "%*s  %s\n", (int)width + 2 - used, "", row->help);
	}
}
