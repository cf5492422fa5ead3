/* SPDX-License-Identifier: MIT */
/* Columns EVENT_per_s of a log: rates of events that were counted (showstopper --log-counters, cpuload -C counters=). */
#ifndef REPORT_EVENTS_H
#define REPORT_EVENTS_H

#include "base/csv.h"

struct report_event {
	char *name;   /* of the event: that of the column without _per_s */
	double *rate; /* per second, of each row; NaN where it is not known */
	size_t column;
};

struct report_events {
	struct report_event *item;
	size_t count;
};

/* Those of a file with this header, without rows. 0, or -1 with errno. Free in both cases. */
int report_events_find(struct report_events *events, const struct csv *csv);
void report_events_free(struct report_events *events);

/* Makes room for so many rows. 0, or -1 with errno. */
int report_events_reserve(struct report_events *events, size_t rows);

/* Reads those of the current row. 0, or -1 with a message in the reader. */
int report_events_read(struct report_events *events, struct csv *csv, size_t row);

#endif
