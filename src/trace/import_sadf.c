/* SPDX-License-Identifier: MIT */
/*
 * What `sadf -d` of sysstat prints: hostname;interval;timestamp;CPU;…;%idle. A value is the mean of the interval before its time. A line that
 * begins with # names the columns of those that follow: there may be several tables in a file. A restart of the machine is a row with an
 * interval of -1, and leaves a gap.
 */
#include <string.h>

#include "base/units.h"
#include "trace/import_reader.h"

#define ABSENT SIZE_MAX

struct columns {
	size_t host, interval, time, cpu, idle, iowait;
};

static size_t find(const struct import_text *text, const char *name)
{
	for (size_t i = 0; i < text->fields; i++) {
		struct import_field field = text->field[i];
		/* Such a table has all processors in one row, and what is of all together first. */
		const char *const all = memmem(field.text, field.length, "[...]", 5);
		if (all)
			field.length = (size_t)(all - field.text);
		if (import_is(&field, name))
			return i;
	}
	return ABSENT;
}

static bool is_cpu(const struct import *import, const struct import_field *field)
{
	const char *const wanted = import->rules->cpu;
	return wanted && strcmp(wanted, "all") != 0 ? import_is(field, wanted)
						    : import_is(field, "-1") || import_is(field, "all");
}

static int read_row(struct import *import, const struct columns *at)
{
	const struct import_text *const text = &import->text;
	struct import_sample sample = {.weight = 1};
	char shown[IMPORT_SHOWN_MAX];
	double idle;
	double iowait = 0;
	double interval = 0;
	bool is_zoned;
	if (text->fields >= 4 && (import_contains(text->field[3].text, text->field[3].length, "LINUX-RESTART") ||
					 import_contains(text->field[3].text, text->field[3].length, "COM ")))
		return 0;
	if (at->idle == ABSENT)
		return 0;
	if (text->fields <= at->idle)
		return import_wrong(import, "found %zu fields, expected %zu", text->fields, at->idle + 1);
	if (!is_cpu(import, &text->field[at->cpu]))
		return 0;
	if (!import_time(&text->field[at->time], &sample.ns, &is_zoned))
		return import_wrong(import, "found '%s', expected a time", import_show(&text->field[at->time], shown));
	if (!import_number(&text->field[at->interval], &interval) || !(interval >= 0 && interval < 1e8))
		return import_wrong(
			import, "found '%s', expected the length of an interval", import_show(&text->field[at->interval], shown));
	if (!import_number(&text->field[at->idle], &idle) || text->field[at->idle].length == 0)
		return import_wrong(import, "found '%s', expected a percentage", import_show(&text->field[at->idle], shown));
	if (at->iowait != ABSENT && !import_number(&text->field[at->iowait], &iowait))
		return import_wrong(import, "found '%s', expected a percentage", import_show(&text->field[at->iowait], shown));
	import->counts.unzoned += !is_zoned;
	sample.value = 1 - (idle + iowait) / 100;
	sample.length_ns = (int64_t)(interval * (double)NS_PER_S);
	sample.machine = text->field[at->host].text;
	sample.machine_length = text->field[at->host].length;
	return import_add(import, &sample);
}

static int read_sadf(struct import *import)
{
	struct import_text *const text = &import->text;
	struct columns at = {.idle = ABSENT};
	bool is_headed = false;
	int more;
	while ((more = import_next_line(import)) > 0) {
		if (text->whole.length == 0)
			continue;
		if (text->whole.text[0] == '#') {
			text->whole.text += 1;
			text->whole.length -= 1;
			import_split(text, ';');
			at = (struct columns){.host = find(text, "hostname"),
				.interval = find(text, "interval"),
				.time = find(text, "timestamp"),
				.cpu = find(text, "CPU"),
				.idle = find(text, "%idle"),
				.iowait = find(text, "%iowait")};
			/* It is the last one. */
			if (at.host > at.idle || at.interval > at.idle || at.time > at.idle || at.cpu > at.idle ||
				(at.iowait != ABSENT && at.iowait > at.idle))
				at.idle = ABSENT;
			is_headed = is_headed || at.idle != ABSENT;
			continue;
		}
		import_split(text, ';');
		if (read_row(import, &at) != 0)
			return -1;
	}
	if (more == 0 && !is_headed)
		return import_refuse(import,
			"found no line '# hostname;interval;timestamp;CPU;...;%%idle', expected one (sadf -d FILE -- -u)");
	return more;
}

static bool fits(const char *start, size_t length)
{
	return import_begins(start, length, "# hostname;interval;timestamp");
}

const struct import_format import_sadf = {"sadf", IMPORT_STAMP_END, 0, IMPORT_FIRST, fits, read_sadf, NULL, IMPORT_LACKS_CHOICE};
