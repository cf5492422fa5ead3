/* SPDX-License-Identifier: MIT */
#include "base/cpus.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Reads a number below CPUS_LIMIT; returns the offset behind it, or `at` with errno when there is none. */
static size_t number(const char *text, size_t length, size_t at, unsigned *value)
{
	size_t end = at;
	unsigned result = 0;
	for (; end < length && text[end] >= '0' && text[end] <= '9'; end++) {
		result = result * 10 + (unsigned)(text[end] - '0');
		if (result >= CPUS_LIMIT) {
			errno = ERANGE;
			return at;
		}
	}
	if (end == at)
		errno = EINVAL;
	*value = result;
	return end;
}

int cpus_parse(const char *text, size_t length, struct sst_cpus **cpus, size_t *stop)
{
	bool *member = calloc(CPUS_LIMIT, sizeof *member);
	size_t at = 0;
	size_t count = 0;
	if (!member)
		return -1;
	for (;;) {
		unsigned first;
		size_t end = number(text, length, at, &first);
		if (end == at)
			goto refuse;
		at = end;
		unsigned last = first;
		if (at < length && text[at] == '-') {
			at++;
			end = number(text, length, at, &last);
			if (end == at)
				goto refuse;
			if (last < first) {
				errno = ERANGE;
				goto refuse;
			}
			at = end;
		}
		for (unsigned cpu = first; cpu <= last; cpu++) {
			count += !member[cpu];
			member[cpu] = true;
		}
		if (at == length)
			break;
		if (text[at] != ',') {
			errno = EINVAL;
			goto refuse;
		}
		at++;
	}
	struct sst_cpus *list = malloc(sizeof *list + count * sizeof(unsigned));
	if (!list)
		goto refuse;
	unsigned *out = (unsigned *)(list + 1);
	for (unsigned cpu = 0; cpu < CPUS_LIMIT; cpu++)
		if (member[cpu])
			*out++ = cpu;
	list->count = count;
	list->cpu = (unsigned *)(list + 1);
	free(member);
	if (stop)
		*stop = length;
	*cpus = list;
	return 0;
refuse:
	free(member);
	if (stop)
		*stop = at;
	return -1;
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
