/* SPDX-License-Identifier: MIT */
/*
 * Logs and records that no example looks like, made from a seed: rows of unequal length, rows that are missing, cells that are empty, a warm-up
 * or none, several instances whose iterations overlap and end out of order, records that are lost, clocks that began anywhere. What a
 * reader makes of the text is compared with what was put into it. Who fails says the seed: one that failed is repeated by it alone.
 */
#ifndef IRREGULAR_H
#define IRREGULAR_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/splitmix.h"

#define IRREGULAR_ROWS 60
#define IRREGULAR_ITERATIONS 200
#define IRREGULAR_TEXT 65536

struct irregular_row {
	double start, end;                  /* since control began, in whole microseconds */
	double target, load, others, power; /* NaN: the cell is empty */
	bool is_there;                      /* else the file lacks it */
};

struct irregular_iteration {
	unsigned instance;
	double start, end; /* CLOCK_MONOTONIC, in whole microseconds */
	bool is_lost;      /* the record says only that there were some */
};

struct irregular {
	uint64_t state;
	double boot; /* CLOCK_MONOTONIC when control began */
	double wall; /* the wall clock less that */
	struct irregular_row row[IRREGULAR_ROWS];
	size_t rows;
	struct irregular_iteration iteration[IRREGULAR_ITERATIONS];
	size_t iterations;
	char text[IRREGULAR_TEXT];
};

/* From `least` to `most`, in millionths. */
static inline double irregular_number(struct irregular *made, double least, double most)
{
	const double share = (double)(splitmix_next(&made->state) >> 11) * 0x1p-53;
	return round((least + share * (most - least)) * 1e6) / 1e6;
}

static inline bool irregular_chance(struct irregular *made, unsigned one_of)
{
	return splitmix_next(&made->state) % one_of == 0;
}

static inline void irregular_print(struct irregular *made, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void irregular_print(struct irregular *made, const char *format, ...)
{
	const size_t used = strlen(made->text);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(made->text + used, sizeof made->text - used, format, arguments);
	va_end(arguments);
}

/* Nothing where it is NaN. */
static inline void irregular_cell(struct irregular *made, double value, bool is_last)
{
	if (!isnan(value))
		irregular_print(made, "%.6f", value);
	irregular_print(made, "%s", is_last ? "\n" : ",");
}

static inline double irregular_load(struct irregular *made)
{
	return irregular_chance(made, 9) ? NAN : irregular_number(made, 0, 1);
}

/*
 * Rows are from 0.7 to 1.3 times as long as usual; those that are missing leave a hole of more than two usual ones, so that nobody takes what
 * follows for one long row. The warm-up and the first row under control are there.
 */
static inline void irregular_make(struct irregular *made, uint64_t seed)
{
	memset(made, 0, sizeof *made);
	made->state = seed;
	made->boot = irregular_number(made, 0, 1e6);
	made->wall = irregular_number(made, 1e9, 2e9);
	made->rows = 8 + splitmix_next(&made->state) % (IRREGULAR_ROWS - 8);
	const double usual = irregular_number(made, 0.05, 3);
	const bool has_warmup = irregular_chance(made, 2);
	double at = has_warmup ? -round(usual * 1e6) / 1e6 * 4 : 0;
	double target = irregular_load(made);
	unsigned missing = 0;
	for (size_t i = 0; i < made->rows; i++) {
		struct irregular_row *const row = &made->row[i];
		if (missing)
			missing--;
		else if (i > 0 && row[-1].start >= 0 && irregular_chance(made, 9))
			missing = 3 + (unsigned)(splitmix_next(&made->state) % 3);
		if (irregular_chance(made, 5))
			target = irregular_load(made);
		row->start = at;
		at = round((at + irregular_number(made, 0.7 * usual, 1.3 * usual)) * 1e6) / 1e6;
		/* No row is half warm-up. */
		if (row->start < 0 && at > -0.5 * usual)
			at = 0;
		row->end = at;
		row->target = row->end > 0 ? target : NAN;
		row->load = irregular_load(made);
		row->others = irregular_load(made);
		row->power = irregular_chance(made, 9) ? NAN : irregular_number(made, 0, 400);
		row->is_there = !missing;
	}
}

/* The log, with its columns in an order of chance, and some that nobody knows. */
static inline const char *irregular_log(struct irregular *made)
{
	enum { TIME, MONOTONIC, TARGET, LOAD, OTHERS, POWER, WALL, STRANGE, COLUMNS };
	static const char *const names[] = {
		"time_s", "monotonic_s", "target", "load", "others", "power_w", "time_unix_s", "phase_of_moon"};
	unsigned order[COLUMNS];
	for (unsigned i = 0; i < COLUMNS; i++)
		order[i] = i;
	for (unsigned i = COLUMNS - 1; i > 0; i--) {
		const unsigned other = (unsigned)(splitmix_next(&made->state) % (i + 1));
		const unsigned kept = order[i];
		order[i] = order[other];
		order[other] = kept;
	}
	made->text[0] = '\0';
	for (unsigned i = 0; i < COLUMNS; i++)
		irregular_print(made, "%s%s", names[order[i]], i + 1 < COLUMNS ? "," : "\n");
	for (size_t i = 0; i < made->rows; i++) {
		const struct irregular_row *const row = &made->row[i];
		const double values[COLUMNS] = {row->end, made->boot + row->end, row->target, row->load, row->others, row->power,
			made->boot + made->wall + row->end, (double)i};
		for (unsigned k = 0; row->is_there && k < COLUMNS; k++)
			irregular_cell(made, values[order[k]], k + 1 == COLUMNS);
	}
	return made->text;
}

/* Iterations of up to five instances within so many seconds. Those of one instance follow one another; the file has them as they ended, or not. */
static inline void irregular_iterate(struct irregular *made, double seconds)
{
	const unsigned instances = 1 + (unsigned)(splitmix_next(&made->state) % 5);
	made->iterations = 0;
	for (unsigned instance = 0; instance < instances; instance++) {
		const double usual = irregular_number(made, seconds / 60, seconds / 8);
		double at = made->boot + irregular_number(made, 0, usual);
		while (made->iterations < IRREGULAR_ITERATIONS) {
			const double length = irregular_chance(made, 12) ? 0 : irregular_number(made, usual / 9, 2 * usual);
			if (at + length > made->boot + seconds)
				break;
			made->iteration[made->iterations++] = (struct irregular_iteration){.instance = instance,
				.start = at,
				.end = at + length,
				.is_lost = length > 0 && irregular_chance(made, 15)};
			at += length + (irregular_chance(made, 3) ? irregular_number(made, 0, usual) : 0);
		}
	}
}

/* Their records; `mixed`: those of the instances among one another, each instance's in their order. */
static inline const char *irregular_records(struct irregular *made, bool mixed)
{
	bool done[IRREGULAR_ITERATIONS] = {false};
	made->text[0] = '\0';
	irregular_print(made, "end_s,instance,start_s,iteration,time_unix_s\n");
	for (size_t written = 0; written < made->iterations; written++) {
		size_t at = 0;
		while (done[at])
			at++;
		for (unsigned skip = mixed ? (unsigned)(splitmix_next(&made->state) % 5) : 0; skip > 0; skip--) {
			/* The first one of another instance that is left. */
			size_t next = at + 1;
			while (next < made->iterations &&
				(done[next] || made->iteration[next].instance == made->iteration[at].instance))
				next++;
			if (next == made->iterations)
				break;
			at = next;
		}
		const struct irregular_iteration *const one = &made->iteration[at];
		char number[16] = "";
		if (!one->is_lost)
			snprintf(number, sizeof number, "%zu", at);
		irregular_print(
			made, "%.6f,%u,%.6f,%s,%.6f\n", one->end, one->instance, one->start, number, one->end + made->wall);
		done[at] = true;
	}
	return made->text;
}

#endif
