/* SPDX-License-Identifier: MIT */
/*
 * Response times of requests in stretches of time: means and quantiles with their intervals, and up to which load they keep within limits.
 *
 * All requests are in memory, 16 bytes each, so all figures but the intervals are exact. A quantile is that of record/response_times.h: the
 * least time that at least that share doesn't exceed.
 */
#ifndef REPORT_LATENCY_H
#define REPORT_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/request_reader.h"
#include "report/values.h"

/* From which moment a response time runs, to the end of the request. */
enum report_latency_from { REPORT_FROM_PLANNED, REPORT_FROM_ARRIVAL, REPORT_FROM_SENT };

/* Those that were answered or given up have a response time. */
enum report_latency_outcome { REPORT_GOOD, REPORT_WRONG, REPORT_TIMEOUT, REPORT_UNANSWERED, REPORT_DROPPED, REPORT_OUTCOMES };

/* Two words, of which the first is what lists are sorted by. */
struct report_pair {
	uint64_t key, rest;
};

/* Stably, by the key; `spare` has room for as many. The result is in `item`. */
void report_pairs_sort(struct report_pair *item, struct report_pair *spare, size_t count);

/* Start with {0}. The items are requests: since when the time runs, in ns, and outcome and response time, see latency.c. */
struct report_requests {
	struct report_pair *item;
	size_t count, capacity;
	double missing; /* seconds, of whose requests some are missing */
	struct report_clock clock;
};

/* Adds the records of a file. *is_cut: it ended in half a line, which was left out. 0, or -1 with a message. Free in both cases. */
int report_requests_read(struct report_requests *requests, struct csv *csv, const char *name, enum report_latency_from from,
	bool *is_cut, char error[static CSV_ERROR_MAX]);
/* Once, behind the last file: report_latency_measure needs them in the order of their times. 0, or -1 with errno. */
int report_requests_sort(struct report_requests *requests);
void report_requests_free(struct report_requests *requests);

/* When the first and the last one began, seconds; there must be one. */
double report_requests_first(const struct report_requests *requests);
double report_requests_last(const struct report_requests *requests);

enum report_latency_figure {
	REPORT_LATENCY_MEAN,
	REPORT_LATENCY_P50,
	REPORT_LATENCY_P90,
	REPORT_LATENCY_P95,
	REPORT_LATENCY_P99,
	REPORT_LATENCY_P999,
	REPORT_LATENCY_MAX,
	REPORT_LATENCY_FIGURES,
	REPORT_LATENCY_BOUNDED = REPORT_LATENCY_MAX, /* those before have an interval */
};
const char *report_latency_name(enum report_latency_figure figure);

/* With fewer response times a row has no figures. */
#define REPORT_LATENCY_LEAST 20

/* A row begins with the stretch and what the log knows of it; report_latency_measure does the rest. */
struct report_latency_row {
	double from, to;   /* seconds on the clock of the requests: those that began there are the row's */
	double start, end; /* as the user is to see them */
	double target, load;
	size_t requests, outcome[REPORT_OUTCOMES];
	size_t samples;                       /* response times */
	double rate, throughput;              /* requests, and good answers, per second */
	double value[REPORT_LATENCY_FIGURES]; /* seconds; NaN with too few samples */
	double low[REPORT_LATENCY_BOUNDED], high[REPORT_LATENCY_BOUNDED];
	bool *kept; /* whether the limits were kept in each resample; NULL without limits, or with too few samples */
};

/* Most seconds of each figure; NaN: no limit. */
struct report_latency_limits {
	double most[REPORT_LATENCY_FIGURES];
};

struct report_latency_rules {
	size_t resamples;
	uint64_t seed;
	const struct report_latency_limits *limits; /* or NULL */
};

/*
 * Intervals, with REPORT_CONFIDENCE, are those of a bootstrap over blocks of time: the row's time is cut into REPORT_LATENCY_BLOCKS, of which as many
 * are drawn again and again. Requests depend on those just before them, blocks hardly. 0, or -1 with errno. To be freed in both cases.
 */
#define REPORT_LATENCY_BLOCKS 30
int report_latency_measure(
	const struct report_requests *requests, const struct report_latency_rules *rules, struct report_latency_row *row);
/* The response times of the requests that began in that time, seconds, sorted. To be freed; NULL with errno. */
double *report_latency_times(const struct report_requests *requests, double from, double to, size_t *count);
void report_latency_row_free(struct report_latency_row *row);

/* Whether a row keeps the limits: 1, 0, or -1 where it has too few samples. */
int report_latency_keeps(const struct report_latency_row *row, const struct report_latency_limits *limits);

/*
 * The greatest row that keeps the limits, by its load, or by its rate where no row has a load; and an interval of that load or rate, from the
 * same resamples of all rows. At the low end there may be none: NaN.
 */
struct report_knee {
	const struct report_latency_row *row; /* NULL: none keeps them */
	bool is_of_load;
	double value, low, high;
	size_t lesser; /* rows up to there that don't keep the limits */
	bool is_last;  /* no row above it that doesn't */
};
/* 0, or -1 with errno. */
int report_latency_knee(const struct report_latency_row *row, size_t count, const struct report_latency_limits *limits,
	size_t resamples, struct report_knee *knee);

#endif
