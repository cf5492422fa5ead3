/* SPDX-License-Identifier: MIT */
/* What a power meter of one's own wrote: watts at moments of the wall clock, and their mean over a stretch of time. */
#ifndef REPORT_METER_H
#define REPORT_METER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csv.h"
#include "report/log.h"

struct report_meter {
	double *time, *watts; /* `count` readings: seconds since 1970, that grow; NaN where nothing was measured */
	size_t count, capacity;
	double gap;  /* seconds; what is farther apart says nothing of the time between */
	bool is_cut; /* the file ended in half a line, which was left out */
};

/*
 * Reads a CSV file with a column of times, time_unix_s (seconds since 1970, or as time), or time, timestamp, date (seconds since
 * 1970, or ISO 8601 with a zone), and one of watts: power_w, power, watts or W. Readings of one time are one reading, their mean. 0, or
 * -1 with a message. Free in both cases.
 */
int report_meter_read(struct report_meter *meter, struct csv *csv, const char *name, char error[static CSV_ERROR_MAX]);
void report_meter_free(struct report_meter *meter);

/* From straight lines between readings. NaN where these cover less than half of the time. */
double report_meter_mean(const struct report_meter *meter, double start, double end);

/*
 * Puts the means over its rows in the place of a log's power; the log's wall clock is so many seconds before the meter's. The number
 * of rows of which something is known, or -1 with errno.
 */
long report_meter_fill(const struct report_meter *meter, struct report_log *log, double offset);

#endif
