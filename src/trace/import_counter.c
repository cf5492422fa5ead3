/* SPDX-License-Identifier: MIT */
/* A counter tells the mean between its values, however far they are apart; a share is of the usual distance before its time. */
#include "trace/import_counter.h"

#include <math.h>

#include "base/units.h"

/* A distance longer than so many usual ones has a gap in it. */
#define GAP 1.5
/* So far beyond 1 a share is the clock's doing, not the processor's. */
#define JITTER 0.05

bool import_counter_number(const struct import_field *field, double *value)
{
	*value = NAN;
	return field->length > 0 && (import_is(field, "nan") || import_is(field, "NaN") || import_number(field, value));
}

static int add_part(struct import *import, const struct import_counter *counter, int64_t ns, int64_t length_ns, double share)
{
	struct import_sample sample = {.machine = counter->machine,
		.machine_length = counter->machine_length,
		.ns = ns,
		.length_ns = length_ns,
		.value = share,
		.weight = counter->state != IMPORT_STATE_WAIT};
	if (counter->state == IMPORT_STATE_IDLE || counter->state == IMPORT_STATE_WAIT) {
		if (share > 1 && share <= 1 + JITTER)
			share = 1;
		sample.value = sample.weight - share;
	}
	return import_add(import, &sample);
}

static int add_count(struct import *import, struct import_counter *counter, int64_t ns, double value)
{
	const double before = counter->last;
	const int64_t length_ns = ns - counter->last_ns;
	const bool has_last = counter->has_last;
	counter->has_last = true;
	counter->last = value;
	counter->last_ns = ns;
	if (!has_last)
		return 0;
	if (value < before) {
		import->counts.resets++;
		return 0;
	}
	return add_part(
		import, counter, ns, length_ns, (value - before) / counter->unit / ((double)length_ns / (double)NS_PER_S));
}

int import_counter_flush(struct import *import, struct import_counter *counter)
{
	if (!counter->is_held)
		return 0;
	counter->is_held = false;
	return add_part(import, counter, counter->last_ns, counter->usual_ns, counter->last);
}

static int add_share(struct import *import, struct import_counter *counter, int64_t ns, double share)
{
	if (!counter->has_last) {
		counter->has_last = counter->is_held = true;
		counter->last = share;
		counter->last_ns = ns;
		return 0;
	}
	const int64_t distance = ns - counter->last_ns;
	if (counter->usual_ns == 0 || distance < counter->usual_ns)
		counter->usual_ns = distance;
	const int result = import_counter_flush(import, counter);
	counter->last_ns = ns;
	if (result != 0)
		return result;
	const bool is_gap = (double)distance > GAP * (double)counter->usual_ns;
	return add_part(import, counter, ns, is_gap ? counter->usual_ns : distance, share);
}

int import_counter_add(struct import *import, struct import_counter *counter, int64_t ns, double value)
{
	if (isnan(value)) {
		import->counts.missing++;
		return 0;
	}
	if (counter->has_last && ns <= counter->last_ns)
		return import_wrong(import, "found a time that is not behind the one before");
	return counter->is_counter ? add_count(import, counter, ns, value)
				   : add_share(import, counter, ns, value / counter->unit);
}
