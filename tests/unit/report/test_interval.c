/* SPDX-License-Identifier: MIT */
/* Student's t has a closed form for one and for two degrees of freedom. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/values.h"

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

/* Whether p is where the score test just accepts it. */
static void expect_bound(double p, double mean, double c)
{
	expect_near((mean - p) * (mean - p), c * p * (1 - p));
}

static void shares_stay_within_0_and_1(void **state)
{
	(void)state;
	const double share[] = {0.75, NAN, 5.0 / 6, 1};
	const struct report_interval found = report_interval_of_shares(share, 4, 36);
	const double mean = 31.0 / 36;
	const double variance = 7.0 / 432;
	const double t = 0.95 * sqrt(2 / (1 - 0.95 * 0.95));
	const double c = t * t * variance / (3 * mean * (1 - mean));
	assert_int_equal(found.count, 3);
	expect_near(found.mean, mean);
	expect_bound(found.low, mean, c);
	expect_bound(found.high, mean, c);
	assert_true(found.low > 0.4 && found.low < mean && found.high > mean && found.high < 1);
	/* Student's doesn't. */
	assert_true(report_interval(share, 4).high > 1);
}

/* As of independent samples: n/(n + z^2) to 1, where all are counted. */
static void shares_that_agree_have_an_interval_too(void **state)
{
	(void)state;
	const double z2 = 1.959963984540054 * 1.959963984540054;
	const double all[] = {1, 1};
	const double none[] = {0, 0, 0};
	const double same[] = {0.9, 0.9};
	struct report_interval found = report_interval_of_shares(all, 2, 240);
	expect_near(found.low, 240 / (240 + z2));
	assert_true(found.high == 1);
	found = report_interval_of_shares(none, 3, 240);
	assert_true(found.low == 0);
	expect_near(found.high, z2 / (240 + z2));
	found = report_interval_of_shares(same, 2, 30);
	expect_near(found.mean, 0.9);
	expect_bound(found.low, 0.9, z2 / 30);
	expect_bound(found.high, 0.9, z2 / 30);
}

static void shares_of_one_run_have_no_interval(void **state)
{
	(void)state;
	const double share[] = {NAN, 0.5};
	struct report_interval found = report_interval_of_shares(share, 2, 100);
	assert_int_equal(found.count, 1);
	expect_near(found.mean, 0.5);
	assert_true(isnan(found.low) && isnan(found.high));
	found = report_interval_of_shares(share, 1, 0);
	assert_true(found.count == 0 && isnan(found.mean) && isnan(found.low));
}

/* Far from the bounds, with little scatter, nearly Student's. */
static void shares_amid_have_nearly_the_usual_interval(void **state)
{
	(void)state;
	const double share[] = {0.499, 0.5, 0.501};
	const struct report_interval found = report_interval_of_shares(share, 3, 1e9);
	const struct report_interval usual = report_interval(share, 3);
	assert_true(fabs(found.low - usual.low) < 1e-5 && fabs(found.high - usual.high) < 1e-5);
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
		cmocka_unit_test(shares_stay_within_0_and_1),
		cmocka_unit_test(shares_that_agree_have_an_interval_too),
		cmocka_unit_test(shares_of_one_run_have_no_interval),
		cmocka_unit_test(shares_amid_have_nearly_the_usual_interval),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
