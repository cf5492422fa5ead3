/* SPDX-License-Identifier: MIT */
/*
 * What Prometheus answers to a range query, or promtool writes as JSON: series with labels, each with times in seconds and values as strings.
 * node_cpu_seconds_total, or any other name with _total, is a counter of seconds; all else is a share. With a label "mode" a series is one
 * state of a processor, else it is a load. Processors are parts of a machine.
 */
#include "trace/import_counter.h"
#include "trace/import_json.h"

#include <string.h>
#include <strings.h>

#define RESULT "data.result[]"
/* promtool query range -o json: the result alone. */
#define BARE "[]"

struct reader {
	struct import *import;
	/* A series */
	char machine[256], other[256], name[128], cpu[32], mode[32];
	bool has_machine, has_begun, is_wanted;
	struct import_counter counter;
	/* A point */
	char time[32];
	size_t items;
	/* The answer */
	char type[16], message[160];
	bool has_series;
};

static void keep(char *to, size_t size, const struct import_field *from)
{
	snprintf(to, size, "%.*s", (int)(from->length < size ? from->length : size), from->text);
}

static void forget_series(struct reader *reader)
{
	*reader->machine = *reader->other = *reader->name = *reader->cpu = *reader->mode = '\0';
	reader->has_machine = reader->has_begun = reader->is_wanted = false;
	reader->counter = (struct import_counter){.unit = 1};
}

static void take_label(struct reader *reader, const char *name, const struct import_field *value)
{
	const char *const column = reader->import->rules->column;
	if (strcmp(name, column ? column : "instance") == 0) {
		keep(reader->machine, sizeof reader->machine, value);
		reader->has_machine = true;
	}
	if (strcmp(name, "__name__") == 0)
		keep(reader->name, sizeof reader->name, value);
	else if (strcmp(name, "cpu") == 0)
		keep(reader->cpu, sizeof reader->cpu, value);
	else if (strcmp(name, "mode") == 0)
		keep(reader->mode, sizeof reader->mode, value);
	else {
		const size_t used = strlen(reader->other);
		snprintf(reader->other + used, sizeof reader->other - used, "%s%s=%.*s", used > 0 ? ";" : "", name,
			(int)(value->length < 64 ? value->length : 64), value->text);
	}
}

static enum import_state state_of(const char *mode)
{
	if (!*mode)
		return IMPORT_STATE_LOAD;
	if (strcmp(mode, "idle") == 0)
		return IMPORT_STATE_IDLE;
	return strcmp(mode, "iowait") == 0 ? IMPORT_STATE_WAIT : IMPORT_STATE_OTHER;
}

/* All labels are there. */
static int begin_series(struct reader *reader)
{
	struct import *const import = reader->import;
	const struct import_rules *const rules = import->rules;
	const bool is_one_cpu = rules->cpu && strcmp(rules->cpu, "all") != 0;
	struct import_counter *const counter = &reader->counter;
	const size_t length = strlen(reader->name);
	reader->has_begun = reader->has_series = true;
	if (rules->column && !reader->has_machine)
		return import_refuse(import, "found a series without the label '%.60s', expected it (--column)", rules->column);
	if (is_one_cpu && !*reader->cpu)
		return import_refuse(import, "found a series without the label 'cpu', expected it (--cpu)");
	counter->state = state_of(reader->mode);
	counter->is_counter = length > 6 && strcmp(reader->name + length - 6, "_total") == 0;
	if (counter->is_counter && !*reader->mode)
		return import_refuse(import,
			"found the counter '%.60s' without the label 'mode', expected node_cpu_seconds_total", reader->name);
	counter->unit = !counter->is_counter && rules->unit == IMPORT_PERCENT ? 100 : 1;
	counter->machine = reader->has_machine ? reader->machine : reader->other;
	counter->machine_length = strlen(counter->machine);
	reader->is_wanted = counter->state != IMPORT_STATE_OTHER && (!is_one_cpu || strcmp(reader->cpu, rules->cpu) == 0);
	return 0;
}

static int take_point(struct reader *reader, const struct import_field *value)
{
	struct import *const import = reader->import;
	const struct import_field time = {reader->time, strlen(reader->time)};
	char shown[IMPORT_SHOWN_MAX];
	double seconds;
	double number;
	int64_t ns;
	if (!reader->has_begun && begin_series(reader) != 0)
		return -1;
	if (!reader->is_wanted)
		return 0;
	if (time.length == 0 || !import_number(&time, &seconds) || !import_seconds(seconds, &ns))
		return import_wrong(import, "found '%s', expected a time in seconds", import_show(&time, shown));
	if (!import_counter_number(value, &number))
		return import_wrong(import, "found '%s', expected a number", import_show(value, shown));
	return import_counter_add(import, &reader->counter, ns, number);
}

/* Within a series. */
static int take_of_series(struct reader *reader, const char *path, const struct import_field *text)
{
	if (strncmp(path, ".metric.", 8) == 0) {
		if (reader->has_begun)
			return import_refuse(reader->import, "found values before their labels, expected \"metric\" first");
		take_label(reader, path + 8, text);
	} else if (strcmp(path, ".values[][]") == 0) {
		if (reader->items++ == 0)
			keep(reader->time, sizeof reader->time, text);
		else if (reader->items == 2)
			return take_point(reader, text);
	}
	return 0;
}

static int take_value(void *context, const char *path, const struct import_field *text)
{
	struct reader *const reader = context;
	if (strncmp(path, RESULT, strlen(RESULT)) == 0)
		return take_of_series(reader, path + strlen(RESULT), text);
	if (strncmp(path, BARE, strlen(BARE)) == 0)
		return take_of_series(reader, path + strlen(BARE), text);
	if (strcmp(path, "data.resultType") == 0)
		keep(reader->type, sizeof reader->type, text);
	else if (strcmp(path, "error") == 0)
		keep(reader->message, sizeof reader->message, text);
	return 0;
}

static int end_of_series(struct reader *reader, const char *path)
{
	int result = 0;
	if (!*path) {
		result = import_counter_flush(reader->import, &reader->counter);
		forget_series(reader);
	} else if (strcmp(path, ".values[]") == 0) {
		if (reader->items != 2)
			result = import_wrong(reader->import, "found a point of %zu, expected a time and a value", reader->items);
		reader->items = 0;
	}
	return result;
}

static int end(void *context, const char *path)
{
	struct reader *const reader = context;
	if (strncmp(path, RESULT, strlen(RESULT)) == 0)
		return end_of_series(reader, path + strlen(RESULT));
	if (strncmp(path, BARE, strlen(BARE)) == 0)
		return end_of_series(reader, path + strlen(BARE));
	return 0;
}

static int read_prometheus(struct import *import)
{
	static const struct import_json_events events = {take_value, end};
	struct reader reader = {.import = import};
	char shown[IMPORT_SHOWN_MAX];
	forget_series(&reader);
	if (import_json_read(import, &events, &reader) != 0)
		return -1;
	const struct import_field message = {reader.message, strlen(reader.message)};
	const struct import_field type = {reader.type, strlen(reader.type)};
	if (message.length > 0)
		return import_refuse(import, "found the error '%s' instead of an answer", import_show(&message, shown));
	if (type.length > 0 && !import_is(&type, "matrix"))
		return import_refuse(
			import, "found a result of type '%s', expected matrix, of a range query", import_show(&type, shown));
	if (!reader.has_series)
		return import_refuse(import, "found no series, expected the answer to a range query");
	return 0;
}

static bool fits(const char *start, size_t length)
{
	return import_json_begins(start, length) &&
	       (import_contains(start, length, "\"resultType\"") || import_contains(start, length, "\"metric\"") ||
		       import_contains(start, length, "\"errorType\""));
}

const struct import_format import_prometheus = {
	"prometheus", IMPORT_STAMP_END, 0, IMPORT_PARTS, fits, read_prometheus, NULL, IMPORT_LACKS_TABLE};
