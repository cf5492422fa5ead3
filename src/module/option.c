/* SPDX-License-Identifier: MIT */
/* The text is cut into pieces once, unescaped, and each piece is matched with a row of the table. */
#include "module/option.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static size_t table_length(const struct sst_option *table)
{
	size_t count = 0;
	while (table && table[count].name)
		count++;
	return count;
}

static int keep(struct option_memory *memory, void *block)
{
	void **grown = block ? realloc(memory->block, (memory->count + 1) * sizeof *grown) : NULL;
	if (!grown) {
		free(block);
		errno = ENOMEM;
		return -1;
	}
	memory->block = grown;
	memory->block[memory->count++] = block;
	return 0;
}

static int store(const struct sst_option *option, void *state, union option_value value, struct option_memory *memory)
{
	const bool is_text = option->type == SST_TEXT || option->type == SST_FILE;
	if (is_text)
		value.block = strdup(value.block);
	if ((is_text || option->type == SST_CPUS) && keep(memory, value.block) != 0)
		return -1;
	option_value_put(option, state, &value);
	return 0;
}

/* A message in a caller's buffer, written through stdio so that its parts can be printed by the functions above. */
static FILE *error_stream(char *error)
{
	FILE *stream = fmemopen(error, OPTION_ERROR_MAX, "w");
	if (!stream)
		snprintf(error, OPTION_ERROR_MAX, "%s", strerror(errno));
	return stream;
}

static int refuse_name(const struct sst_option *table, const char *name, char *error)
{
	FILE *to = error_stream(error);
	if (to) {
		if (*name)
			fprintf(to, "unknown option '%.120s': ", name);
		else
			fputs("an option without a name: ", to);
		if (!table_length(table))
			fputs("there are no options", to);
		else
			fputs("expected one of", to);
		for (size_t i = 0; i < table_length(table); i++)
			fprintf(to, "%s %s", i ? "," : "", table[i].name);
		fclose(to);
	}
	return -1;
}

static int set(const struct sst_option *option, const char *text, void *state, struct option_memory *memory, char *error)
{
	union option_value value;
	char source[160];
	if (option_value_parse(option, text, &value) == 0 && store(option, state, value, memory) == 0)
		return 0;
	const int reason = errno;
	snprintf(source, sizeof source, "option '%s'", option->name);
	return option_value_refuse(option, source, text, reason, error);
}

static const struct sst_option *find(const struct sst_option *table, const char *name, size_t length)
{
	for (size_t i = 0; i < table_length(table); i++)
		if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0)
			return &table[i];
	return NULL;
}

/* One piece of the text, unescaped in place; `equals` is the offset of its first unescaped `=`, or -1. */
struct piece {
	char *text;
	ssize_t equals;
};

/* Cuts the next piece off *rest (NULL at the end). */
static struct piece cut(char **rest)
{
	struct piece piece = {.text = *rest, .equals = -1};
	char *out = *rest;
	char *in = *rest;
	for (; *in && *in != ','; in++) {
		if (*in == '\\' && in[1])
			in++;
		else if (*in == '=' && piece.equals < 0)
			piece.equals = out - piece.text;
		*out++ = *in;
	}
	*rest = *in ? in + 1 : NULL;
	*out = '\0';
	return piece;
}

/* Joins the pieces that go on with a CPU list to the one that begins it; they follow it in the same copy of the text. */
static void join_cpus(char *piece, char **rest)
{
	while (*rest && **rest >= '0' && **rest <= '9') {
		const struct piece next = cut(rest);
		char *end = piece + strlen(piece);
		*end++ = ',';
		memmove(end, next.text, strlen(next.text) + 1);
	}
}

static int parse_piece(const struct sst_option *table, struct piece piece, bool first, char **rest, bool *given, void *state,
	struct option_memory *memory, char *error)
{
	const struct sst_option *option;
	const char *value = piece.text;
	const size_t name_length = piece.equals >= 0 ? (size_t)piece.equals : strlen(piece.text);
	option = find(table, piece.text, name_length);
	if (piece.equals >= 0) {
		if (!option) {
			piece.text[piece.equals] = '\0';
			return refuse_name(table, piece.text, error);
		}
		value = piece.text + piece.equals + 1;
	} else if (option && option->type == SST_FLAG) {
		value = "yes";
	} else if (option && !first) {
		value = ""; /* which no type but a flag takes */
	} else if (first && table_length(table)) {
		option = &table[0];
	} else {
		return refuse_name(table, piece.text, error);
	}
	if (given[option - table]) {
		snprintf(error, OPTION_ERROR_MAX, "option '%s' is given twice", option->name);
		return -1;
	}
	given[option - table] = true;
	if (option->type == SST_CPUS)
		join_cpus(piece.text, rest);
	return set(option, value, state, memory, error);
}

int option_parse(const struct sst_option *table, const char *text, void *state, struct option_memory *memory,
	char error[static OPTION_ERROR_MAX])
{
	const size_t count = table_length(table);
	bool *given = calloc(count + 1, sizeof *given);
	char *copy = strdup(text ? text : "");
	int result = -1;
	if (!given || !copy) {
		snprintf(error, OPTION_ERROR_MAX, "%s", strerror(errno));
		goto out;
	}
	for (size_t i = 0; i < count; i++)
		option_value_clear(&table[i], state);
	char *rest = text ? copy : NULL;
	for (bool first = true; rest; first = false)
		if (parse_piece(table, cut(&rest), first, &rest, given, state, memory, error) != 0)
			goto out;
	for (size_t i = 0; i < count; i++) {
		if (given[i])
			continue;
		if (table[i].required) {
			FILE *to = error_stream(error);
			if (to) {
				fprintf(to, "option '%s' is missing: expected ", table[i].name);
				option_value_expected(&table[i], to);
				fclose(to);
			}
			goto out;
		}
		if (table[i].initial && set(&table[i], table[i].initial, state, memory, error) != 0)
			goto out;
	}
	result = 0;
out:
	free(copy);
	free(given);
	return result;
}

bool option_first_value(const char *text, char *value, size_t size)
{
	if (strlen(text) >= size)
		return false;
	char *rest = strcpy(value, text);
	return cut(&rest).equals < 0 && *value;
}

void option_free(struct option_memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		free(memory->block[i]);
	free(memory->block);
	*memory = (struct option_memory){0};
}

const char *option_text(const struct sst_option *option, const void *state)
{
	return *(const char *const *)(const void *)((const char *)state + option->offset);
}

const char *option_choice(const struct sst_option *table, const void *state, const char *name)
{
	for (size_t i = 0; i < table_length(table); i++) {
		const int chosen = table[i].type == SST_CHOICE && strcmp(table[i].name, name) == 0
					   ? *(const int *)(const void *)((const char *)state + table[i].offset)
					   : -1;
		if (chosen >= 0)
			return table[i].choices[chosen];
	}
	return NULL;
}

void option_print(const struct sst_option *table, const void *state, FILE *to)
{
	const char *between = "";
	char name[160];
	for (size_t i = 0; i < table_length(table); i++) {
		snprintf(name, sizeof name, "%s=", table[i].name);
		if (option_value_print(&table[i], state, between, name, to))
			between = ",";
	}
}

char *option_print_text(const struct sst_option *table, const void *state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *const to = open_memstream(&text, &size);
	if (!to)
		return NULL;
	option_print(table, state, to);
	fclose(to);
	return text;
}

void option_form(const struct sst_option *option, FILE *to)
{
	fprintf(to, "%s=", option->name);
	option_value_form(option, to);
}

void option_help(const struct sst_option *table, FILE *to)
{
	for (size_t i = 0; i < table_length(table); i++) {
		const struct sst_option *option = &table[i];
		fputs("  ", to);
		option_form(option, to);
		fprintf(to, "\n      %s", option->help);
		option_value_bounds(option, ';', to);
		if (option->initial)
			option_value_given(option, "; default ", option->initial, to);
		else if (option->required)
			fputs("; required", to);
		fputc('\n', to);
	}
}

static int __attribute__((format(printf, 3, 4))) complain(const struct sst_option *option, char *error, const char *format, ...)
{
	const int used = snprintf(error, OPTION_ERROR_MAX, "option '%.120s' ", option->name);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error + used, OPTION_ERROR_MAX - (size_t)used, format, arguments);
	va_end(arguments);
	return -1;
}

/* A bound or the default, `what`; NULL is none. */
static int check_value(
	const struct sst_option *option, const char *what, const char *text, union option_value *value, char *error)
{
	if (!text || option_value_parse_type(option, text, value) == 0)
		return 0;
	FILE *to = error_stream(error);
	if (to) {
		fprintf(to, "option '%.120s' has the %s '%.120s': expected ", option->name, what, text);
		const struct sst_option type = {.type = option->type, .choices = option->choices};
		option_value_expected(&type, to);
		fclose(to);
	}
	return -1;
}

static int check_values(const struct sst_option *option, char *error)
{
	const bool has_order = option_value_has_order(option->type);
	union option_value least, most, initial;
	if ((option->least || option->most) && !has_order)
		return complain(option, error, "has bounds, and its type no order");
	if (check_value(option, "lower bound", option->least, &least, error) != 0 ||
		check_value(option, "upper bound", option->most, &most, error) != 0 ||
		check_value(option, "default", option->initial, &initial, error) != 0)
		return -1;
	if (option->least && option->most && option_value_compare(option->type, &least, &most) > 0)
		return complain(
			option, error, "has the lower bound '%.120s' above the upper one, '%.120s'", option->least, option->most);
	if (option->initial && option->type == SST_CPUS)
		free(initial.block);
	else if (option->initial && option_value_parse(option, option->initial, &initial) != 0)
		return complain(option, error, "has the default '%.120s', out of its bounds", option->initial);
	return 0;
}

static int check_row(const struct sst_option *option, size_t state_size, char *error)
{
	if (!*option->name || strpbrk(option->name, "=,\\"))
		return complain(option, error, "has a malformed name");
	if ((unsigned)option->type > SST_FILE)
		return complain(option, error, "has an unknown type");
	if (!option->help || !*option->help)
		return complain(option, error, "has no help");
	if (option->offset > state_size || state_size - option->offset < option_value_size(option->type))
		return complain(option, error, "lies outside the state");
	if (option->offset % option_value_size(option->type) != 0) /* the size of each type is its alignment */
		return complain(option, error, "is not aligned");
	if ((option->type == SST_CHOICE && !option->choices) || (option->choices && !option->choices[0]))
		return complain(option, error, "has no choices");
	return check_values(option, error);
}

int option_check_table(const struct sst_option *table, size_t state_size, char error[static OPTION_ERROR_MAX])
{
	for (size_t i = 0; i < table_length(table); i++) {
		if (check_row(&table[i], state_size, error) != 0)
			return -1;
		if (find(table, table[i].name, strlen(table[i].name)) != &table[i])
			return complain(&table[i], error, "is there twice");
	}
	return 0;
}
