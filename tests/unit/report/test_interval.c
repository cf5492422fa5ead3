/* SPDX-License-Identifier: MIT */
/* Student's t has a closed form for one and for two degrees of freedom. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/interval.h"

#define PI 3.14159265358979323846
#define expect_near(found, expected) assert_true(fabs((found) - (expected)) < 1e-9)

static void two_values(void **state)
{
	(void)state;
	const double value[] = {1, 3};
	const struct report_interval found = report_interval(value, 2);
	/* Their standard deviation is the root of 2, that of their mean 1. */
	const double t = tan(PI * 0.475);
	assert_int_equal(found.count, 2);
	expect_near(found.mean, 2);
	expect_near(found.low, 2 - t);
	expect_near(found.high, 2 + t);
}

static void three_values_around_one_that_is_not_known(void **state)
{
	(void)state;
	const double value[] = {-1, NAN, 0, 1};
	const struct report_interval found = report_interval(value, 4);
	const double t = 0.95 * sqrt(2 / (1 - 0.95 * 0.95));
	assert_int_equal(found.count, 3);
	expect_near(found.mean, 0);
	expect_near(found.low, -t / sqrt(3));
	expect_near(found.high, t / sqrt(3));
}

static void one_value_has_no_interval(void **state)
{
	(void)state;
	const double value[] = {NAN, 7};
	const struct report_interval found = report_interval(value, 2);
	assert_int_equal(found.count, 1);
	expect_near(found.mean, 7);
	assert_true(isnan(found.low) && isnan(found.high));
}

static void none_has_no_mean(void **state)
{
	(void)state;
	const double value[] = {NAN};
	const struct report_interval found = report_interval(value, 1);
	assert_int_equal(found.count, 0);
	assert_true(isnan(found.mean) && isnan(found.low) && isnan(found.high));
}

static void equal_values_have_an_interval_of_no_length(void **state)
{
	(void)state;
	const double value[] = {0.5, 0.5, 0.5};
	const struct report_interval found = report_interval(value, 3);
	expect_near(found.low, 0.5);
	expect_near(found.high, 0.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_values),
		cmocka_unit_test(three_values_around_one_that_is_not_known),
		cmocka_unit_test(one_value_has_no_interval),
		cmocka_unit_test(none_has_no_mean),
		cmocka_unit_test(equal_values_have_an_interval_of_no_length),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
