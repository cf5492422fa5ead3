/* SPDX-License-Identifier: MIT */
/*
 * Response times of requests in stretches of time: means and quantiles with their intervals, and up to which load they keep within limits.
 * A quantile is that of record/response_times.h: the least time that at least that share doesn't exceed.
 */
#ifndef REPORT_LATENCY_H
#define REPORT_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/requests.h"

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
	double from, to;   /* moments of the requests: those that began there are the row's */
	double start, end; /* as the user is to see them */
	double target, load;
	uint64_t requests, outcome[REPORT_OUTCOMES];
	uint64_t samples;                     /* response times */
	double rate, throughput;              /* requests, and good answers, per second */
	double value[REPORT_LATENCY_FIGURES]; /* seconds; NaN with too few samples */
	/* Infinite where it may be longer than any time that was seen. */
	double low[REPORT_LATENCY_BOUNDED], high[REPORT_LATENCY_BOUNDED];
};

/* Most seconds of each figure; NaN: no limit. */
struct report_latency_limits {
	double most[REPORT_LATENCY_FIGURES];
};

struct report_latency_rules {
	size_t resamples;
	uint64_t seed;
};

/*
 * Intervals, with REPORT_CONFIDENCE, go by how REPORT_LATENCY_BLOCKS, into which the row's time is cut, differ: that of the mean is one of a bootstrap,
 * for which as many are drawn again and again. Requests depend on those just before them, blocks hardly. 0, or -1 with errno.
 */
#define REPORT_LATENCY_BLOCKS 30
int report_latency_measure(
	const struct report_requests *requests, const struct report_latency_rules *rules, struct report_latency_row *row);

/* The response times of the requests that began in a stretch of time, sorted: `count` different ones, `total` in all. */
struct report_latency_times {
	double *seconds;
	uint64_t *up_to; /* how many there are up to each */
	size_t count;
	uint64_t total;
};
/* 0, or -1 with errno. To be freed in both cases. */
int report_latency_times_collect(
	const struct report_requests *requests, double from, double to, struct report_latency_times *times);
/* That of a rank, from 1 to total. */
double report_latency_times_at(const struct report_latency_times *times, uint64_t rank);
void report_latency_times_free(struct report_latency_times *times);

/*
 * Whether a row keeps the limits: 1, 0, or -1 where it has too few samples. One of a quantile is left as well where more requests than may be slower were
 * not answered well.
 */
int report_latency_keeps(const struct report_latency_row *row, const struct report_latency_limits *limits);

/*
 * The greatest row that keeps the limits, by its load, or by its rate where no row has a load; and an interval of that load or rate: from
 * the greatest row whose figures keep them by the upper ends of their intervals (NaN: none) to the greatest that does by the lower ends.
 */
struct report_knee {
	const struct report_latency_row *row; /* NULL: none keeps them */
	bool is_of_load;
	double value, low, high;
	size_t lesser; /* rows up to there that don't keep the limits */
	bool is_last;  /* no row above it that doesn't */
};
void report_latency_knee(
	const struct report_latency_row *row, size_t count, const struct report_latency_limits *limits, struct report_knee *knee);

#endif
