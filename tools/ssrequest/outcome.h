/* SPDX-License-Identifier: MIT */
/* What has come of all requests together: the summary for people, and the figures for programs. */
#ifndef SSREQUEST_OUTCOME_H
#define SSREQUEST_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ssrequest/request_log.h"
#include "ssrequest/response_times.h"

/* Large; start with zeros. */
struct outcome {
	uint64_t fate[REQUEST_FATES];
	uint64_t postponed;     /* arrived later than planned */
	uint64_t under_way;     /* neither answered nor given up when the run was ended */
	uint64_t bytes;         /* of good answers */
	int64_t stood_still_ns; /* the generator: it was stopped, or got no processor */
	uint64_t stood_still;   /* how often */
	int64_t planned_ns; /* the time for which they were planned: the length of the schedule, or where the next one would have been */
	int64_t wall_ns; /* from the start to the end of the last of them, or of the schedule where that ends by its length */
	int64_t last_good_ns;           /* CLOCK_MONOTONIC: the end of the last good answer; 0: there is none */
	int64_t good_ns;                /* from the start until then, or all of planned_ns where that is longer */
	struct response_times response; /* of those that were answered or given up, from when they were planned */
	struct response_times late;     /* of those that were sent: from their arrival until then */
};

void outcome_add(struct outcome *outcome, const struct request_record *record);

/* What --require and the record for programs know by name. */
enum outcome_figure {
	OUTCOME_MEAN,
	OUTCOME_P50,
	OUTCOME_P90,
	OUTCOME_P95,
	OUTCOME_P99,
	OUTCOME_P999,
	OUTCOME_MAX,
	OUTCOME_ERRORS,
	OUTCOME_TIMEOUTS,
	OUTCOME_DROPS,
	OUTCOME_FIGURES
};
const char *outcome_figure_name(enum outcome_figure figure);
bool outcome_figure_is_time(enum outcome_figure figure);
/* Seconds, or a share of all requests, 0 to 1; NaN where there is nothing to know it from. */
double outcome_figure(const struct outcome *outcome, enum outcome_figure figure);

#define OUTCOME_TEXT_MAX 40
/* With its unit. Returns text. */
char *outcome_print_figure(enum outcome_figure figure, double value, char text[static OUTCOME_TEXT_MAX]);
char *outcome_print_time(double seconds, char text[static OUTCOME_TEXT_MAX]);

uint64_t outcome_requests(const struct outcome *outcome);
/* Answered as expected. */
uint64_t outcome_good(const struct outcome *outcome);

/* Writes the summary to stderr. */
void outcome_print(const struct outcome *outcome);

/* Says what its rows mean. */
void outcome_explain(FILE *to);

/* Whether the generator was so late that its figures are no longer the server's alone. */
bool outcome_is_late(const struct outcome *outcome);

/* The arguments of the run, and what came of it, as JSON. 0, or -1 with errno; then the file is left empty. Closes it. */
int outcome_export(const struct outcome *outcome, FILE *file, const char *path, char *const *words, int64_t seed);

#endif
