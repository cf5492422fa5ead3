/* SPDX-License-Identifier: MIT */
#include "base/tool_options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
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

const char *tool_options_name(const struct tool_options *options, const struct tool_option *row, char text[TOOL_OPTIONS_NAME_MAX])
{
	if (options->letter)
		snprintf(text, TOOL_OPTIONS_NAME_MAX, "-%c", options->letter);
	else
		snprintf(text, TOOL_OPTIONS_NAME_MAX, "--%s", row->name);
	return text;
}

/* The only row whose long name begins as the word does, or NULL. */
static const struct tool_option *find_longer(const struct tool_options *options)
{
	const char *const word = options->where + 2;
	const struct tool_option *found = NULL;
	for (size_t i = 0; !options->letter && i < options->count; i++) {
		if (options->option[i].takes == TOOL_REMOVED || strncmp(options->option[i].name, word, strcspn(word, "=")) != 0)
			continue;
		if (found)
			return NULL;
		found = &options->option[i];
	}
	return found;
}

/* Letters that are missing, too many, others, or exchanged with a neighbour: how many of these lead from one name to another. */
static unsigned distance(const char *a, size_t length, const char *b)
{
	unsigned row[3][TOOL_OPTIONS_NAME_MAX + 1];
	const size_t columns = strlen(b);
	for (size_t i = 0; i <= length; i++)
		for (size_t k = 0; k <= columns; k++) {
			unsigned *const at = &row[i % 3][k];
			*at = i ? (unsigned)i : (unsigned)k;
			if (i == 0 || k == 0)
				continue;
			const unsigned other = a[i - 1] != b[k - 1];
			*at = row[(i + 2) % 3][k - 1] + other;
			if (row[(i + 2) % 3][k] < *at)
				*at = row[(i + 2) % 3][k] + 1;
			if (row[i % 3][k - 1] < *at)
				*at = row[i % 3][k - 1] + 1;
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] && row[(i + 1) % 3][k - 2] < *at)
				*at = row[(i + 1) % 3][k - 2] + 1;
		}
	return row[length % 3][columns];
}

/* The row whose long name is the nearest to the word, if that is near; else NULL. */
static const struct tool_option *find_near(const struct tool_options *options)
{
	const char *const word = options->where + 2;
	const size_t length = strcspn(word, "=");
	unsigned least = length < 6 ? 2 : 3;
	const struct tool_option *found = NULL;
	for (size_t i = 0; !options->letter && length < TOOL_OPTIONS_NAME_MAX && i < options->count; i++) {
		if (options->option[i].takes == TOOL_REMOVED)
			continue;
		const unsigned far = distance(word, length, options->option[i].name);
		if (far < least) {
			least = far;
			found = &options->option[i];
		}
	}
	return found;
}

static void say_wrong(const struct tool_options *options)
{
	const struct tool_option *const row = options->faulty;
	const struct tool_option *const longer = row ? NULL : find_longer(options);
	const struct tool_option *const near = row || longer ? NULL : find_near(options);
	const int length = (int)strcspn(options->where, "=");
	char name[TOOL_OPTIONS_NAME_MAX];
	if (row && options->fault == TOOL_OPTIONS_LACKS_VALUE)
		diag("%s: its %s is missing", tool_options_name(options, row, name), row->argument);
	else if (row)
		diag("--%s: takes no value", row->name);
	else if (options->letter)
		diag("unknown option '-%c' (see %s --help)", options->letter, options->program);
	else if (longer)
		diag("unknown option '%.*s': expected --%s in full", length, options->where, longer->name);
	else if (near)
		diag("unknown option '%.*s': did you mean --%s? (see %s --help)", length, options->where, near->name,
			options->program);
	else
		diag("unknown option '%.*s' (see %s --help)", length, options->where, options->program);
}

int tool_options_next(struct tool_options *options, int ends_at_word)
{
	const int found = tool_options_scan(options, ends_at_word);
	if (found == TOOL_OPTIONS_ERROR)
		say_wrong(options);
	return found;
}

/* Shorter ones of a run are rarely meant. */
#define UNDOUBTED_NS (100 * NS_PER_MS)

/* ---- Their values ----------------------------------------------------------------------------------------------------- */

/* As a row of a module's table; its bounds are in the two texts. */
static struct sst_option describe(
	const struct tool_option *row, char least[static UNITS_TEXT_MAX], char most[static UNITS_TEXT_MAX])
{
	const bool is_time = row->takes == TOOL_TIME;
	if (row->takes == TOOL_CHOICE)
		return (struct sst_option){.type = SST_CHOICE, .offset = row->offset, .choices = row->choices};
	if (is_time) {
		units_print_time(row->least, least);
		units_print_time(row->most, most);
	} else {
		snprintf(least, UNITS_TEXT_MAX, "%" PRId64, row->least);
		snprintf(most, UNITS_TEXT_MAX, "%" PRId64, row->most);
	}
	return (struct sst_option){.type = is_time ? SST_TIME : SST_INT, .offset = row->offset, .least = least, .most = most};
}

static int set_typed(const struct tool_option *row, void *settings, const char *source, const char *text)
{
	char error[OPTION_ERROR_MAX];
	char least[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];
	const struct sst_option option = describe(row, least, most);
	union option_value value;
	if (option_value_parse(&option, text, &value) != 0) {
		option_value_refuse(&option, source, text, errno, error);
		return diag_refuse("%s", error);
	}
	if (row->is_length && value.integer > 0 && value.integer < UNDOUBTED_NS && !strstr(text, "ms"))
		return diag_refuse("%s: '%s' is less than 100 ms: expected %.4gms where that is meant; a minute is 1min or 1M",
			source, text, (double)value.integer / NS_PER_MS);
	if (row->takes == TOOL_COUNT)
		*(unsigned *)(void *)((char *)settings + row->offset) = (unsigned)value.integer;
	else
		option_value_put(&option, settings, &value);
	return 0;
}

static int refuse_empty(const struct tool_option *row, const char *source)
{
	const char *const expected = row->completion == TOOL_COMPLETE_FILE     ? "the name of a file"
				     : row->completion == TOOL_COMPLETE_FOLDER ? "the name of a folder"
				     : row->completion == TOOL_COMPLETE_MODULE ? "the name of a module"
				     : strcmp(row->argument, "COMMAND") == 0   ? "a command for the shell"
									       : row->argument;
	return diag_refuse("%s: '' is malformed: expected %s", source, expected);
}

static int set_cpus(struct sst_cpus **cpus, const char *source, const char *text)
{
	size_t stop = 0;
	free(*cpus);
	*cpus = NULL;
	if (cpus_parse(text, strlen(text), cpus, &stop) == 0)
		return 0;
	return errno == ENOMEM ? diag_refuse("%s", strerror(errno))
			       : diag_refuse("%s: '%.80s' is not " CPUS_EXPECTED " (see character %zu)", source, text, stop + 1);
}

int tool_options_set(const struct tool_option *row, void *settings, const char *source, const char *text)
{
	void *const member = (char *)settings + row->offset;
	switch (row->takes) {
	case TOOL_FLAG:
		*(bool *)member = true;
		break;
	case TOOL_CONSTANT:
		*(int *)member = (int)row->least;
		break;
	case TOOL_TEXT:
		if (!*text)
			return refuse_empty(row, source);
		*(const char **)member = text;
		break;
	case TOOL_ANY_TEXT:
		*(const char **)member = text;
		break;
	case TOOL_CPUS:
		return set_cpus(member, source, text);
	case TOOL_INT:
	case TOOL_TIME:
	case TOOL_COUNT:
	case TOOL_CHOICE:
		return set_typed(row, settings, source, text);
	case TOOL_CALL:
		return row->call(settings, source, text);
	case TOOL_REMOVED:
		return diag_refuse("%s has been removed: %s", source, row->help);
	case TOOL_NOTHING:
	case TOOL_VALUE:
		break;
	}
	return 0;
}

int tool_options_take(const struct tool_options *options, int found, void *settings)
{
	const struct tool_option *const row = &options->option[found];
	char source[TOOL_OPTIONS_NAME_MAX];
	return tool_options_set(row, settings, tool_options_name(options, row, source), options->value);
}

/* ---- Help ------------------------------------------------------------------------------------------------------------- */

/* What stands in the settings that nobody has changed; what the option doesn't take is no default. */
static void print_default(const struct tool_option *row, const void *settings, FILE *to)
{
	const void *const at = (const char *)settings + row->offset;
	char least[UNITS_TEXT_MAX], most[UNITS_TEXT_MAX];
	const struct sst_option option = describe(row, least, most);
	int choices = 0;
	while (row->choices && row->choices[choices])
		choices++;
	const bool is_number = row->takes == TOOL_INT || row->takes == TOOL_TIME;
	if (row->takes == TOOL_TEXT && *(const char *const *)at && **(const char *const *)at)
		fprintf(to, " (default %s)", *(const char *const *)at);
	else if (is_number ? *(const int64_t *)at >= row->least && *(const int64_t *)at <= row->most
			   : row->takes == TOOL_CHOICE && *(const int *)at < choices)
		fputs(option_value_print(&option, settings, " (default ", "", to) ? ")" : "", to);
}

void tool_options_help_row(const struct tool_option *row, const void *defaults, int column, char joint, FILE *to)
{
	int used = row->letter ? fprintf(to, "  -%c, --%s", row->letter, row->name) : fprintf(to, "      --%s", row->name);
	if (row->argument)
		used += fprintf(to, "%c%s", joint, row->argument);
	fprintf(to, "%*s%s", used < column ? column - used : 1, "", row->help);
	print_default(row, defaults, to);
	fputc('\n', to);
}

void tool_options_help(const struct tool_option *option, size_t count, const void *defaults, FILE *to)
{
	size_t width = 0;
	for (size_t i = 0; i < count; i++) {
		const size_t length = strlen(option[i].name) + (option[i].argument ? strlen(option[i].argument) + 1 : 0);
		if (length > width)
			width = length;
	}
	for (size_t i = 0; i < count; i++)
		if (option[i].takes != TOOL_REMOVED)
			tool_options_help_row(&option[i], defaults, (int)(strlen("  -x, --") + width + 2), ' ', to);
}
