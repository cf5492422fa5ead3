/* SPDX-License-Identifier: MIT */
/* One function parses what the user gave, defaults and bounds, so that all three speak the same notation. */
#include "base/option_value.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cpus.h"
#include "base/units.h"

/* What a member is. */
enum storage { INTEGER, REAL, FLAG, INDEX, BLOCK };

static const struct {
	const char *name, *expected;
	enum storage storage;
} types[] = {
	[SST_TIME] = {"TIME", UNITS_TIME_EXPECTED, INTEGER},
	[SST_LOAD] = {"LOAD", UNITS_LOAD_EXPECTED, REAL},
	[SST_REAL] = {"NUMBER", "a number", REAL},
	[SST_INT] = {"INTEGER", "a whole number", INTEGER},
	[SST_FLAG] = {"yes|no", "yes or no", FLAG},
	[SST_TEXT] = {"TEXT", "a text that is not empty", BLOCK},
	[SST_CHOICE] = {NULL, NULL, INDEX},
	[SST_CPUS] = {"CPUS", CPUS_EXPECTED, BLOCK},
	[SST_FILE] = {"FILE", "the name of a file", BLOCK},
};

/* ---- Parsing ---------------------------------------------------------------------------------------------------------- */

int option_value_parse_type(const struct sst_option *option, const char *text, union option_value *value)
{
	const size_t length = strlen(text);
	struct sst_cpus *cpus = NULL;
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
		value->block = (char *)text;
		if (length)
			return 0;
		break;
	case SST_CHOICE:
		for (value->integer = 0; option->choices[value->integer]; value->integer++)
			if (strcmp(text, option->choices[value->integer]) == 0)
				return 0;
		break;
	case SST_CPUS:
		if (option->choices && strcmp(text, option->choices[0]) == 0)
			cpus = cpus_make(NULL, 0);
		else if (cpus_parse(text, length, &cpus, NULL) != 0)
			return -1;
		value->block = cpus;
		return cpus ? 0 : -1;
	}
	errno = EINVAL;
	return -1;
}

bool option_value_has_order(enum sst_type type)
{
	return types[type].storage == INTEGER || types[type].storage == REAL;
}

int option_value_compare(enum sst_type type, const union option_value *a, const union option_value *b)
{
	if (types[type].storage == REAL)
		return (a->real > b->real) - (a->real < b->real);
	return (a->integer > b->integer) - (a->integer < b->integer);
}

int option_value_parse(const struct sst_option *option, const char *text, union option_value *value)
{
	union option_value least, most;
	if (option_value_parse_type(option, text, value) != 0)
		return -1;
	const bool is_low = option->least && option_value_parse_type(option, option->least, &least) == 0 &&
			    option_value_compare(option->type, value, &least) < 0;
	const bool is_high = option->most && option_value_parse_type(option, option->most, &most) == 0 &&
			     option_value_compare(option->type, value, &most) > 0;
	errno = ERANGE;
	return is_low || is_high ? -1 : 0;
}

/* ---- Members ---------------------------------------------------------------------------------------------------------- */

size_t option_value_size(enum sst_type type)
{
	static const size_t sizes[] = {[INTEGER] = sizeof(int64_t),
		[REAL] = sizeof(double),
		[FLAG] = sizeof(bool),
		[INDEX] = sizeof(int),
		[BLOCK] = sizeof(void *)};
	return sizes[types[type].storage];
}

void option_value_put(const struct sst_option *option, void *state, const union option_value *value)
{
	void *const at = (char *)state + option->offset;
	switch (types[option->type].storage) {
	case INTEGER:
		*(int64_t *)at = value->integer;
		break;
	case REAL:
		*(double *)at = value->real;
		break;
	case FLAG:
		*(bool *)at = value->integer != 0;
		break;
	case INDEX:
		*(int *)at = (int)value->integer;
		break;
	case BLOCK:
		*(const void **)at = value->block;
		break;
	}
}

void option_value_clear(const struct sst_option *option, void *state)
{
	static const union option_value unset[] = {[INTEGER] = {.integer = SST_UNSET},
		[REAL] = {.real = NAN},
		[FLAG] = {.integer = false},
		[INDEX] = {.integer = -1},
		[BLOCK] = {.block = NULL}};
	option_value_put(option, state, &unset[types[option->type].storage]);
}

static void print_text(const char *text, FILE *to)
{
	for (; *text; text++) {
		if (*text == ',' || *text == '\\')
			fputc('\\', to);
		fputc(*text, to);
	}
}

static void print_block(const struct sst_option *option, const void *block, FILE *to)
{
	const struct sst_cpus *const cpus = block;
	if (option->type != SST_CPUS)
		print_text(block, to);
	else if (cpus->count == 0 && option->choices)
		fputs(option->choices[0], to);
	else
		cpus_print(cpus, to);
}

bool option_value_print(const struct sst_option *option, const void *state, const char *before, const char *name, FILE *to)
{
	const void *const at = (const char *)state + option->offset;
	const enum storage storage = types[option->type].storage;
	const int64_t integer = storage == INTEGER ? *(const int64_t *)at : storage == INDEX ? *(const int *)at : 0;
	char text[UNITS_TEXT_MAX];
	if ((storage == INTEGER && integer == SST_UNSET) || (storage == INDEX && integer < 0) ||
		(storage == REAL && isnan(*(const double *)at)) || (storage == BLOCK && !*(const void *const *)at))
		return false;
	fprintf(to, "%s%s", before, name);
	if (option->type == SST_TIME)
		fputs(units_print_time(integer, text), to);
	else if (storage == INTEGER)
		fprintf(to, "%" PRId64, integer);
	else if (storage == REAL)
		fputs(units_print_real(*(const double *)at, text), to);
	else if (storage == FLAG)
		fputs(*(const bool *)at ? "yes" : "no", to);
	else if (storage == INDEX)
		fputs(option->choices[integer], to);
	else
		print_block(option, *(const void *const *)at, to);
	return true;
}

/* ---- Words ------------------------------------------------------------------------------------------------------------ */

void option_value_form(const struct sst_option *option, FILE *to)
{
	fputs(option->type == SST_CHOICE ? "" : types[option->type].name, to);
	for (size_t i = 0; option->choices && option->choices[i]; i++)
		fprintf(to, "%s%s", i || option->type != SST_CHOICE ? "|" : "", option->choices[i]);
}

void option_value_given(const struct sst_option *option, const char *before, const char *given, FILE *to)
{
	union option_value value;
	char text[UNITS_TEXT_MAX];
	/* Tables may say `m`, which readers take for minutes. */
	const bool unclear = option->type == SST_TIME && option_value_parse_type(option, given, &value) == 0 && value.integer;
	fprintf(to, "%s%s", before, unclear ? units_print_time(value.integer, text) : given);
}

void option_value_bounds(const struct sst_option *option, char separator, FILE *to)
{
	if (!option->least && !option->most)
		return;
	fputc(separator, to);
	if (option->least)
		option_value_given(option, option->most ? " from " : " at least ", option->least, to);
	if (option->most)
		option_value_given(option, option->least ? " to " : " at most ", option->most, to);
}

void option_value_expected(const struct sst_option *option, FILE *to)
{
	if (option->type != SST_CHOICE)
		fputs(types[option->type].expected, to);
	if (option->type == SST_CPUS && option->choices)
		fprintf(to, ", or %s", option->choices[0]);
	for (size_t i = 0; option->type == SST_CHOICE && option->choices[i]; i++)
		fprintf(to, "%s%s", i == 0 ? "" : option->choices[i + 1] ? ", " : " or ", option->choices[i]);
	option_value_bounds(option, ',', to);
}

int option_value_refuse(
	const struct sst_option *option, const char *source, const char *text, int reason, char error[static OPTION_ERROR_MAX])
{
	FILE *const to = reason == ENOMEM ? NULL : fmemopen(error, OPTION_ERROR_MAX, "w");
	if (!to) {
		snprintf(error, OPTION_ERROR_MAX, "%s: %s", source, strerror(ENOMEM));
		return -1;
	}
	fprintf(to, "%.120s: '%.120s' is %s: expected ", source, text, reason == ERANGE ? "out of range" : "malformed");
	option_value_expected(option, to);
	if (option->type == SST_LOAD && units_lacks_percent(text))
		fprintf(to, "; %.120s per cent is %.120s%%", text, text);
	fclose(to);
	return -1;
}
