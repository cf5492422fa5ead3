/* SPDX-License-Identifier: MIT */
#include "base/cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* Where in a list the reader is. What doesn't fit leaves `at` before it. */
struct reader {
	const char *text;
	size_t length, at;
};

/* Reads a number below CPUS_LIMIT. 0, or -1 with errno. */
static int number(struct reader *reader, unsigned *value)
{
	size_t end = reader->at;
	unsigned result = 0;
	for (; end < reader->length && reader->text[end] >= '0' && reader->text[end] <= '9'; end++) {
		result = result * 10 + (unsigned)(reader->text[end] - '0');
		if (result >= CPUS_LIMIT)
			return fail(ERANGE);
	}
	if (end == reader->at)
		return fail(EINVAL);
	reader->at = end;
	*value = result;
	return 0;
}

/* Reads a number, or two with a hyphen between them. 0, or -1 with errno. */
static int range(struct reader *reader, unsigned *first, unsigned *last)
{
	if (number(reader, first) != 0)
		return -1;
	*last = *first;
	if (reader->at == reader->length || reader->text[reader->at] != '-')
		return 0;
	const size_t second = ++reader->at;
	if (number(reader, last) != 0)
		return -1;
	if (*last >= *first)
		return 0;
	reader->at = second;
	return fail(ERANGE);
}

/* Reads the whole list, marks its processors and counts them. 0, or -1 with errno. */
static int members(struct reader *reader, bool *member, size_t *count)
{
	for (;;) {
		unsigned first;
		unsigned last;
		if (range(reader, &first, &last) != 0)
			return -1;
		for (unsigned cpu = first; cpu <= last; cpu++) {
			*count += !member[cpu];
			member[cpu] = true;
		}
		if (reader->at == reader->length)
			return 0;
		if (reader->text[reader->at] != ',')
			return fail(EINVAL);
		reader->at++;
	}
}

int cpus_parse(const char *text, size_t length, struct sst_cpus **cpus, size_t *stop)
{
	bool *member = calloc(CPUS_LIMIT, sizeof *member);
	struct reader reader = {.text = text, .length = length};
	size_t count = 0;
	if (!member)
		return -1;
	struct sst_cpus *list = NULL;
	if (members(&reader, member, &count) == 0)
		list = malloc(sizeof *list + count * sizeof(unsigned));
	if (list) {
		unsigned *out = (unsigned *)(list + 1);
		list->count = count;
		list->cpu = out;
		for (unsigned cpu = 0; cpu < CPUS_LIMIT; cpu++)
			if (member[cpu])
				*out++ = cpu;
		*cpus = list;
	}
	free(member);
	if (stop)
		*stop = reader.at;
	return list ? 0 : -1;
}

static int compare(const void *a, const void *b)
{
	const unsigned left = *(const unsigned *)a;
	const unsigned right = *(const unsigned *)b;
	return (left > right) - (left < right);
}

struct sst_cpus *cpus_make(const unsigned *cpu, size_t count)
{
	struct sst_cpus *list = malloc(sizeof *list + count * sizeof *cpu);
	if (!list)
		return NULL;
	unsigned *out = (unsigned *)(list + 1);
	if (count)
		memcpy(out, cpu, count * sizeof *cpu);
	qsort(out, count, sizeof *out, compare);
	list->count = 0;
	for (size_t i = 0; i < count; i++)
		if (i == 0 || out[i] != out[list->count - 1])
			out[list->count++] = out[i];
	list->cpu = out;
	return list;
}

bool cpus_contain(const struct sst_cpus *cpus, unsigned cpu)
{
	return cpus->count && bsearch(&cpu, cpus->cpu, cpus->count, sizeof cpu, compare);
}

void cpus_print(const struct sst_cpus *cpus, FILE *to)
{
	for (size_t i = 0; i < cpus->count;) {
		size_t last = i;
		while (last + 1 < cpus->count && cpus->cpu[last + 1] == cpus->cpu[last] + 1)
			last++;
		fprintf(to, i ? ",%u" : "%u", cpus->cpu[i]);
		if (last > i)
			fprintf(to, "-%u", cpus->cpu[last]);
		i = last + 1;
	}
}

char *cpus_print_short(const struct sst_cpus *cpus, char *text, size_t size)
{
	char *whole = NULL;
	size_t length = 0;
	FILE *const to = open_memstream(&whole, &length);
	strcpy(text, "?");
	if (!to)
		return text;
	cpus_print(cpus, to);
	if (fclose(to) == 0)
		snprintf(text, size, "%.*s%s", (int)size - 8, whole, length > size - 8 ? "..." : "");
	free(whole);
	return text;
}
