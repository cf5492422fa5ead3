/* SPDX-License-Identifier: MIT */
#include "os/counter_pmu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/number.h"
#include "os/source.h"

#define DEVICES "/sys/bus/event_source/devices"
#define TEXT_SIZE 1024

/* The first line of a file of the PMU; false where there is none. */
static bool read_file(const char *root, const char *pmu, const char *folder, const char *name, char text[static TEXT_SIZE])
{
	char path[256];
	const int length = snprintf(path, sizeof path, DEVICES "/%s%s%s/%s", pmu, *folder ? "/" : "", folder, name);
	return length < (int)sizeof path && linux_source_line(root, path, text, TEXT_SIZE);
}

/* ---- Bits ------------------------------------------------------------------------------------------------------------- */

/* "config1:" and the word that it stands for; moves *at behind it. NULL for another. */
static uint64_t *find_word(const char **at, struct linux_counter_event *event)
{
	const size_t length = strcspn(*at, ":");
	uint64_t *const words[] = {&event->config, &event->config1, &event->config2};
	static const char *const names[] = {"config", "config1", "config2"};
	for (size_t i = 0; i < 3; i++) {
		if (strlen(names[i]) == length && strncmp(*at, names[i], length) == 0) {
			*at += length + (strlen(*at) > length);
			return words[i];
		}
	}
	return NULL;
}

/* "8-15" or "8"; moves *at behind it. */
static bool read_range(const char **at, uint64_t *first, uint64_t *last)
{
	const char *const end = *at + strlen(*at);
	if (!linux_number(at, end, first))
		return false;
	*last = *first;
	if (**at == '-') {
		++*at;
		if (!linux_number(at, end, last))
			return false;
	}
	return *first <= *last && *last < 64;
}

bool linux_counter_pmu_place(const char *format, uint64_t value, struct linux_counter_event *event)
{
	uint64_t *const word = find_word(&format, event);
	uint64_t first, last;
	for (bool more = word; more; format += more) {
		if (!read_range(&format, &first, &last))
			return false;
		const uint64_t width = last - first + 1;
		const uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
		*word = (*word & ~(mask << first)) | (value & mask) << first;
		value = width == 64 ? 0 : value >> width;
		more = *format == ',';
	}
	return word && !*format && value == 0;
}

/* ---- Terms ------------------------------------------------------------------------------------------------------------ */

static bool read_value(const char *text, uint64_t *value)
{
	char *end;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && errno == 0;
}

/* FIELD or FIELD=NUMBER. */
static bool apply_field(const char *root, const char *pmu, char *term, struct linux_counter_event *event,
	char error[static LINUX_COUNTER_ERROR_MAX])
{
	char format[TEXT_SIZE];
	char *const equals = strchr(term, '=');
	uint64_t value = 1;
	if (equals)
		*equals = '\0';
	if (strncmp(term, "config", 6) == 0)
		snprintf(format, sizeof format, "%.16s:0-63", term);
	else if (!read_file(root, pmu, "format", term, format)) {
		snprintf(error, LINUX_COUNTER_ERROR_MAX, "%.60s has neither an event nor a field '%.60s'", pmu, term);
		return false;
	}
	if ((!equals || read_value(equals + 1, &value)) && linux_counter_pmu_place(format, value, event))
		return true;
	snprintf(error, LINUX_COUNTER_ERROR_MAX, "'%.60s' of %.60s can't be '%.60s': it is %.60s", term, pmu,
		equals ? equals + 1 : "1", format);
	return false;
}

static bool apply_fields(const char *root, const char *pmu, char *terms, struct linux_counter_event *event,
	char error[static LINUX_COUNTER_ERROR_MAX])
{
	char *term;
	while ((term = strsep(&terms, ",")))
		if (!apply_field(root, pmu, term, event, error))
			return false;
	return true;
}

static bool apply_terms(const char *root, const char *pmu, char *terms, struct linux_counter_event *event,
	char error[static LINUX_COUNTER_ERROR_MAX])
{
	char alias[TEXT_SIZE];
	char *term;
	while ((term = strsep(&terms, ","))) {
		const bool is_alias = *term && !strchr(term, '=') && read_file(root, pmu, "events", term, alias);
		if (!apply_fields(root, pmu, is_alias ? alias : term, event, error))
			return false;
	}
	return true;
}

/* What an uncore unit calls cpumask, and one of several kinds of cores cpus. */
static int read_processors(const char *root, const char *pmu, struct sst_cpus **cpus)
{
	char text[TEXT_SIZE];
	if (!read_file(root, pmu, "", "cpumask", text) && !read_file(root, pmu, "", "cpus", text))
		return 0;
	return cpus_parse(text, strlen(text), cpus, NULL);
}

int linux_counter_pmu_resolve(
	const char *root, struct linux_counter_event *event, struct sst_cpus **cpus, char error[static LINUX_COUNTER_ERROR_MAX])
{
	char pmu[LINUX_COUNTER_NAME_MAX], text[TEXT_SIZE];
	uint64_t type;
	*cpus = NULL;
	snprintf(pmu, sizeof pmu, "%s", event->name);
	char *const terms = strchr(pmu, '/') + 1;
	terms[-1] = '\0';
	*strchr(terms, '/') = '\0';
	if (!read_file(root, pmu, "", "type", text) || !read_value(text, &type) || type > UINT32_MAX) {
		snprintf(error, LINUX_COUNTER_ERROR_MAX, "there is no %.100s" DEVICES "/%s", root, pmu);
		return -1;
	}
	event->type = (uint32_t)type;
	event->config = event->config1 = event->config2 = 0;
	if (!apply_terms(root, pmu, terms, event, error))
		return -1;
	if (read_processors(root, pmu, cpus) == 0)
		return 0;
	snprintf(error, LINUX_COUNTER_ERROR_MAX, "can't tell on which processors %s counts", pmu);
	return -1;
}
