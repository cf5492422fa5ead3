/* SPDX-License-Identifier: MIT */
/* Columns of events that the kernel counts, and of idle states: their names and number depend on what is asked of which machine. */
#ifndef CPULOAD_COUNTED_H
#define CPULOAD_COUNTED_H

#include "cpuload/idle_states.h"
#include "cpuload/load_source.h"
#include "cpuload/options.h"
#include "meters/counter_set.h"

/* Zeroed it has no columns. */
struct counted {
	const struct settings *settings;
	struct linux_counter_set *counters; /* NULL: none */
	struct linux_idle_states *idle;     /* NULL: none */
	unsigned *id;                       /* room for the processors of a reading */
	size_t ids, room;
	bool is_shared; /* it was said that counters made way for others */
};

/* Opens what the settings ask for, of the processors of a reading, and says what this machine lacks. */
void counted_open(struct counted *counted, const struct settings *settings, const struct busy_reading *reading);
void counted_close(struct counted *counted);

size_t counted_columns(const struct counted *counted);
/* Fills in so many columns, and returns how many. */
size_t counted_name(const struct counted *counted, struct row_column *column);

/* Reads all, of the processors of that reading. 0, or -1 with errno ENOMEM. */
int counted_read(struct counted *counted, const struct busy_reading *reading);

/* Fills in as many values, of what lies between the last two readings. */
size_t counted_take(struct counted *counted, double *value);

#endif
