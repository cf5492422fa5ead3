/* SPDX-License-Identifier: MIT */
#include "report/events.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX "_per_s"

static bool is_of_event(const char *name)
{
	const size_t length = strlen(name), suffix = strlen(SUFFIX);
	return length > suffix && strcmp(name + length - suffix, SUFFIX) == 0;
}

int report_events_find(struct report_events *events, const struct csv *csv)
{
	*events = (struct report_events){.item = calloc(csv_columns(csv) + 1, sizeof *events->item)};
	for (size_t i = 0; events->item && i < csv_columns(csv); i++) {
		const char *const name = csv_column_name(csv, i);
		if (!is_of_event(name))
			continue;
		struct report_event *const event = &events->item[events->count];
		*event = (struct report_event){.column = i, .name = strndup(name, strlen(name) - strlen(SUFFIX))};
		if (!event->name)
			return -1;
		events->count++;
	}
	return events->item ? 0 : -1;
}

void report_events_free(struct report_events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		free(events->item[i].name);
		free(events->item[i].rate);
	}
	free(events->item);
	*events = (struct report_events){0};
}

int report_events_reserve(struct report_events *events, size_t rows)
{
	for (size_t i = 0; i < events->count; i++) {
		double *const larger = realloc(events->item[i].rate, rows * sizeof *larger);
		if (!larger)
			return -1;
		events->item[i].rate = larger;
	}
	return 0;
}

int report_events_read(struct report_events *events, struct csv *csv, size_t row)
{
	for (size_t i = 0; i < events->count; i++) {
		struct report_event *const event = &events->item[i];
		if (csv_number(csv, event->column, &event->rate[row]) != 0)
			return -1;
		if (event->rate[row] < 0)
			return csv_refuse(csv, event->column, "found %g, expected events per second", event->rate[row]);
	}
	return 0;
}
