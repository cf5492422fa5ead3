/* SPDX-License-Identifier: MIT */
/*
 * The text is cut into pieces once, unescaped, and each piece is matched with a row of the table. Values are parsed by one
 * function for what the user gave, for defaults and for bounds, so that all three speak the same notation.
 */
#include "module/option.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/units.h"

union value {
	int64_t integer;       /* TIME, INT, CHOICE, FLAG */
	double real;           /* LOAD, REAL */
	char *text;            /* TEXT, FILE: as given, not owned */
	struct sst_cpus *cpus; /* owned by whoever parsed it */
};

static const char *type_name(enum sst_type type)
{
	static const char *const names[] = {
		[SST_TIME] = "TIME",
		[SST_LOAD] = "LOAD",
		[SST_REAL] = "NUMBER",
		[SST_INT] = "INTEGER",
		[SST_FLAG] = "yes|no",
		[SST_TEXT] = "TEXT",
		[SST_FILE] = "FILE",
		[SST_CPUS] = "CPUS",
	};
	return names[type];
}

static bool is_text(const struct sst_option *option)
{
	return option->type == SST_TEXT || option->type == SST_FILE;
}

static size_t table_length(const struct sst_option *table)
{
	size_t count = 0;
	while (table && table[count].name)
		count++;
	return count;
}

static int parse_value(const struct sst_option *option, const char *text, union value *value)
{
	const size_t length = strlen(text);
	switch (option->type) {
	case SST_TIME:
		return units_parse_time(text, length, &value->integer, NULL);
	case SST_LOAD:
		return units_parse_load(text, length, &value->real, NULL);
	case SST_REAL:
		return units_parse_real(text, length, &value->real, NULL);
	case SST_INT:
		return units_parse_int(text, length, &value->integer, NULL);
	case SST_FLAG:
		value->integer = strcmp(text, "yes") == 0;
		if (value->integer || strcmp(text, "no") == 0)
			return 0;
		break;
	case SST_TEXT:
	case SST_FILE:
		value->text = (char *)text;
		if (length)
			return 0;
		break;
	case SST_CHOICE:
		for (value->integer = 0; option->choices[value->integer]; value->integer++)
			if (strcmp(text, option->choices[value->integer]) == 0)
				return 0;
		break;
	case SST_CPUS:
		if (!option->choices || strcmp(text, option->choices[0]) != 0)
			return cpus_parse(text, length, &value->cpus, NULL);
		value->cpus = cpus_make(NULL, 0);
		return value->cpus ? 0 : -1;
	}
	errno = EINVAL;
	return -1;
}

/* -1, 0, 1 as a is below, equal to or above b; only for types that have bounds. */
static int compare(enum sst_type type, const union value *a, const union value *b)
{
	if (type == SST_LOAD || type == SST_REAL)
		return (a->real > b->real) - (a->real < b->real);
	return (a->integer > b->integer) - (a->integer < b->integer);
}

static bool in_bounds(const struct sst_option *option, const union value *value)
{
	union value bound;
	if (option->least && parse_value(option, option->least, &bound) == 0 && compare(option->type, value, &bound) < 0)
		return false;
	return !option->most || parse_value(option, option->most, &bound) != 0 || compare(option->type, value, &bound) <= 0;
}

/* A value of the table. Tables may say `m`, which readers take for minutes. */
static void print_given(const struct sst_option *option, const char *before, const char *given, FILE *to)
{
	union value value;
	char text[UNITS_TEXT_MAX];
	const bool unclear = option->type == SST_TIME && parse_value(option, given, &value) == 0 && value.integer;
	fprintf(to, "%s%s", before, unclear ? units_print_time(value.integer, text) : given);
}

static void print_bounds(const struct sst_option *option, char separator, FILE *to)
{
	if (!option->least && !option->most)
		return;
	fputc(separator, to);
	if (option->least)
		print_given(option, option->most ? " from " : " at least ", option->least, to);
	if (option->most)
		print_given(option, option->least ? " to " : " at most ", option->most, to);
}

/* What the option accepts, in words, without its bounds. */
static void print_type(const struct sst_option *option, FILE *to)
{
	switch (option->type) {
	case SST_TIME:
		fputs(UNITS_TIME_EXPECTED, to);
		break;
	case SST_LOAD:
		fputs(UNITS_LOAD_EXPECTED, to);
		break;
	case SST_REAL:
		fputs("a number", to);
		break;
	case SST_INT:
		fputs("a whole number", to);
		break;
	case SST_FLAG:
		fputs("yes or no", to);
		break;
	case SST_TEXT:
		fputs("a text that is not empty", to);
		break;
	case SST_FILE:
		fputs("the name of a file", to);
		break;
	case SST_CPUS:
		fputs(CPUS_EXPECTED, to);
		if (option->choices)
			fprintf(to, ", or %s", option->choices[0]);
		break;
	case SST_CHOICE:
		for (size_t i = 0; option->choices[i]; i++)
			fprintf(to, "%s%s", i == 0 ? "" : option->choices[i + 1] ? ", " : " or ", option->choices[i]);
		break;
	}
}

/* The same with them. */
static void print_expected(const struct sst_option *option, FILE *to)
{
	print_type(option, to);
	print_bounds(option, ',', to);
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

static union value unset(enum sst_type type)
{
	switch (type) {
	case SST_TIME:
	case SST_INT:
		return (union value){.integer = SST_UNSET};
	case SST_LOAD:
	case SST_REAL:
		return (union value){.real = NAN};
	case SST_CHOICE:
		return (union value){.integer = -1};
	case SST_TEXT:
	case SST_FILE:
		return (union value){.text = NULL};
	case SST_CPUS:
		return (union value){.cpus = NULL};
	case SST_FLAG:
		break;
	}
	return (union value){.integer = false};
}

/* Writes a value to its member of the state; texts and lists must stay where they are. */
static void put(const struct sst_option *option, void *state, const union value *value)
{
	char *const at = (char *)state + option->offset;
	switch (option->type) {
	case SST_TIME:
	case SST_INT:
		*(int64_t *)(void *)at = value->integer;
		break;
	case SST_LOAD:
	case SST_REAL:
		*(double *)(void *)at = value->real;
		break;
	case SST_FLAG:
		*(bool *)(void *)at = value->integer != 0;
		break;
	case SST_CHOICE:
		*(int *)(void *)at = (int)value->integer;
		break;
	case SST_TEXT:
	case SST_FILE:
		*(const char **)(void *)at = value->text;
		break;
	case SST_CPUS:
		*(const struct sst_cpus **)(void *)at = value->cpus;
		break;
	}
}

static int store(const struct sst_option *option, void *state, union value value, struct option_memory *memory)
{
	if (is_text(option)) {
		value.text = strdup(value.text);
		if (keep(memory, value.text) != 0)
			return -1;
	} else if (option->type == SST_CPUS && keep(memory, value.cpus) != 0) {
		return -1;
	}
	put(option, state, &value);
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

static int refuse_value(const struct sst_option *option, const char *text, int reason, char *error)
{
	FILE *to = error_stream(error);
	if (to) {
		fprintf(to, "option '%s': '%.120s' is %s: expected ", option->name, text,
			reason == ERANGE ? "out of range" : "malformed");
		print_expected(option, to);
		if (option->type == SST_LOAD && units_lacks_percent(text))
			fprintf(to, "; %.120s per cent is %.120s%%", text, text);
		fclose(to);
	}
	return -1;
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
	union value value;
	if (parse_value(option, text, &value) != 0) {
		if (errno == ENOMEM) {
			snprintf(error, OPTION_ERROR_MAX, "%s", strerror(errno));
			return -1;
		}
		return refuse_value(option, text, errno, error);
	}
	if (option->type != SST_CPUS && !is_text(option) && !in_bounds(option, &value))
		return refuse_value(option, text, ERANGE, error);
	if (store(option, state, value, memory) != 0) {
		snprintf(error, OPTION_ERROR_MAX, "option '%s': %s", option->name, strerror(errno));
		return -1;
	}
	return 0;
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
		return refuse_value(option, "", EINVAL, error);
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
	for (size_t i = 0; i < count; i++) {
		const union value nothing = unset(table[i].type);
		put(&table[i], state, &nothing);
	}
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
				print_expected(&table[i], to);
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

static void print_text(const char *text, FILE *to)
{
	for (; *text; text++) {
		if (*text == ',' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
}

static bool is_unset(const struct sst_option *option, const char *at)
{
	switch (option->type) {
	case SST_TIME:
	case SST_INT:
		return *(const int64_t *)(const void *)at == SST_UNSET;
	case SST_LOAD:
	case SST_REAL:
		return isnan(*(const double *)(const void *)at);
	case SST_CHOICE:
		return *(const int *)(const void *)at < 0;
	case SST_TEXT:
	case SST_FILE:
	case SST_CPUS:
		return *(const void *const *)(const void *)at == NULL;
	case SST_FLAG:
		break;
	}
	return false;
}

static void print_cpus(const struct sst_option *option, const struct sst_cpus *cpus, FILE *to)
{
	if (cpus->count == 0 && option->choices)
		fputs(option->choices[0], to);
	else
		cpus_print(cpus, to);
}

const char *option_text(const struct sst_option *option, const void *state)
{
	return *(const char *const *)(const void *)((const char *)state + option->offset);
}

void option_print(const struct sst_option *table, const void *state, FILE *to)
{
	const char *between = "";
	for (size_t i = 0; i < table_length(table); i++) {
		const struct sst_option *option = &table[i];
		const char *at = (const char *)state + option->offset;
		char text[UNITS_TEXT_MAX];
		if (is_unset(option, at))
			continue;
		fprintf(to, "%s%s=", between, option->name);
		between = ",";
		switch (option->type) {
		case SST_TIME:
			fputs(units_print_time(*(const int64_t *)(const void *)at, text), to);
			break;
		case SST_INT:
			fprintf(to, "%lld", (long long)*(const int64_t *)(const void *)at);
			break;
		case SST_LOAD:
		case SST_REAL:
			fputs(units_print_real(*(const double *)(const void *)at, text), to);
			break;
		case SST_FLAG:
			fputs(*(const bool *)(const void *)at ? "yes" : "no", to);
			break;
		case SST_CHOICE:
			fputs(option->choices[*(const int *)(const void *)at], to);
			break;
		case SST_TEXT:
		case SST_FILE:
			print_text(option_text(option, state), to);
			break;
		case SST_CPUS:
			print_cpus(option, *(const struct sst_cpus *const *)(const void *)at, to);
			break;
		}
	}
}

void option_form(const struct sst_option *option, FILE *to)
{
	fprintf(to, "%s=", option->name);
	if (option->type != SST_CHOICE)
		fputs(type_name(option->type), to);
	if (option->type == SST_CPUS && option->choices)
		fprintf(to, "|%s", option->choices[0]);
	for (size_t c = 0; option->type == SST_CHOICE && option->choices[c]; c++)
		fprintf(to, "%s%s", c ? "|" : "", option->choices[c]);
}

void option_help(const struct sst_option *table, FILE *to)
{
	for (size_t i = 0; i < table_length(table); i++) {
		const struct sst_option *option = &table[i];
		fputs("  ", to);
		option_form(option, to);
		fprintf(to, "\n      %s", option->help);
		print_bounds(option, ';', to);
		if (option->initial)
			print_given(option, "; default ", option->initial, to);
		else if (option->required)
			fputs("; required", to);
		fputc('\n', to);
	}
}

static size_t type_size(enum sst_type type)
{
	switch (type) {
	case SST_TIME:
	case SST_INT:
		return sizeof(int64_t);
	case SST_LOAD:
	case SST_REAL:
		return sizeof(double);
	case SST_FLAG:
		return sizeof(bool);
	case SST_CHOICE:
		return sizeof(int);
	case SST_TEXT:
	case SST_FILE:
	case SST_CPUS:
		break;
	}
	return sizeof(void *);
}

static int complain(const struct sst_option *option, char *error, const char *format, ...) __attribute__((format(printf, 3, 4)));

static int complain(const struct sst_option *option, char *error, const char *format, ...)
{
	const int used = snprintf(error, OPTION_ERROR_MAX, "option '%.120s' ", option->name);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(error + used, OPTION_ERROR_MAX - (size_t)used, format, arguments);
	va_end(arguments);
	return -1;
}

/* A bound or the default, `what`; NULL is none. */
static int check_value(const struct sst_option *option, const char *what, const char *text, union value *value, char *error)
{
	if (!text || parse_value(option, text, value) == 0)
		return 0;
	FILE *to = error_stream(error);
	if (to) {
		fprintf(to, "option '%.120s' has the %s '%.120s': expected ", option->name, what, text);
		print_type(option, to);
		fclose(to);
	}
	return -1;
}

static int check_values(const struct sst_option *option, char *error)
{
	const bool has_order =
		option->type == SST_TIME || option->type == SST_LOAD || option->type == SST_REAL || option->type == SST_INT;
	union value least, most, initial;
	if ((option->least || option->most) && !has_order)
		return complain(option, error, "has bounds, and its type no order");
	if (check_value(option, "lower bound", option->least, &least, error) != 0 ||
		check_value(option, "upper bound", option->most, &most, error) != 0 ||
		check_value(option, "default", option->initial, &initial, error) != 0)
		return -1;
	if (option->least && option->most && compare(option->type, &least, &most) > 0)
		return complain(
			option, error, "has the lower bound '%.120s' above the upper one, '%.120s'", option->least, option->most);
	if (option->initial && option->type == SST_CPUS)
		free(initial.cpus);
	else if (option->initial && has_order && !in_bounds(option, &initial))
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
	if (option->offset > state_size || state_size - option->offset < type_size(option->type))
		return complain(option, error, "lies outside the state");
	if (option->offset % type_size(option->type) != 0) /* the size of each type is its alignment */
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
