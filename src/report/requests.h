/* SPDX-License-Identifier: MIT */
/*
 * Requests, as a report needs them: when each began, how long it took, and how it ended.
 *
 * They are kept 16 bytes each, and all that follows from them is exact. Where memory doesn't suffice for that, those that began at nearly
 * the same time, and took nearly as long, become one that counts as so many: response times are then within 0.05 % (record/response_times.h), and
 * moments within half of slot_ns.
 */
#ifndef REPORT_REQUESTS_H
#define REPORT_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/client_log.h"
#include "report/values.h"

/* From which moment a response time runs, to the end of the request. */
enum report_latency_from {
	REPORT_FROM_PLANNED,
	REPORT_FROM_ARRIVAL,
	REPORT_FROM_SENT,
	REPORT_FROM_BEST, /* planned, or sent in a file without a schedule */
};

/* Those that were answered or given up have a response time. */
enum report_latency_outcome { REPORT_GOOD, REPORT_WRONG, REPORT_TIMEOUT, REPORT_UNANSWERED, REPORT_DROPPED, REPORT_OUTCOMES };

/* Two words, of which the first is what lists are sorted by. */
struct report_pair {
	uint64_t key, rest;
};

/* Stably, by the key; `spare` has room for as many. The result is in `item`. */
void report_pairs_sort(struct report_pair *item, struct report_pair *spare, size_t count);

/*
 * Start with {0}, or with `most` set: so many items are kept at most. Moments are seconds since base_ns, a whole second at the first record: numbers
 * since 1970, or since a machine's start long ago, would lose nanoseconds in a double.
 */
struct report_requests {
	struct report_pair *item; /* see report_request_at */
	size_t count, capacity, most;
	int64_t base_ns;           /* on the clock of the records */
	int64_t slot_ns;           /* 0: exact */
	int64_t first_ns, last_ns; /* when the first and the last one began, since base_ns */
	int64_t gap_ns;            /* between the last ones; 0: all began together */
	bool come_together; /* most begin at the moment at which others do, as of a schedule that sends all of a second at once */
	uint64_t total;     /* requests */
	double missing;     /* seconds, of whose requests some are missing */
	struct report_clock clock;
};

/* What an item stands for. */
struct report_request {
	double begin;
	uint64_t time_ns;
	enum report_latency_outcome outcome;
	uint64_t weight; /* so many requests */
};
struct report_request report_request_at(const struct report_requests *requests, size_t at);

/* Adds those of a file. 0, or -1 with a message. Free in both cases. */
int report_requests_read(struct report_requests *requests, struct client_log *log, const char *name,
	enum report_latency_from from, char error[static CSV_ERROR_MAX]);
/*
 * Once, behind the last file: what follows needs them in the order of their times. There is memory then for two more lists as long as the items.
 * 0, or -1 with errno.
 */
int report_requests_sort(struct report_requests *requests);
void report_requests_free(struct report_requests *requests);

/* When the first and the last one began; there must be one. */
double report_requests_first(const struct report_requests *requests);
double report_requests_last(const struct report_requests *requests);
/* When one more would have begun, as far apart as those before it. */
double report_requests_end(const struct report_requests *requests);
/* The first item from that moment on. */
size_t report_requests_find(const struct report_requests *requests, double moment);

#endif
