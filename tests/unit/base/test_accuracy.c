/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/accuracy.h"

static int near(double found, double expected)
{
	return fabs(found - expected) < 1e-9;
}

static void without_samples_there_is_no_value(void **state)
{
	(void)state;
	const struct accuracy accuracy = {0};
	assert_true(isnan(accuracy_mean_error_pp(&accuracy)));
	assert_true(isnan(accuracy_mse_pp2(&accuracy)));
	assert_true(isnan(accuracy_mean_load(&accuracy)));
	assert_true(isnan(accuracy_mean_target(&accuracy)));
}

static void errors_are_load_minus_target_in_points(void **state)
{
	(void)state;
	struct accuracy accuracy = {0};
	accuracy_add(&accuracy, 0.5, 0.53);
	assert_true(near(accuracy_mean_error_pp(&accuracy), 3)); /* above the target: positive */
	assert_true(near(accuracy_mse_pp2(&accuracy), 9));
	accuracy_add(&accuracy, 0.5, 0.46);
	assert_int_equal(accuracy.samples, 2);
	assert_true(near(accuracy_mean_error_pp(&accuracy), -0.5)); /* (3 - 4) / 2 */
	assert_true(near(accuracy_mse_pp2(&accuracy), 12.5));       /* (9 + 16) / 2 */
	accuracy_add(&accuracy, 0.2, 0.2);
	assert_true(near(accuracy_mean_target(&accuracy), 0.4));
	assert_true(near(accuracy_mean_load(&accuracy), 1.19 / 3));
	assert_true(near(accuracy_mse_pp2(&accuracy), 25.0 / 3));
}

static void the_target_may_move(void **state)
{
	(void)state;
	/* What counts is each sample against its own target, not the means against each other: both means are 0.5 here. */
	struct accuracy accuracy = {0};
	accuracy_add(&accuracy, 0, 1);
	accuracy_add(&accuracy, 1, 0);
	assert_true(near(accuracy_mean_error_pp(&accuracy), 0));
	assert_true(near(accuracy_mse_pp2(&accuracy), 10000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_samples_there_is_no_value),
		cmocka_unit_test(errors_are_load_minus_target_in_points),
		cmocka_unit_test(the_target_may_move),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
