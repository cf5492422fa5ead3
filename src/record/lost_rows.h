/* SPDX-License-Identifier: MIT */
/*
 * Which rows of a log did not arrive where it is written: what the row that marks the stretch says of it, and how much it was in the end. A
 * row may have been taken to be written later, and be lost after all.
 */
#ifndef RECORD_LOST_ROWS_H
#define RECORD_LOST_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* A stretch of the run: of one row, or of several. */
struct lost_stretch {
	int64_t ns;
	int64_t target_ns; /* of it, the time that has a target … */
	double target;     /* … and the sum of that, target times ns */
};

/* A row that has been taken, but may not be out yet. */
struct lost_candidate {
	uint64_t until; /* bytes up to its end */
	struct lost_stretch own, marked;
};

/* Start with {0}, or by lost_rows_init where rows may be written later. */
struct lost_rows {
	struct lost_stretch missing; /* since the last row that was taken: what the next one has to mark */
	int64_t lost_ns;             /* in all, without the candidates */
	uint64_t bytes;              /* taken so far */
	struct lost_candidate *candidate;
	size_t first, count, most; /* a ring */
};

/* So many rows may wait to be written, at most. 0, or -1 with errno ENOMEM. */
int lost_rows_init(struct lost_rows *rows, size_t most);
void lost_rows_free(struct lost_rows *rows);

/* The mean target of what is missing; NaN where there is none. */
double lost_rows_target(const struct lost_rows *rows);

/* A row of so many bytes, with the one that marks what was missing before it, was taken; `kept` bytes of all that was taken are not out yet. */
void lost_rows_take(struct lost_rows *rows, struct lost_stretch own, size_t bytes, size_t kept);

/* A row was not taken; `kept` as above. */
void lost_rows_miss(struct lost_rows *rows, struct lost_stretch own, size_t kept);

/* What is not out as of the last call is lost. */
void lost_rows_drop(struct lost_rows *rows);

#endif
