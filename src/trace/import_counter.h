/* SPDX-License-Identifier: MIT */
/* The time that processors spent in one state, as counters or as shares: parts of a machine's load. */
#ifndef TRACE_IMPORT_COUNTER_H
#define TRACE_IMPORT_COUNTER_H

#include "trace/import_reader.h"

/* What the load is made of: it is what is neither idle nor waiting for disks. Other states are not needed. */
enum import_state { IMPORT_STATE_LOAD, IMPORT_STATE_IDLE, IMPORT_STATE_WAIT, IMPORT_STATE_OTHER };

/* One series. Zero but for what it is. */
struct import_counter {
	enum import_state state;
	bool is_counter; /* else each value is a share */
	double unit;     /* the share 1 in it; of a counter, a second of one processor */
	const char *machine;
	size_t machine_length;
	bool has_last, is_held;
	int64_t last_ns, usual_ns;
	double last; /* value, or the share that is held */
};

/* As import_number, but a NaN in letters is one, too, and nothing is no number. */
bool import_counter_number(const struct import_field *field, double *value);

/*
 * Takes the next value; NaN: there is none. Time must go on. The first share is held until the one after it tells how long it is. 0, or -1 after
 * import_refuse.
 */
int import_counter_add(struct import *import, struct import_counter *counter, int64_t ns, double value);

/* No value comes now: gives what is held. Likewise. */
int import_counter_flush(struct import *import, struct import_counter *counter);

#endif
