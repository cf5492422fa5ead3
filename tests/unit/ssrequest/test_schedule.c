/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/units.h"
#include "ssrequest/schedule.h"

#define PLANNED_MAX 200000

static int64_t planned[PLANNED_MAX];

/* Plans all of them. How many there are. */
static size_t plan(const struct schedule_settings *settings)
{
	struct schedule schedule;
	int64_t when_ns = 0, least_ns = 0;
	size_t count = 0;
	schedule_init(&schedule, settings);
	for (;;) {
		const enum schedule_answer answer = schedule_next(&schedule, &when_ns);
		if (answer == SCHEDULE_END)
			return count;
		assert_true(when_ns >= least_ns);
		least_ns = when_ns;
		if (answer == SCHEDULE_REQUEST) {
			assert_true(when_ns < settings->length_ns);
			assert_true(count < PLANNED_MAX);
			planned[count++] = when_ns;
		}
	}
}

static struct schedule_settings at_rate(double rate, enum arrivals arrivals, int64_t length_ns)
{
	return (struct schedule_settings){
		.constant = rate, .arrivals = arrivals, .seed = 1, .length_ns = length_ns, .most = UINT64_MAX};
}

/* From 0 to 40 requests a second in steps of 10, each for two seconds. */
static double stairs(void *context, int64_t since_ns)
{
	(void)context;
	return (double)(since_ns / (2 * NS_PER_S)) * 10;
}

static double ramp(void *context, int64_t since_ns)
{
	return *(const double *)context * (double)since_ns / (double)NS_PER_S;
}

static void even_ones_are_one_nth_of_a_second_apart(void **state)
{
	(void)state;
	static const double rates[] = {1, 3, 7, 70, 100, 128, 333, 9999.5};
	for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
		const struct schedule_settings settings = at_rate(rates[r], ARRIVALS_EVEN, 10 * NS_PER_S);
		const size_t count = plan(&settings);
		assert_int_equal(count, (size_t)(10 * rates[r]));
		for (size_t i = 0; i < count; i++)
			assert_true(llabs(planned[i] - (int64_t)llround((double)i * 1e9 / rates[r])) <= 1);
	}
	const struct schedule_settings none = at_rate(0, ARRIVALS_EVEN, 3600 * NS_PER_S);
	assert_int_equal(plan(&none), 0);
	const struct schedule_settings rare = at_rate(0.001, ARRIVALS_EVEN, 3600 * NS_PER_S);
	assert_int_equal(plan(&rare), 4);
	assert_int_equal(planned[3], 3000 * NS_PER_S);
}

/* Over an hour, each millisecond of which is a cell of its own, times don't drift. */
static void a_changing_rate_does_not_drift(void **state)
{
	(void)state;
	struct schedule_settings settings = at_rate(0, ARRIVALS_EVEN, 3600 * NS_PER_S);
	double slope = 10.0 / 3600;
	settings.rate = ramp;
	settings.context = &slope;
	const size_t count = plan(&settings);
	assert_int_equal(count, 18000);
	for (size_t i = 0; i < count; i++) {
		const double exact_s = sqrt(2 * (double)i / slope);
		assert_true(fabs((double)planned[i] / 1e9 - exact_s) < 0.00001 || planned[i] < NS_PER_S);
	}
}

static void steps_have_their_rates(void **state)
{
	(void)state;
	struct schedule_settings settings = at_rate(0, ARRIVALS_EVEN, 10 * NS_PER_S);
	settings.rate = stairs;
	const size_t count = plan(&settings);
	assert_int_equal(count, 2 * (10 + 20 + 30 + 40));
	for (size_t i = 0; i < 20; i++)
		assert_true(llabs(planned[i] - (2 * NS_PER_S + (int64_t)i * 100 * NS_PER_MS)) <= 1);
	assert_true(llabs(planned[20] - 4 * NS_PER_S) <= 1);
	assert_true(llabs(planned[count - 1] - (10 * NS_PER_S - 25 * NS_PER_MS)) <= 1);
}

static void concurrent_ones_begin_the_second(void **state)
{
	(void)state;
	const struct schedule_settings settings = at_rate(2.5, ARRIVALS_CONCURRENT, 4 * NS_PER_S);
	static const int64_t second[] = {0, 0, 1, 1, 1, 2, 2, 3, 3, 3};
	assert_int_equal(plan(&settings), 10);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(planned[i], second[i] * NS_PER_S);
	struct schedule_settings steps = at_rate(0, ARRIVALS_CONCURRENT, 10 * NS_PER_S);
	steps.rate = stairs;
	assert_int_equal(plan(&steps), 200);
	for (size_t i = 0; i < 200; i++)
		assert_int_equal(planned[i] % NS_PER_S, 0);
	assert_int_equal(planned[0], 2 * NS_PER_S);
	assert_int_equal(planned[199], 9 * NS_PER_S);
	/* A last second of which there is half. */
	const struct schedule_settings half = at_rate(10, ARRIVALS_CONCURRENT, 1500 * NS_PER_MS);
	assert_int_equal(plan(&half), 15);
}

/* Gaps of a Poisson process are exponential: mean and standard deviation are 1/n, and e^-1 of them are longer than that. */
static void poisson_gaps_are_exponential(void **state)
{
	(void)state;
	const struct schedule_settings settings = at_rate(1000, ARRIVALS_POISSON, 100 * NS_PER_S);
	const size_t count = plan(&settings);
	assert_true(llabs((long long)count - 100000) < 5 * 317);
	double sum = 0, squares = 0, longer = 0, before = 0;
	for (size_t i = 0; i < count; i++) {
		const double gap_s = (double)planned[i] / 1e9 - before;
		before = (double)planned[i] / 1e9;
		sum += gap_s;
		squares += gap_s * gap_s;
		longer += gap_s > 0.001;
	}
	const double mean = sum / (double)count;
	assert_true(fabs(mean - 0.001) < 0.00002);
	assert_true(fabs(sqrt(squares / (double)count - mean * mean) - 0.001) < 0.00002);
	assert_true(fabs(longer / (double)count - exp(-1)) < 0.01);
}

static void poisson_follows_the_rate(void **state)
{
	(void)state;
	struct schedule_settings settings = at_rate(0, ARRIVALS_POISSON, 10 * NS_PER_S);
	double slope = 1000;
	settings.rate = ramp;
	settings.context = &slope;
	const size_t count = plan(&settings);
	size_t early = 0;
	for (size_t i = 0; i < count; i++)
		early += planned[i] < 5 * NS_PER_S;
	assert_true(llabs((long long)count - 50000) < 5 * 224);
	assert_true(fabs((double)early / (double)count - 0.25) < 0.01);
}

static void a_seed_says_all(void **state)
{
	(void)state;
	struct schedule_settings settings = at_rate(100, ARRIVALS_POISSON, 20 * NS_PER_S);
	static int64_t first[4000];
	const size_t count = plan(&settings);
	for (size_t i = 0; i < count; i++)
		first[i] = planned[i];
	assert_int_equal(plan(&settings), count);
	assert_memory_equal(first, planned, count * sizeof *first);
	settings.seed = 2;
	plan(&settings);
	assert_memory_not_equal(first, planned, 100 * sizeof *first);
}

static void no_more_than_asked_for(void **state)
{
	(void)state;
	for (enum arrivals arrivals = ARRIVALS_EVEN; arrivals <= ARRIVALS_POISSON; arrivals++) {
		struct schedule_settings settings = at_rate(10, arrivals, INT64_MAX);
		settings.most = 25;
		assert_int_equal(plan(&settings), 25);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(even_ones_are_one_nth_of_a_second_apart),
		cmocka_unit_test(a_changing_rate_does_not_drift),
		cmocka_unit_test(steps_have_their_rates),
		cmocka_unit_test(concurrent_ones_begin_the_second),
		cmocka_unit_test(poisson_gaps_are_exponential),
		cmocka_unit_test(poisson_follows_the_rate),
		cmocka_unit_test(a_seed_says_all),
		cmocka_unit_test(no_more_than_asked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
