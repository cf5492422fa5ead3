/* SPDX-License-Identifier: MIT */
/* Any text of module options is taken or refused with a message; what is taken is within bounds, and printed it reads back. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module/option.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const colours[] = {"red", "green", "blue", NULL};

struct values {
	const char *file;
	int64_t period, count;
	double load, gain;
	bool loop;
	int colour;
	const struct sst_cpus *cpus;
};

#define MEMBER(kind, member) .name = #member, .type = (kind), .offset = offsetof(struct values, member), .help = "help"

/* Two tables, so that the first option is a text once and a list of processors once. */
static const struct sst_option tables[2][9] = {
	{{MEMBER(SST_TEXT, file)}, {MEMBER(SST_TIME, period), .initial = "107m", .least = "1m", .most = "1h"},
		{MEMBER(SST_LOAD, load), .initial = "1/3", .most = "90%"}, {MEMBER(SST_REAL, gain), .least = "0"},
		{MEMBER(SST_INT, count), .least = "-2", .most = "1000"}, {MEMBER(SST_FLAG, loop)},
		{MEMBER(SST_CHOICE, colour), .choices = colours}, {MEMBER(SST_CPUS, cpus)}, {0}},
	{{MEMBER(SST_CPUS, cpus)}, {MEMBER(SST_REAL, gain)}, {MEMBER(SST_INT, count), .required = true}, {MEMBER(SST_FLAG, loop)},
		{0}},
};

static void check(bool condition)
{
	if (!condition)
		abort();
}

static char *print(const struct sst_option *table, const struct values *values)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	check(to != NULL);
	option_print(table, values, to);
	check(fclose(to) == 0);
	return text;
}

static void check_bounds(const struct values *values)
{
	check(values->period >= 1000000 && values->period <= INT64_C(3600000000000));
	check(values->load >= 0 && values->load <= 0.9);
	check(isnan(values->gain) || values->gain >= 0);
	check(values->count == SST_UNSET || (values->count >= -2 && values->count <= 1000));
	check(values->colour >= -1 && values->colour <= 2);
	check(!values->file || *values->file);
	check(!values->cpus || values->cpus->count > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct values nothing;
	struct values values = nothing;
	struct option_memory memory = {0};
	char error[OPTION_ERROR_MAX];
	if (size == 0)
		return 0;
	const int which = data[0] & 1;
	const struct sst_option *table = tables[which];
	char *text = strndup((const char *)data + 1, size - 1);
	check(text != NULL);
	memset(error, '#', sizeof error);
	if (option_parse(table, text, &values, &memory, error) != 0) {
		const char *end = memchr(error, '\0', sizeof error);
		check(end && end != error);
	} else {
		struct values again = nothing;
		struct option_memory more = {0};
		if (which == 0)
			check_bounds(&values);
		char *printed = print(table, &values);
		check(option_parse(table, *printed ? printed : NULL, &again, &more, error) == 0);
		char *reprinted = print(table, &again);
		check(strcmp(printed, reprinted) == 0);
		free(reprinted);
		free(printed);
		option_free(&more);
	}
	option_free(&memory);
	free(text);
	return 0;
}
