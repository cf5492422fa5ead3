/* SPDX-License-Identifier: MIT */
#include "ssrequest/outcome.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/json_value.h"
#include "base/units.h"
#include "base/version.h"

/* Of the screen, and where values begin. */
#define SCREEN 79
#define VALUE_COLUMN 18
/* So long behind the plan the wait for the last answers is said. */
#define LONG_NS (100 * NS_PER_MS)
#define LATE_S 0.001

void outcome_add(struct outcome *outcome, const struct request_record *record)
{
	const bool is_sent = record->sent_ns != REQUEST_LOG_NEVER;
	outcome->fate[record->fate]++;
	if (record->fate == REQUEST_GOOD) {
		outcome->bytes += record->bytes > 0 ? (uint64_t)record->bytes : 0;
		outcome->last_good_ns = record->end_ns > outcome->last_good_ns ? record->end_ns : outcome->last_good_ns;
	}
	if (record->fate <= REQUEST_TIMEOUT)
		response_times_add(&outcome->response, record->end_ns - record->planned_ns);
	if (is_sent)
		response_times_add(&outcome->late, record->sent_ns - record->arrival_ns);
	outcome->postponed += is_sent && record->arrival_ns > record->planned_ns;
}

uint64_t outcome_requests(const struct outcome *outcome)
{
	uint64_t sum = 0;
	for (int i = 0; i < REQUEST_FATES; i++)
		sum += outcome->fate[i];
	return sum;
}

uint64_t outcome_good(const struct outcome *outcome)
{
	return outcome->fate[REQUEST_GOOD];
}

/* Answered, but not well. */
static uint64_t wrong_of(const struct outcome *outcome)
{
	return outcome->fate[REQUEST_WRONG] + outcome->fate[REQUEST_UNEXPECTED];
}

/* ---- Figures ---------------------------------------------------------------------------------------------------------- */

static const struct figure {
	const char *name;
	double quantile; /* of times; NaN: it is none */
} figures[OUTCOME_FIGURES] = {
	[OUTCOME_MEAN] = {"mean", NAN},
	[OUTCOME_P50] = {"p50", 0.5},
	[OUTCOME_P90] = {"p90", 0.9},
	[OUTCOME_P95] = {"p95", 0.95},
	[OUTCOME_P99] = {"p99", 0.99},
	[OUTCOME_P999] = {"p99.9", 0.999},
	[OUTCOME_MAX] = {"max", NAN},
	[OUTCOME_ERRORS] = {"errors", NAN},
	[OUTCOME_TIMEOUTS] = {"timeouts", NAN},
	[OUTCOME_DROPS] = {"drops", NAN},
};

const char *outcome_figure_name(enum outcome_figure figure)
{
	return figures[figure].name;
}

bool outcome_figure_is_time(enum outcome_figure figure)
{
	return figure <= OUTCOME_MAX;
}

double outcome_figure(const struct outcome *outcome, enum outcome_figure figure)
{
	const uint64_t requests = outcome_requests(outcome);
	const uint64_t count = figure == OUTCOME_ERRORS     ? requests - outcome_good(outcome)
			       : figure == OUTCOME_TIMEOUTS ? outcome->fate[REQUEST_TIMEOUT]
							    : outcome->fate[REQUEST_DROPPED];
	if (figure == OUTCOME_MEAN)
		return response_times_mean_s(&outcome->response);
	if (figure == OUTCOME_MAX)
		return response_times_most_s(&outcome->response);
	if (outcome_figure_is_time(figure))
		return response_times_quantile_s(&outcome->response, figures[figure].quantile);
	return requests ? (double)count / (double)requests : NAN;
}

char *outcome_print_time(double seconds, char text[static OUTCOME_TEXT_MAX])
{
	if (isnan(seconds))
		snprintf(text, OUTCOME_TEXT_MAX, "not known");
	else if (seconds >= 1)
		snprintf(text, OUTCOME_TEXT_MAX, "%.3f s", seconds);
	else
		snprintf(text, OUTCOME_TEXT_MAX, "%.3f ms", seconds * 1e3);
	return text;
}

char *outcome_print_figure(enum outcome_figure figure, double value, char text[static OUTCOME_TEXT_MAX])
{
	if (outcome_figure_is_time(figure))
		return outcome_print_time(value, text);
	if (isnan(value))
		snprintf(text, OUTCOME_TEXT_MAX, "not known");
	else
		snprintf(text, OUTCOME_TEXT_MAX, "%.4g %%", 100 * value);
	return text;
}

bool outcome_is_late(const struct outcome *outcome)
{
	return response_times_quantile_s(&outcome->late, 0.99) > LATE_S;
}

/* ---- The summary ------------------------------------------------------------------------------------------------------ */

enum row { ROW_REQUESTS, ROW_ANSWERED, ROW_ERRORS, ROW_TIME, ROW_QUANTILES, ROW_MAX, ROW_POSTPONED, ROW_LATE, ROW_COUNT };

static const struct {
	const char *label, *text;
} rows[ROW_COUNT] = {
	[ROW_REQUESTS] = {"requests", "how many were planned, for what time, and how many that is a second; and when all had "
				      "ended, where that was later. "
				      "Those that were under way when the run was interrupted don't count, here and below."},
	[ROW_ANSWERED] = {"answered",
		"as expected: how many, how many a second up to the last of them, and bytes of their answers, without headers."},
	[ROW_ERRORS] = {"errors",
		"share of all requests that were not answered as expected: by a wrong status or text; with nobody to connect "
		"to (refused); with no answer, or half of one (failed); given up after --timeout; or never sent, as too many "
		"were unanswered (dropped)."},
	[ROW_TIME] = {"response time",
		"from the moment that a request was planned for until its answer was there, whatever its status, or until "
		"it was given up: the mean."},
	[ROW_QUANTILES] = {"p50 ... p99.9",
		"so many per cent of them took no longer. Within 0.1 %, as times are counted in bins."},
	[ROW_MAX] = {"maximum", "the longest of them."},
	[ROW_POSTPONED] = {"postponed",
		"share of all requests that arrived later than planned, as --limit of them were unanswered."},
	[ROW_LATE] = {"generator late",
		"from the arrival of a request until it was sent: 50 and 99 % of them were sent sooner, and the longest. "
		"This is no time of the server's, but is part of its response times."},
};

static void begin_row(FILE *to, const char *label)
{
	fprintf(to, "%-*s", VALUE_COLUMN, label);
}

static void print_errors(const struct outcome *outcome, FILE *to)
{
	const uint64_t count[] = {wrong_of(outcome), outcome->fate[REQUEST_REFUSED], outcome->fate[REQUEST_FAILED],
		outcome->fate[REQUEST_TIMEOUT], outcome->fate[REQUEST_DROPPED]};
	static const char *const name[] = {"wrong", "refused", "failed", "given up", "dropped"};
	char text[OUTCOME_TEXT_MAX];
	const char *joint = ": ";
	begin_row(to, rows[ROW_ERRORS].label);
	fputs(outcome_print_figure(OUTCOME_ERRORS, outcome_figure(outcome, OUTCOME_ERRORS), text), to);
	for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
		if (!count[i])
			continue;
		fprintf(to, "%s%" PRIu64 " %s", joint, count[i], name[i]);
		joint = ", ";
	}
	fputc('\n', to);
}

static void print_times(const struct outcome *outcome, FILE *to)
{
	char text[3][OUTCOME_TEXT_MAX];
	for (enum outcome_figure figure = OUTCOME_MEAN; figure <= OUTCOME_MAX; figure++) {
		begin_row(to, figure == OUTCOME_MEAN  ? rows[ROW_TIME].label
			      : figure == OUTCOME_MAX ? rows[ROW_MAX].label
						      : outcome_figure_name(figure));
		fprintf(to, "%s\n", outcome_print_time(outcome_figure(outcome, figure), text[0]));
	}
	if (outcome->postponed) {
		begin_row(to, rows[ROW_POSTPONED].label);
		fprintf(to, "%.4g %%: %" PRIu64 "\n", 100 * (double)outcome->postponed / (double)outcome_requests(outcome),
			outcome->postponed);
	}
	if (outcome->late.count == 0)
		return;
	begin_row(to, rows[ROW_LATE].label);
	fprintf(to, "p50 %s, p99 %s, maximum %s\n", outcome_print_time(response_times_quantile_s(&outcome->late, 0.5), text[0]),
		outcome_print_time(response_times_quantile_s(&outcome->late, 0.99), text[1]),
		outcome_print_time(response_times_most_s(&outcome->late), text[2]));
}

static void print_rows(const struct outcome *outcome, FILE *to)
{
	const double planned_s = (double)outcome->planned_ns / (double)NS_PER_S;
	const uint64_t requests = outcome_requests(outcome), good = outcome_good(outcome);
	begin_row(to, rows[ROW_REQUESTS].label);
	fprintf(to, "%" PRIu64 " in %.1f s, %.1f a second", requests, planned_s, (double)requests / planned_s);
	if (outcome->under_way)
		fprintf(to, "; %" PRIu64 " more were under way", outcome->under_way);
	if (outcome->wall_ns - outcome->planned_ns > LONG_NS)
		fprintf(to, "; all had ended after %.1f s", (double)outcome->wall_ns / (double)NS_PER_S);
	fputc('\n', to);
	if (requests == 0)
		return;
	begin_row(to, rows[ROW_ANSWERED].label);
	fprintf(to, "%" PRIu64 ", %.1f a second, %.3f MB\n", good, (double)good / ((double)outcome->good_ns / (double)NS_PER_S),
		(double)outcome->bytes / 1e6);
	print_errors(outcome, to);
	if (outcome->response.count)
		print_times(outcome, to);
}

void outcome_print(const struct outcome *outcome)
{
	char *text = NULL;
	size_t length = 0;
	FILE *const memory = open_memstream(&text, &length);
	if (!memory)
		return;
	print_rows(outcome, memory);
	fputs("what these mean: ssrequest --explain\n", memory);
	if (fclose(memory) == 0)
		diag_write(text, length);
	free(text);
}

void outcome_explain(FILE *to)
{
	for (int row = 0; row < ROW_COUNT; row++) {
		int column = fprintf(to, "%-*s", VALUE_COLUMN, rows[row].label);
		for (const char *at = rows[row].text; *at;) {
			const int length = (int)strcspn(at, " ");
			if (column > VALUE_COLUMN && column + 1 + length > SCREEN) {
				fprintf(to, "\n%*s", VALUE_COLUMN, "");
				column = VALUE_COLUMN;
			}
			column += fprintf(to, "%s%.*s", column > VALUE_COLUMN ? " " : "", length, at);
			at += length + (at[length] == ' ');
		}
		fputc('\n', to);
	}
}

/* ---- For programs ----------------------------------------------------------------------------------------------------- */

static json_t *late_figures(const struct response_times *late)
{
	return json_pack("{s:o, s:o, s:o}", "p50", json_value_number(response_times_quantile_s(late, 0.5)), "p99",
		json_value_number(response_times_quantile_s(late, 0.99)), "max", json_value_number(response_times_most_s(late)));
}

static json_t *figures_of(const struct outcome *outcome, enum outcome_figure from, enum outcome_figure to)
{
	json_t *const object = json_object();
	for (enum outcome_figure figure = from; figure <= to; figure++)
		json_object_set_new(object, outcome_figure_name(figure), json_value_number(outcome_figure(outcome, figure)));
	return object;
}

static json_t *count_fates(const struct outcome *outcome)
{
	json_t *const object = json_object();
	json_object_set_new(object, "good", json_integer((json_int_t)outcome_good(outcome)));
	json_object_set_new(object, "wrong", json_integer((json_int_t)wrong_of(outcome)));
	for (enum request_fate fate = REQUEST_TIMEOUT; fate < REQUEST_FATES; fate++)
		json_object_set_new(object, request_fate_word(fate), json_integer((json_int_t)outcome->fate[fate]));
	return object;
}

static json_t *record_of(const struct outcome *outcome, char *const *words, int64_t seed)
{
	const double good_s = (double)outcome->good_ns / (double)NS_PER_S;
	json_t *const line = json_array();
	for (char *const *at = words; *at; at++)
		json_array_append_new(line, json_value_text(*at));
	return json_pack("{s:s, s:o, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "ssrequest", version_text,
		"arguments", line, "seed", (json_int_t)seed, "wall_s",
		json_value_number((double)outcome->wall_ns / (double)NS_PER_S), "planned_s",
		json_value_number((double)outcome->planned_ns / (double)NS_PER_S), "requests",
		(json_int_t)outcome_requests(outcome), "under_way", (json_int_t)outcome->under_way, "postponed",
		(json_int_t)outcome->postponed, "bytes", (json_int_t)outcome->bytes, "ended", count_fates(outcome), "shares",
		figures_of(outcome, OUTCOME_ERRORS, OUTCOME_DROPS), "throughput_per_s",
		json_value_number(good_s > 0 ? (double)outcome_good(outcome) / good_s : NAN), "response_s",
		figures_of(outcome, OUTCOME_MEAN, OUTCOME_MAX), "generator_late_s", late_figures(&outcome->late),
		"generator_stood_still_s", json_value_number((double)outcome->stood_still_ns / (double)NS_PER_S));
}

int outcome_export(const struct outcome *outcome, FILE *file, const char *path, char *const *words, int64_t seed)
{
	return json_value_write(record_of(outcome, words, seed), file, path);
}
