/* SPDX-License-Identifier: MIT */
#include "meters/counter_event.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cpus.h"
#include "base/log_columns.h"
#include "base/units.h"
#include "self/source.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

const char *const linux_counter_names[] = {"cycles", "instructions", "cache-references", "cache-misses", "branches",
	"branch-misses", "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles", "cpu-clock",
	"task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", NULL};

/* In the order of the names. */
static const struct {
	const char *alias;
	uint32_t type;
	uint64_t config;
} plain[] = {
	{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
	{"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
	{NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
};
_Static_assert(LENGTH(linux_counter_names) == LENGTH(plain) + 1, "a row for each name");

/* L1-dcache-load-misses: a cache, and what is done to it. */
struct word {
	const char *name;
	uint64_t config;
};
static const struct word caches[] = {
	{"L1-dcache", PERF_COUNT_HW_CACHE_L1D},
	{"L1-icache", PERF_COUNT_HW_CACHE_L1I},
	{"LLC", PERF_COUNT_HW_CACHE_LL},
	{"dTLB", PERF_COUNT_HW_CACHE_DTLB},
	{"iTLB", PERF_COUNT_HW_CACHE_ITLB},
	{"branch", PERF_COUNT_HW_CACHE_BPU},
	{"node", PERF_COUNT_HW_CACHE_NODE},
};
static const struct word accesses[] = {
	{"loads", PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16},
	{"load-misses", PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
	{"stores", PERF_COUNT_HW_CACHE_OP_WRITE << 8 | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16},
	{"store-misses", PERF_COUNT_HW_CACHE_OP_WRITE << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
	{"prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 | PERF_COUNT_HW_CACHE_RESULT_ACCESS << 16},
	{"prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16},
};

static bool is_word(const char *word, const char *text, size_t length)
{
	return word && strlen(word) == length && strncasecmp(word, text, length) == 0;
}

static bool find_plain(const char *text, size_t length, struct linux_counter_event *event)
{
	for (size_t i = 0; i < LENGTH(plain); i++) {
		if (!is_word(linux_counter_names[i], text, length) && !is_word(plain[i].alias, text, length))
			continue;
		event->type = plain[i].type;
		event->config = plain[i].config;
		snprintf(event->name, sizeof event->name, "%s", linux_counter_names[i]);
		return true;
	}
	return false;
}

static bool find_cache(const char *text, size_t length, struct linux_counter_event *event)
{
	for (size_t i = 0; i < LENGTH(caches); i++) {
		const size_t used = strlen(caches[i].name);
		if (length <= used || text[used] != '-' || !is_word(caches[i].name, text, used))
			continue;
		for (size_t k = 0; k < LENGTH(accesses); k++) {
			if (!is_word(accesses[k].name, text + used + 1, length - used - 1))
				continue;
			event->type = PERF_TYPE_HW_CACHE;
			event->config = caches[i].config | accesses[k].config;
			snprintf(event->name, sizeof event->name, "%s-%s", caches[i].name, accesses[k].name);
			return true;
		}
	}
	return false;
}

/* rHEX: what a processor's manual calls event and mask. */
static bool find_raw(const char *text, size_t length, struct linux_counter_event *event)
{
	uint64_t config = 0;
	if (length < 2 || length > 17 || text[0] != 'r')
		return false;
	for (size_t i = 1; i < length; i++) {
		const char digit = (char)tolower((unsigned char)text[i]);
		if (!isxdigit((unsigned char)digit))
			return false;
		config = config << 4 | (uint64_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
	}
	event->type = PERF_TYPE_RAW;
	event->config = config;
	snprintf(event->name, sizeof event->name, "r%llx", (unsigned long long)config);
	return true;
}

/* PMU/TERM,…/; a name with a slash or a dot would lead out of the PMU's folder. */
static bool find_of_pmu(const char *text, size_t length, struct linux_counter_event *event)
{
	const char *const slash = memchr(text, '/', length);
	if (!slash || !isalnum((unsigned char)text[0]) || text[length - 1] != '/' || slash >= text + length - 2)
		return false;
	if (memchr(slash + 1, '/', (size_t)(text + length - 1 - (slash + 1))))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("_-./=,", text[i]))
			return false;
	event->is_of_pmu = true;
	snprintf(event->name, sizeof event->name, "%.*s", (int)length, text);
	return true;
}

/* Takes :u or :k off the end. */
static size_t take_modifier(const char *text, size_t length, struct linux_counter_event *event)
{
	if (length < 3 || text[length - 2] != ':')
		return length;
	event->only_user = text[length - 1] == 'u';
	event->only_kernel = text[length - 1] == 'k';
	return event->only_user || event->only_kernel ? length - 2 : length;
}

static bool parse_event(const char *text, size_t length, struct linux_counter_event *event)
{
	*event = (struct linux_counter_event){0};
	const size_t rest = take_modifier(text, length, event);
	if (!find_plain(text, rest, event) && !find_cache(text, rest, event) && !find_raw(text, rest, event) &&
		!find_of_pmu(text, rest, event))
		return false;
	if (rest < length)
		strcat(event->name, event->only_user ? ":u" : ":k");
	return true;
}

/* Up to a comma that isn't between slashes. */
static size_t length_of_event(const char *text)
{
	bool is_between = false;
	size_t length = 0;
	for (; text[length] && (is_between || text[length] != ','); length++)
		is_between ^= text[length] == '/';
	return length;
}

static bool is_there(const struct linux_counter_events *events, const struct linux_counter_event *event)
{
	char mine[LINUX_COUNTER_NAME_MAX], other[LINUX_COUNTER_NAME_MAX];
	column_name(event->name, mine, sizeof mine);
	for (size_t i = 0; i < events->count; i++) {
		column_name(events->event[i].name, other, sizeof other);
		if (strcmp(mine, other) == 0)
			return true;
	}
	return false;
}

static int add_event(
	struct linux_counter_events *events, const char *text, size_t length, char error[static LINUX_COUNTER_ERROR_MAX])
{
	struct linux_counter_event event;
	if (length > LINUX_COUNTER_NAME_MAX - 3)
		snprintf(error, LINUX_COUNTER_ERROR_MAX, "'%.80s' is too long for an event's name: at most %d characters", text,
			LINUX_COUNTER_NAME_MAX - 3);
	else if (!parse_event(text, length, &event))
		snprintf(error, LINUX_COUNTER_ERROR_MAX, "'%.*s' is no event: expected " LINUX_COUNTER_EXPECTED, (int)length,
			text);
	else if (is_there(events, &event))
		snprintf(error, LINUX_COUNTER_ERROR_MAX, "found the event '%s' twice, expected it once", event.name);
	else if (events->count == LINUX_COUNTER_EVENTS_MAX)
		snprintf(error, LINUX_COUNTER_ERROR_MAX, "found more than %d events", LINUX_COUNTER_EVENTS_MAX);
	else {
		events->event[events->count++] = event;
		return 0;
	}
	return -1;
}

int linux_counter_events_parse(const char *text, struct linux_counter_events *events, char error[static LINUX_COUNTER_ERROR_MAX])
{
	events->count = 0;
	for (const char *at = text;; at++) {
		const size_t length = length_of_event(at);
		if (add_event(events, at, length, error) != 0)
			return -1;
		at += length;
		if (!*at)
			return 0;
	}
}

bool linux_counter_is_software(const struct linux_counter_event *event)
{
	return !event->is_of_pmu && event->type == PERF_TYPE_SOFTWARE;
}

/* ---- Events of units that count ------------------------------------------------------------------------------------- */

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
