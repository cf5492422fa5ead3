/* SPDX-License-Identifier: MIT */
/*
 * Where the wall clock is not set, the difference stays the same within microseconds, also while NTP makes it faster or slower: that
 * changes CLOCK_MONOTONIC as much. So one number per file is enough to join files. The median is what held for most of a file.
 */
#include "report/clocks.h"

#include <math.h>

/* Differences of files of one boot are closer together than this. If other files are as close, either clock joins them as well. */
#define SAME_BOOT_S 0.01

int report_clock_read(struct csv *csv, int column, double *wall)
{
	if (csv_number(csv, (size_t)column, wall) != 0)
		return -1;
	if (*wall < 0)
		return csv_refuse(csv, (size_t)column, "found %g, expected seconds since 1970", *wall);
	return 0;
}

int report_clock_add(struct report_values *offsets, double monotonic, double wall)
{
	return isnan(wall) ? 0 : report_values_add(offsets, wall - monotonic);
}

struct report_clock report_clock_make(struct report_values *offsets)
{
	struct report_clock clock = {0};
	if (offsets->count > 0) {
		clock = (struct report_clock){
			.is_known = true, .first = offsets->item[0], .last = offsets->item[offsets->count - 1]};
		report_values_sort(offsets);
		clock.usual = offsets->item[offsets->count / 2];
	}
	report_values_free(offsets);
	return clock;
}

bool report_clock_is_same(const struct report_clock *a, const struct report_clock *b)
{
	return fabs(a->usual - b->usual) < SAME_BOOT_S || fabs(a->first - b->first) < SAME_BOOT_S ||
	       fabs(a->last - b->last) < SAME_BOOT_S;
}

bool report_clock_needs_wall(enum report_join join, const struct report_clock *file, const struct report_clock *reference)
{
	return join != REPORT_JOIN_MONOTONIC && file->is_known && reference->is_known &&
	       (join == REPORT_JOIN_WALL || !report_clock_is_same(file, reference));
}

double report_clock_shift(enum report_join join, const struct report_clock *file, const struct report_clock *reference)
{
	if (!report_clock_needs_wall(join, file, reference))
		return 0;
	/* Files have microseconds; the rest is what a double leaves of numbers this large. */
	return round((file->usual - reference->usual) * 1e6) / 1e6;
}

double report_clock_move(double time, double shift)
{
	/* What was read from decimals is so what those of the other clock would have given, to the last bit. */
	return shift == 0 ? time : round((time + shift) * 1e9) / 1e9;
}

double report_clock_moved(const struct report_clock *clock)
{
	return clock->last - clock->first;
}
