/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "report/rate_steps.h"

#define BINS 600

static double count[BINS];
static size_t begin[BINS];

static double uniform(uint64_t *state)
{
	return ((double)splitmix_below(state, 1 << 30) + 0.5) / (1 << 30);
}

/* Counts of events at these rates per bin: evenly spaced, or by chance. */
static void fill(size_t bins, double (*rate)(size_t at), bool is_even, uint64_t seed)
{
	double due = 0;
	for (size_t i = 0; i < bins; i++) {
		if (is_even) {
			const double before = floor(due);
			due += rate(i);
			count[i] = floor(due) - before;
			continue;
		}
		count[i] = 0;
		for (double at = -log(uniform(&seed)) / rate(i); at < 1; at -= log(uniform(&seed)) / rate(i))
			count[i]++;
	}
}

static double staircase(size_t at)
{
	return 40 * (double)(at / 30 + 1);
}

static double fine_staircase(size_t at)
{
	return 7.3 * (double)(at / 10 + 1);
}

static double constant(size_t at)
{
	(void)at;
	return 50;
}

static double sine(size_t at)
{
	return 60 + 50 * sin((double)at / 20);
}

static double slope(size_t at)
{
	return 10 + (double)at;
}

/* Silence for half of the time. */
static double square(size_t at)
{
	return at / 40 % 2 == 0 ? 100 : 1e-9;
}

static void expect_steps(size_t bins, size_t steps, size_t length, size_t far)
{
	const size_t found = report_rate_steps(count, bins, begin);
	assert_int_equal(found, steps);
	for (size_t i = 0; i < steps; i++)
		assert_true(llabs((long long)begin[i] - (long long)(i * length)) <= (long long)far);
}

static void even_steps_are_found(void **state)
{
	(void)state;
	fill(300, staircase, true, 0);
	expect_steps(300, 10, 30, 0);
	fill(200, fine_staircase, true, 0);
	expect_steps(200, 20, 10, 0);
	fill(240, square, true, 0);
	expect_steps(240, 6, 40, 0);
}

static void steps_are_found_among_chance(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		fill(150, staircase, false, seed);
		expect_steps(150, 5, 30, 4);
	}
}

static void chance_makes_no_steps(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		fill(BINS, constant, false, seed);
		assert_int_equal(report_rate_steps(count, BINS, begin), 1);
	}
	fill(BINS, constant, true, 0);
	assert_int_equal(report_rate_steps(count, BINS, begin), 1);
}

static void what_changes_all_the_time_has_no_steps(void **state)
{
	(void)state;
	fill(BINS, sine, true, 0);
	assert_int_equal(report_rate_steps(count, BINS, begin), 1);
	fill(BINS, slope, true, 0);
	assert_int_equal(report_rate_steps(count, BINS, begin), 1);
}

static void little_is_one_step(void **state)
{
	(void)state;
	for (size_t bins = 1; bins < 6; bins++)
		assert_int_equal(report_rate_steps((const double[]){1, 900, 2, 800, 3}, bins, begin), 1);
	const double nothing[40] = {0};
	assert_int_equal(report_rate_steps(nothing, 40, begin), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(even_steps_are_found),
		cmocka_unit_test(steps_are_found_among_chance),
		cmocka_unit_test(chance_makes_no_steps),
		cmocka_unit_test(what_changes_all_the_time_has_no_steps),
		cmocka_unit_test(little_is_one_step),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
