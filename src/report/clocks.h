/* SPDX-License-Identifier: MIT */
/*
 * The clocks of files. Times of a file are of CLOCK_MONOTONIC, which begins when a machine boots. A file with a column time_unix_s
 * tells how far the wall clock was from it, and so files of several machines, or boots, can be brought together.
 */
#ifndef REPORT_CLOCKS_H
#define REPORT_CLOCKS_H

#include <stdbool.h>

#include "base/csv.h"
#include "base/row_writer.h"
#include "report/values.h"

/* By which clock files are joined. */
enum report_join {
	REPORT_JOIN_AUTO,      /* monotonic where they are of one boot or don't tell, else wall */
	REPORT_JOIN_WALL,      /* each must tell */
	REPORT_JOIN_MONOTONIC, /* the file's times as they are */
};

/* Wall clock less CLOCK_MONOTONIC in one file, seconds. Zeroed it is one that doesn't tell. */
struct report_clock {
	bool is_known;
	double first, last; /* in the first and in the last row that tells */
	double usual;       /* the median */
};

/* A field of that column: NaN where there is nothing. 0, or -1 with a message. */
int report_clock_read(struct csv *csv, int column, double *wall);

/* Adds the difference of a row to those of which a clock is made; a row that doesn't tell (NaN) is passed over. 0, or -1 with errno. */
int report_clock_add(struct report_values *offsets, double monotonic, double wall);
/* Makes the clock, and frees the list. */
struct report_clock report_clock_make(struct report_values *offsets);

/* Whether the files were written since the same boot: their differences are the same, at one end at least when a clock was set. */
bool report_clock_is_same(const struct report_clock *a, const struct report_clock *b);

/* Whether the wall clock is what joins the file to the reference. */
bool report_clock_needs_wall(enum report_join join, const struct report_clock *file, const struct report_clock *reference);

/* What is to be added to the file's times so that they are of the reference's clock. */
double report_clock_shift(enum report_join join, const struct report_clock *file, const struct report_clock *reference);

/* A time so much later, to the nanosecond, which is what files have. */
double report_clock_move(double time, double shift);

/* By how much the wall clock was set, or drifted, between the first row and the last one. */
double report_clock_moved(const struct report_clock *clock);

#endif
