/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/window.h"

#define expect_near(found, expected) assert_true(fabs((found) - (expected)) < 1e-9)
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void windows_of_one_target_are_one_level(void **state)
{
	(void)state;
	struct report_window window[] = {
		{.target = 0.8, .load = 0.70, .throughput = 9},
		{.target = 0.2, .load = 0.19, .throughput = 1},
		{.target = 0.5, .load = 0.50, .throughput = 4},
		{.target = 0.2, .load = 0.23, .throughput = 5},
		{.target = 0.201, .load = 0.21, .throughput = 3},
	};
	struct report_curve curve;
	assert_int_equal(report_curve_make(&curve, &(struct report_windows){window, LENGTH(window)}), 0);
	assert_int_equal(curve.count, 3);
	assert_int_equal(curve.level[0].windows, 3);
	expect_near(curve.level[0].load, 0.21);
	expect_near(curve.level[0].throughput, 3);
	expect_near(curve.level[0].deviation, 2);
	expect_near(curve.level[1].throughput, 4);
	assert_true(isnan(curve.level[1].deviation));
	expect_near(curve.level[2].load, 0.7);
	report_curve_free(&curve);
}

static void without_targets_each_window_is_a_level(void **state)
{
	(void)state;
	struct report_window window[] = {
		{.target = NAN, .load = 0.5, .throughput = 2},
		{.target = NAN, .load = NAN, .throughput = 2},
		{.target = NAN, .load = 0.25, .throughput = 1},
		{.target = 0.3, .load = 0.3, .throughput = NAN},
	};
	struct report_curve curve;
	assert_int_equal(report_curve_make(&curve, &(struct report_windows){window, LENGTH(window)}), 0);
	assert_int_equal(curve.count, 2);
	expect_near(curve.level[0].load, 0.25);
	expect_near(curve.level[1].load, 0.5);
	report_curve_free(&curve);
}

static void nothing_is_no_level(void **state)
{
	(void)state;
	struct report_curve curve;
	assert_int_equal(report_curve_make(&curve, &(struct report_windows){0}), 0);
	assert_int_equal(curve.count, 0);
	report_curve_free(&curve);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_of_one_target_are_one_level),
		cmocka_unit_test(without_targets_each_window_is_a_level),
		cmocka_unit_test(nothing_is_no_level),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
