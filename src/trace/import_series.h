/* SPDX-License-Identifier: MIT */
/* Samples of machines, and the trace that they make. */
#ifndef TRACE_IMPORT_SERIES_H
#define TRACE_IMPORT_SERIES_H

#include <stdio.h>

#include "trace/import_rules.h"
#include "trace/trace.h"

/* How samples of one machine at one time belong together. */
enum import_merge {
	IMPORT_FIRST, /* they are the same sample: the first one counts */
	IMPORT_PARTS, /* each is a part of the machine: values are added, and divided by the sum of weights */
	IMPORT_USERS, /* each uses some of the machine: values are added, each for its interval, and divided by the capacity */
};

struct import_sample {
	const char *machine; /* not NUL-terminated; nothing where a file holds one machine */
	size_t machine_length;
	int64_t ns;        /* its time */
	int64_t length_ns; /* of its interval; 0: up to the next sample, or since the one before */
	double value;      /* NaN: it is known that there is none */
	double weight;     /* 1, or how many processors a part brings with it */
};

/* What was not as it should be. */
struct import_counts {
	uint64_t samples;
	uint64_t loads; /* of the trace */
	uint64_t wrong, unzoned, unsorted, duplicates, outside, gaps, resets, overlaps, missing;
	int64_t gaps_ns;
	char first_wrong[400];
};

struct import_part {
	int64_t ns, length_ns;
	double value;
	float weight;
	uint32_t order; /* in the file */
};

struct import_cell {
	double value, weight;
};

struct import_series {
	/* The machine that is wanted, or the first one. */
	char *machine;
	size_t machine_length;
	struct import_part *part;
	size_t parts, capacity;
	/* Over steps of time, when machines or their users are added up. */
	struct import_cell *cell;
	size_t cells, cell_capacity;
	int64_t first_cell; /* its number since 1970 */
	/* All machines, when they are listed or counted. */
	void *machines; /* of tsearch */
	struct import_machine *last_machine;
	size_t machine_count;
};

/* Takes a sample, or leaves it. 0, or -1 with a message in `error`. */
int import_series_add(struct import_series *series, const struct import_rules *rules, enum import_merge merge,
	enum import_stamp stamp, int64_t step_ns, const struct import_sample *sample, struct import_counts *counts,
	char error[static IMPORT_ERROR_MAX]);

/* Makes the trace of them. Likewise; `step_ns` as above. */
int import_series_finish(struct import_series *series, const struct import_rules *rules, enum import_merge merge,
	enum import_stamp stamp, int64_t step_ns, struct import_counts *counts, struct trace *trace,
	char error[static IMPORT_ERROR_MAX]);

/* Prints the machines, with a head. */
void import_series_list(const struct import_series *series, enum import_merge merge, FILE *to);

void import_series_free(struct import_series *series);

#endif
