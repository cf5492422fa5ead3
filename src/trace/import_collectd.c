/* SPDX-License-Identifier: MIT */
/*
 * What collectd's csv plug-in writes of its cpu plug-in: HOST/cpu-0/percent-idle-2026-03-01 or HOST/cpu-0/cpu-idle-2026-03-01, a file for each
 * processor, state and day. `percent` is a percentage; `cpu` is jiffies, as a counter, or, with a point in them, in a second.
 */
#include "trace/import_counter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A percentage, or jiffies in a second: /proc/stat has a hundred on every machine. */
#define WHOLE 100

/* A series goes on in the file of the next day. */
struct series {
	struct series *next;
	struct import_counter counter;
	char *key; /* host, cpu, type and state */
};

/* Of a file, by its path. */
struct place {
	struct import_field host, cpu, type, state;
};

static struct import_field last_component(const char *path, const char *end)
{
	const char *start = end;
	while (start > path && start[-1] != '/')
		start--;
	return (struct import_field){start, (size_t)(end - start)};
}

/* False when the file is none of the cpu plug-in's. */
static bool find_place(const char *path, struct place *place)
{
	const struct import_field file = last_component(path, path + strlen(path));
	const struct import_field folder = last_component(path, file.text > path ? file.text - 1 : path);
	const char *const end = file.text + file.length;
	place->host = last_component(path, folder.text > path ? folder.text - 1 : path);
	place->type = (struct import_field){file.text, strcspn(file.text, "-")};
	if (!import_is(&place->type, "percent") && !import_is(&place->type, "cpu"))
		return false;
	const char *const state = place->type.text + place->type.length + (place->type.text + place->type.length < end);
	place->state = (struct import_field){state, strcspn(state, "-.")};
	if (!import_begins(folder.text, folder.length, "cpu") || place->state.length == 0)
		return false;
	if (folder.length > 3 && folder.text[3] != '-')
		return false;
	const size_t name = folder.length > 4 ? 4 : folder.length;
	place->cpu = (struct import_field){folder.text + name, folder.length - name};
	return true;
}

static enum import_state state_of(const struct import_field *state)
{
	if (import_is(state, "idle"))
		return IMPORT_STATE_IDLE;
	if (import_is(state, "wait"))
		return IMPORT_STATE_WAIT;
	return import_is(state, "active") ? IMPORT_STATE_LOAD : IMPORT_STATE_OTHER;
}

static void free_series(void *kept)
{
	struct series *series = kept;
	while (series) {
		struct series *const next = series->next;
		free(series->key);
		free(series);
		series = next;
	}
}

/* NULL after import_refuse. */
static struct series *find_series(struct import *import, const struct place *place)
{
	char *key;
	if (asprintf(&key, "%.*s/%.*s/%.*s/%.*s", (int)place->host.length, place->host.text, (int)place->cpu.length,
		    place->cpu.text, (int)place->type.length, place->type.text, (int)place->state.length,
		    place->state.text) < 0) {
		import_refuse(import, "%s", strerror(ENOMEM));
		return NULL;
	}
	for (struct series *at = import->kept; at; at = at->next) {
		if (strcmp(at->key, key) == 0) {
			free(key);
			return at;
		}
	}
	struct series *const series = calloc(1, sizeof *series);
	if (!series) {
		free(key);
		import_refuse(import, "%s", strerror(ENOMEM));
		return NULL;
	}
	series->next = import->kept;
	series->key = key;
	series->counter.state = state_of(&place->state);
	series->counter.unit = WHOLE;
	import->kept = series;
	import->kept_free = free_series;
	return series;
}

static int read_row(struct import *import, struct import_counter *counter, bool is_percent)
{
	struct import_text *const text = &import->text;
	char shown[IMPORT_SHOWN_MAX];
	double seconds;
	double value;
	int64_t ns;
	if (text->fields != 2)
		return import_wrong(import, "found %zu fields, expected a time and a value", text->fields);
	if (text->field[0].length == 0 || !import_number(&text->field[0], &seconds) || !import_seconds(seconds, &ns))
		return import_wrong(import, "found '%s', expected a time in seconds", import_show(&text->field[0], shown));
	if (!import_counter_number(&text->field[1], &value))
		return import_wrong(import, "found '%s', expected a number", import_show(&text->field[1], shown));
	const bool is_counter = !is_percent && !isnan(value) && !memchr(text->field[1].text, '.', text->field[1].length);
	if (is_counter != counter->is_counter) {
		counter->is_counter = is_counter;
		counter->has_last = counter->is_held = false;
	}
	return import_counter_add(import, counter, ns, value);
}

static int read_collectd(struct import *import)
{
	const char *const wanted = import->rules->cpu;
	struct place place;
	int more;
	if (!find_place(import->path, &place))
		return import_refuse(import, "found a file of another name, expected HOST/cpu-N/percent-STATE-DATE or "
					     "HOST/cpu-N/cpu-STATE-DATE, as collectd writes it");
	if (wanted && strcmp(wanted, "all") != 0) {
		if (place.cpu.length == 0)
			return import_refuse(
				import, "found the mean of all processors, expected files in cpu-%.20s (--cpu)", wanted);
		if (!import_is(&place.cpu, wanted))
			return 0;
	}
	if (state_of(&place.state) == IMPORT_STATE_OTHER)
		return 0;
	struct series *const series = find_series(import, &place);
	if (!series)
		return -1;
	series->counter.machine = place.host.text;
	series->counter.machine_length = place.host.length;
	if (import_next_line(import) < 0)
		return -1;
	while ((more = import_next_line(import)) > 0) {
		import_split(&import->text, ',');
		if (read_row(import, &series->counter, import_is(&place.type, "percent")) != 0)
			return -1;
	}
	return more < 0 ? -1 : import_counter_flush(import, &series->counter);
}

static bool fits(const char *start, size_t length)
{
	return import_begins(start, length, "epoch,value\n") || import_begins(start, length, "epoch,value\r\n");
}

const struct import_format import_collectd = {
	"collectd", IMPORT_STAMP_END, 0, IMPORT_PARTS, fits, read_collectd, NULL, IMPORT_LACKS_CHOICE};
