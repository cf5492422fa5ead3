/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "base/units.h"
#include "report/latency.h"

#define expect_near(found, expected, far) assert_true(fabs((found) - (expected)) <= (far))

static const struct report_latency_rules rules = {.resamples = 1000, .seed = 1};

/* Lines of text as a file of requests; sorted. At most so many are kept. */
static struct report_requests read_most(const char *lines, size_t length, enum report_latency_from from, size_t most)
{
	static const struct client_columns columns;
	char error[CSV_ERROR_MAX];
	struct report_requests requests = {.most = most};
	const size_t header = strlen(REQUEST_LOG_HEADER "\n");
	char *const text = malloc(header + length + 1);
	assert_non_null(text);
	memcpy(text, REQUEST_LOG_HEADER "\n", header);
	memcpy(text + header, lines, length + 1);
	struct csv *const csv = csv_open_text_unread(text, header + length, "f", error);
	assert_non_null(csv);
	struct client_log *const log = client_log_new(csv, "f", &columns, error);
	assert_non_null(log);
	assert_int_equal(report_requests_read(&requests, log, "f", from, error), 0);
	assert_int_equal(report_requests_sort(&requests), 0);
	client_log_free(log);
	csv_close(csv);
	free(text);
	return requests;
}

static struct report_requests read_lines(const char *lines, size_t length, enum report_latency_from from)
{
	return read_most(lines, length, from, 0);
}

/* One request a ms from 1000 s on, whose response times are those of time_ms. */
static struct report_requests make_most(size_t count, double (*time_ms)(size_t at), size_t most)
{
	char *text = NULL;
	size_t length;
	FILE *const to = open_memstream(&text, &length);
	assert_non_null(to);
	for (size_t i = 0; i < count; i++) {
		const double at = 1000 + (double)i / 1000;
		fprintf(to, "%zu,0,%.9f,%.9f,%.9f,%.9f,200,,\n", i, at, at, at, at + time_ms(i) / 1000);
	}
	fclose(to);
	const struct report_requests requests = read_most(text, length, REPORT_FROM_PLANNED, most);
	free(text);
	return requests;
}

static struct report_requests make(size_t count, double (*time_ms)(size_t at))
{
	return make_most(count, time_ms, 0);
}

static void pairs_are_sorted(void **state)
{
	(void)state;
	enum { COUNT = 5000 };
	static struct report_pair item[COUNT], spare[COUNT];
	uint64_t seed = 1;
	/* Of few bits, of all, and of some in the middle: some digits are the same in all. */
	const uint64_t masks[] = {UINT64_MAX, 7, UINT64_C(0xff00000000), 0};
	for (size_t mask = 0; mask < 4; mask++) {
		for (size_t i = 0; i < COUNT; i++)
			item[i] = (struct report_pair){splitmix_next(&seed) & masks[mask], i};
		report_pairs_sort(item, spare, COUNT);
		for (size_t i = 1; i < COUNT; i++)
			assert_true(item[i - 1].key < item[i].key ||
				    (item[i - 1].key == item[i].key && item[i - 1].rest < item[i].rest));
	}
	report_pairs_sort(item, spare, 0);
}

static double shuffled(size_t at)
{
	return (double)((at * 7919) % 10000 + 1);
}

/* 10,000 response times, 1 to 10,000 ms: more than the grid has places. */
static void figures_are_exact(void **state)
{
	(void)state;
	struct report_requests requests = make(10000, shuffled);
	struct report_latency_row row = {.from = 0, .to = 10, .load = NAN};
	assert_int_equal(report_latency_measure(&requests, &rules, &row), 0);
	assert_int_equal(row.requests, 10000);
	assert_int_equal(row.samples, 10000);
	expect_near(row.rate, 1000, 1e-9);
	expect_near(row.value[REPORT_LATENCY_MEAN], 5.0005, 1e-9);
	expect_near(row.value[REPORT_LATENCY_P50], 5, 1e-9);
	expect_near(row.value[REPORT_LATENCY_P90], 9, 1e-9);
	expect_near(row.value[REPORT_LATENCY_P99], 9.9, 1e-9);
	expect_near(row.value[REPORT_LATENCY_P999], 9.99, 1e-9);
	expect_near(row.value[REPORT_LATENCY_MAX], 10, 1e-9);
	/* What began before the end is the row's, what began at it is the next one's. */
	row = (struct report_latency_row){.from = 1, .to = 1.02, .load = NAN};
	assert_int_equal(report_latency_measure(&requests, &rules, &row), 0);
	assert_int_equal(row.requests, 20);
	assert_false(isnan(row.value[REPORT_LATENCY_MEAN]));
	row = (struct report_latency_row){.from = 1, .to = 1.019, .load = NAN};
	assert_int_equal(report_latency_measure(&requests, &rules, &row), 0);
	assert_int_equal(row.requests, 19);
	assert_true(isnan(row.value[REPORT_LATENCY_MEAN]) && isnan(row.low[REPORT_LATENCY_MEAN]));
	report_requests_free(&requests);
}

static uint64_t noise;

static double exponential(size_t at)
{
	(void)at;
	return -log((double)(splitmix_next(&noise) >> 11) / 9007199254740992.0 + 1e-17);
}

/* Of independent times the blocks change nothing: the interval holds the true figure about as often as it says. */
static void intervals_hold_what_is_true(void **state)
{
	(void)state;
	enum { TRIES = 100 };
	const double truth[] = {1, log(2), log(10), log(20), log(100)};
	int held[5] = {0};
	noise = 5;
	for (int try = 0; try < TRIES; try++) {
		struct report_requests requests = make(6000, exponential);
		struct report_latency_row row = {.from = 0, .to = 6, .load = NAN};
		assert_int_equal(report_latency_measure(&requests, &rules, &row), 0);
		for (int i = 0; i < 5; i++) {
			assert_true(row.low[i] <= row.value[i] && row.value[i] <= row.high[i]);
			held[i] += row.low[i] * 1000 <= truth[i] && truth[i] <= row.high[i] * 1000;
		}
		report_requests_free(&requests);
	}
	for (int i = 0; i < 5; i++)
		if (held[i] < 85)
			fail_msg("%s: found it in %d of %d intervals", report_latency_name((enum report_latency_figure)i),
				held[i], TRIES);
}

/* Response times of a queue, at random and for a random time, with a mean service time of 1 ms. */
static double utilisation = 0.6;

static double in_a_queue(size_t at)
{
	static double response;
	response = at == 0 ? 0 : fmax(response - exponential(at) / utilisation, 0);
	return response += exponential(at);
}

/* Draws of blocks alone held it in little more than half of the runs. */
static void a_far_quantile_of_a_queue_is_held(void **state)
{
	(void)state;
	enum { TRIES = 100 };
	const double truth = log(100) / (1 - utilisation);
	int held = 0;
	noise = 7;
	for (int try = 0; try < TRIES; try++) {
		struct report_requests requests = make(1200, in_a_queue);
		struct report_latency_row row = {.from = 0, .to = 1.2, .load = NAN};
		assert_int_equal(report_latency_measure(&requests, &rules, &row), 0);
		assert_true(row.low[REPORT_LATENCY_P99] <= row.value[REPORT_LATENCY_P99]);
		assert_true(row.value[REPORT_LATENCY_P99] <= row.high[REPORT_LATENCY_P99]);
		held += row.low[REPORT_LATENCY_P99] * 1000 <= truth && truth <= row.high[REPORT_LATENCY_P99] * 1000;
		report_requests_free(&requests);
	}
	if (held < 75)
		fail_msg("found it in %d of %d intervals", held, TRIES);
}

/* A queue of 200 requests at a time is one thing that happened, not 200. */
static double in_clumps(size_t at)
{
	static double now;
	if (at % 200 == 0)
		now = exponential(at);
	return now;
}

static void requests_that_depend_on_one_another_count_less(void **state)
{
	(void)state;
	noise = 9;
	struct report_requests apart = make(6000, exponential);
	struct report_requests clumped = make(6000, in_clumps);
	struct report_latency_row row[2] = {{.from = 0, .to = 6}, {.from = 0, .to = 6}};
	assert_int_equal(report_latency_measure(&apart, &rules, &row[0]), 0);
	assert_int_equal(report_latency_measure(&clumped, &rules, &row[1]), 0);
	/* √200 is 14. */
	assert_true(row[1].high[0] - row[1].low[0] > 5 * (row[0].high[0] - row[0].low[0]));
	report_requests_free(&apart);
	report_requests_free(&clumped);
}

/* Where there is no room for all of them, figures are within 0.1 %, and none is lost. */
static void many_become_few(void **state)
{
	(void)state;
	enum { COUNT = 60000, MOST = 32768 };
	noise = 5;
	struct report_requests all = make(COUNT, exponential);
	noise = 5;
	struct report_requests few = make_most(COUNT, exponential, MOST);
	assert_true(all.slot_ns == 0 && few.slot_ns > 0);
	assert_true(few.count <= MOST && few.capacity <= MOST);
	assert_int_equal(few.total, COUNT);
	expect_near(report_requests_first(&few), report_requests_first(&all), 0);
	expect_near(report_requests_last(&few), report_requests_last(&all), 0);
	struct report_latency_row row[2] = {{.from = 0, .to = 60}, {.from = 0, .to = 60}};
	assert_int_equal(report_latency_measure(&all, &rules, &row[0]), 0);
	assert_int_equal(report_latency_measure(&few, &rules, &row[1]), 0);
	assert_int_equal(row[1].requests, COUNT);
	assert_int_equal(row[1].samples, COUNT);
	for (int i = 0; i < REPORT_LATENCY_FIGURES; i++)
		expect_near(row[1].value[i], row[0].value[i], 0.001 * row[0].value[i]);
	struct report_latency_times times;
	assert_int_equal(report_latency_times_collect(&few, 0, 60, &times), 0);
	assert_int_equal(times.total, COUNT);
	expect_near(report_latency_times_at(&times, COUNT), row[0].value[REPORT_LATENCY_MAX],
		0.001 * row[0].value[REPORT_LATENCY_MAX]);
	expect_near(report_latency_times_at(&times, COUNT / 2), row[0].value[REPORT_LATENCY_P50],
		0.001 * row[0].value[REPORT_LATENCY_P50]);
	report_latency_times_free(&times);
	/* A part of them: those at its ends may be of another one. */
	struct report_latency_row part = {.from = 20, .to = 40};
	assert_int_equal(report_latency_measure(&few, &rules, &part), 0);
	expect_near((double)part.requests, 20000, (double)few.slot_ns / 1e9 * 1000 + 1);
	report_requests_free(&all);
	report_requests_free(&few);
}

static void the_moment_is_chosen(void **state)
{
	(void)state;
	const char *const lines = "0,0,1,2,3,10,200,,\n1,0,1,2,,4,dropped,,\n2,0,1,2,3,4,timeout,,\n3,0,1,2,3,4,500,,\n"
				  "4,0,1,2,,4,refused,,\n";
	for (int from = 0; from < 3; from++) {
		struct report_requests requests = read_lines(lines, strlen(lines), (enum report_latency_from)from);
		struct report_latency_row row = {.from = -10, .to = 10};
		assert_int_equal(requests.base_ns + requests.last_ns, (1 + from) * NS_PER_S);
		assert_int_equal(report_latency_measure(&requests, &rules, &row), 0);
		assert_int_equal(row.requests, 5);
		assert_int_equal(row.samples, 3);
		for (int i = 0; i < REPORT_OUTCOMES; i++)
			assert_int_equal(row.outcome[i], 1);
		report_requests_free(&requests);
	}
}

static struct report_latency_row row_of(double load, double low, double p99, double high)
{
	struct report_latency_row row = {.load = load, .rate = 10, .samples = 100};
	row.value[REPORT_LATENCY_P99] = p99;
	row.low[REPORT_LATENCY_P99] = low;
	row.high[REPORT_LATENCY_P99] = high;
	return row;
}

static struct report_latency_limits limit_of(enum report_latency_figure figure, double most)
{
	struct report_latency_limits limits;
	for (int i = 0; i < REPORT_LATENCY_FIGURES; i++)
		limits.most[i] = i == (int)figure ? most : NAN;
	return limits;
}

static void the_knee_is_the_greatest_that_keeps_the_limit(void **state)
{
	(void)state;
	struct report_latency_limits limits = limit_of(REPORT_LATENCY_P99, 0.05);
	struct report_knee knee;
	const struct report_latency_row row[] = {row_of(0.9, 0.1, 0.2, 0.3), row_of(0.2, 0.005, 0.01, 0.05),
		row_of(0.4, 0.051, 0.06, 0.07), row_of(0.6, 0.04, 0.05, 0.06), row_of(0.8, 0.05, 0.07, 0.09),
		row_of(NAN, 0.01, 0.01, 0.01)};
	report_latency_knee(row, 6, &limits, &knee);
	assert_ptr_equal(knee.row, &row[3]);
	assert_true(knee.is_of_load && !knee.is_last);
	assert_int_equal(knee.lesser, 1);
	expect_near(knee.value, 0.6, 1e-12);
	expect_near(knee.low, 0.2, 1e-12);
	expect_near(knee.high, 0.8, 1e-12);
	/* The greatest response time has no interval. */
	limits.most[REPORT_LATENCY_MAX] = 0;
	report_latency_knee(row, 6, &limits, &knee);
	expect_near(knee.high, 0.8, 1e-12);
	limits.most[REPORT_LATENCY_MAX] = -1;
	report_latency_knee(row, 6, &limits, &knee);
	assert_true(!knee.row && isnan(knee.low) && isnan(knee.high));
	limits.most[REPORT_LATENCY_MAX] = NAN;
	/* No row keeps it for sure. */
	report_latency_knee(row + 3, 1, &limits, &knee);
	assert_true(isnan(knee.low) && knee.is_last);
	expect_near(knee.high, 0.6, 1e-12);
	report_latency_knee(row, 1, &limits, &knee);
	assert_null(knee.row);
	struct report_latency_row few = row_of(0.9, NAN, NAN, NAN);
	few.samples = REPORT_LATENCY_LEAST - 1;
	assert_int_equal(report_latency_keeps(&few, &limits), -1);
	report_latency_knee(&few, 1, &limits, &knee);
	assert_true(isnan(knee.high));
}

/* Of queues with utilisations of 40 to 80 % that of 60 % is the greatest whose p99 is within 15 ms. */
static void the_knee_of_queues_is_held(void **state)
{
	(void)state;
	enum { TRIES = 40, ROWS = 5 };
	const struct report_latency_limits limits = limit_of(REPORT_LATENCY_P99, 0.015);
	int held = 0;
	noise = 11;
	for (int try = 0; try < TRIES; try++) {
		struct report_latency_row row[ROWS];
		struct report_knee knee;
		for (int i = 0; i < ROWS; i++) {
			utilisation = 0.4 + 0.1 * i;
			struct report_requests requests = make(4000, in_a_queue);
			row[i] = (struct report_latency_row){.from = 0, .to = 4, .load = utilisation};
			assert_int_equal(report_latency_measure(&requests, &rules, &row[i]), 0);
			report_requests_free(&requests);
		}
		report_latency_knee(row, ROWS, &limits, &knee);
		held += !(knee.low > 0.6 + 1e-9) && knee.high > 0.6 - 1e-9;
	}
	if (held < 34)
		fail_msg("found it in %d of %d intervals", held, TRIES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_are_sorted),
		cmocka_unit_test(figures_are_exact),
		cmocka_unit_test(intervals_hold_what_is_true),
		cmocka_unit_test(a_far_quantile_of_a_queue_is_held),
		cmocka_unit_test(requests_that_depend_on_one_another_count_less),
		cmocka_unit_test(many_become_few),
		cmocka_unit_test(the_moment_is_chosen),
		cmocka_unit_test(the_knee_is_the_greatest_that_keeps_the_limit),
		cmocka_unit_test(the_knee_of_queues_is_held),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
