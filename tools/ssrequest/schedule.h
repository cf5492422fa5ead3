/* SPDX-License-Identifier: MIT */
/*
 * When requests are planned: pure, in virtual time, from a rate that may change with time. Times are ns since the start, from 0.
 *
 * The number of requests that the rate has asked for by a time is its integral. Requests are planned where this number reaches 0, 1, 2, …
 * (even), or the sums of exponential gaps (Poisson); or all those of a second at its beginning (concurrent).
 */
#ifndef SSREQUEST_SCHEDULE_H
#define SSREQUEST_SCHEDULE_H

#include <stdint.h>

enum arrivals { ARRIVALS_EVEN, ARRIVALS_CONCURRENT, ARRIVALS_POISSON };

struct schedule_settings {
	/* Requests per second at a time, from 0, taken to be the same for a millisecond. NULL: it is `constant`. */
	double (*rate)(void *context, int64_t since_ns);
	void *context;
	double constant;
	enum arrivals arrivals;
	uint64_t seed;     /* of the gaps of Poisson arrivals */
	int64_t length_ns; /* none is planned from here on; INT64_MAX: no end */
	uint64_t most;     /* so many requests are planned; UINT64_MAX: no end */
};

struct schedule {
	struct schedule_settings settings;
	int64_t cell_ns;    /* where the stretch begins that is looked at, */
	long double asked;  /* so many requests were asked for by then, */
	long double wanted; /* and the next one is planned where it is that many */
	uint64_t count;     /* planned so far */
	uint64_t batch;     /* left of those at batch_ns */
	int64_t batch_ns;   /* concurrent: where the last batch was planned */
	uint64_t random;    /* state */
};

void schedule_init(struct schedule *schedule, const struct schedule_settings *settings);

enum schedule_answer { SCHEDULE_REQUEST, SCHEDULE_NONE_BEFORE, SCHEDULE_END };

/* The next one: it is planned for *when_ns, or there is none before *when_ns, to be asked again then, or there are no more. */
enum schedule_answer schedule_next(struct schedule *schedule, int64_t *when_ns);

#endif
