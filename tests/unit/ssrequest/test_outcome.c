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

#include "base/units.h"
#include "ssrequest/outcome.h"
#include "ssrequest/required.h"

static struct outcome outcome;

/* One that was planned at 0, arrived, was sent and ended so many ms later. */
static void add(enum request_fate fate, int64_t arrival_ms, int64_t sent_ms, int64_t end_ms)
{
	const struct request_record record = {.arrival_ns = arrival_ms * NS_PER_MS,
		.sent_ns = sent_ms < 0 ? REQUEST_LOG_NEVER : sent_ms * NS_PER_MS,
		.end_ns = end_ms * NS_PER_MS,
		.fate = fate,
		.bytes = fate <= REQUEST_UNEXPECTED ? 10 : REQUEST_LOG_UNKNOWN};
	outcome_add(&outcome, &record);
}

static void fill(void)
{
	memset(&outcome, 0, sizeof outcome);
	for (int i = 1; i <= 90; i++)
		add(REQUEST_GOOD, 0, 0, i);
	add(REQUEST_GOOD, 5, 6, 91);
	add(REQUEST_UNEXPECTED, 0, 0, 92);
	add(REQUEST_WRONG, 0, 0, 93);
	add(REQUEST_TIMEOUT, 0, 0, 10000);
	for (int i = 0; i < 3; i++)
		add(REQUEST_DROPPED, 0, -1, 0);
	add(REQUEST_REFUSED, 0, 3, 3);
	add(REQUEST_FAILED, 0, 0, 4);
	add(REQUEST_FAILED, 0, 0, 4);
}

static double figure(enum outcome_figure which)
{
	return outcome_figure(&outcome, which);
}

/* Times are of what was answered, whatever its status, or given up; shares are of all. */
static void figures_are_of_the_right_requests(void **state)
{
	(void)state;
	fill();
	assert_int_equal(outcome_requests(&outcome), 100);
	assert_int_equal(outcome_good(&outcome), 91);
	assert_int_equal(outcome.postponed, 1);
	/* Not those of wrong answers. */
	assert_int_equal(outcome.bytes, 910);
	assert_int_equal(outcome.last_good_ns, 91 * NS_PER_MS);
	assert_int_equal(outcome.response.count, 94);
	assert_true(fabs(figure(OUTCOME_ERRORS) - 0.09) < 1e-12);
	assert_true(fabs(figure(OUTCOME_TIMEOUTS) - 0.01) < 1e-12);
	assert_true(fabs(figure(OUTCOME_DROPS) - 0.03) < 1e-12);
	assert_true(fabs(figure(OUTCOME_MAX) - 10) < 1e-9);
	assert_true(fabs(figure(OUTCOME_MEAN) - (93 * 94 / 2 / 1000.0 + 10) / 94) < 1e-9);
	assert_true(fabs(figure(OUTCOME_P50) - 0.047) < 0.00005);
	assert_true(fabs(figure(OUTCOME_P90) - 0.085) < 0.0001);
	assert_true(fabs(figure(OUTCOME_P99) - 10) < 0.01);
	assert_int_equal(outcome.late.count, 97);
	assert_true(fabs(response_times_most_s(&outcome.late) - 0.003) < 1e-9);
}

static void nothing_is_known_of_nothing(void **state)
{
	(void)state;
	memset(&outcome, 0, sizeof outcome);
	for (enum outcome_figure which = OUTCOME_MEAN; which < OUTCOME_FIGURES; which++)
		assert_true(isnan(figure(which)));
	assert_false(outcome_is_late(&outcome));
	struct required required;
	required_init(&required);
	assert_true(required_is_met(&required, &outcome));
	assert_int_equal(required_parse("--require", "p99=1s", &required), 0);
	assert_false(required_is_met(&required, &outcome));
}

static void it_is_late_above_a_millisecond_at_the_99th(void **state)
{
	(void)state;
	memset(&outcome, 0, sizeof outcome);
	for (int i = 0; i < 990; i++)
		add(REQUEST_GOOD, 0, 0, 10);
	for (int i = 0; i < 10; i++)
		add(REQUEST_GOOD, 0, 2, 10);
	assert_false(outcome_is_late(&outcome));
	add(REQUEST_GOOD, 0, 2, 10);
	assert_true(outcome_is_late(&outcome));
}

static void requirements_are_at_most(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool is_met;
	} cases[] = {
		{"errors=9%", true},
		{"errors=8.9%", false},
		{"max=10s,mean=1s,p50=50ms", true},
		{"max=9999ms", false},
		{"drops=3%,timeouts=1/100", true},
		{"p99.9=9s", false},
		{"p90=1s,p95=1s,p99=1s", false},
	};
	fill();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct required required;
		required_init(&required);
		assert_int_equal(required_parse("--require", cases[i].text, &required), 0);
		assert_int_equal(required_is_met(&required, &outcome), cases[i].is_met);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_of_the_right_requests),
		cmocka_unit_test(nothing_is_known_of_nothing),
		cmocka_unit_test(it_is_late_above_a_millisecond_at_the_99th),
		cmocka_unit_test(requirements_are_at_most),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
