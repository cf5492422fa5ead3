/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/values.h"

#define expect_near(found, expected) assert_true(fabs((found) - (expected)) < 1e-9)
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static struct report_values values_of(const double *item, size_t count)
{
	struct report_values values = {0};
	for (size_t i = 0; i < count; i++)
		assert_int_equal(report_values_add(&values, item[i]), 0);
	report_values_sort(&values);
	return values;
}

static void quantiles_lie_between_two_values(void **state)
{
	(void)state;
	const double item[] = {5, 1, 4, 2};
	struct report_values values = values_of(item, LENGTH(item));
	expect_near(report_values_quantile(&values, 0), 1);
	expect_near(report_values_quantile(&values, 0.25), 1.75);
	expect_near(report_values_quantile(&values, 0.5), 3);
	expect_near(report_values_quantile(&values, 0.95), 4.85);
	expect_near(report_values_quantile(&values, 1), 5);
	expect_near(report_values_mean(&values), 3);
	report_values_free(&values);
}

static void whiskers_end_before_outliers(void **state)
{
	(void)state;
	/* The quartiles are 10, 12 and 14: whiskers reach from 4 to 20 at most, and 20 is no outlier. */
	const double item[] = {3, 5, 10, 11, 12, 13, 14, 20, 20.1};
	struct report_values values = values_of(item, LENGTH(item));
	const struct report_box box = report_values_box(&values);
	expect_near(box.first, 10);
	expect_near(box.median, 12);
	expect_near(box.third, 14);
	expect_near(box.low, 5);
	expect_near(box.high, 20);
	assert_int_equal(box.below, 1);
	assert_int_equal(box.above, 1);
	report_values_free(&values);
}

static void a_whisker_never_ends_inside_of_the_box(void **state)
{
	(void)state;
	/* The third quartile, 1.25, lies between the whisker's value and an outlier. */
	const double item[] = {1, 1, 1, 1, 1, 1, 2, 2};
	struct report_values values = values_of(item, LENGTH(item));
	const struct report_box box = report_values_box(&values);
	expect_near(box.third, 1.25);
	expect_near(box.high, 1.25);
	expect_near(box.low, 1);
	assert_int_equal(box.above, 2);
	report_values_free(&values);
}

static void one_value_is_all_of_its_box(void **state)
{
	(void)state;
	const double item[] = {7};
	struct report_values values = values_of(item, LENGTH(item));
	const struct report_box box = report_values_box(&values);
	expect_near(box.first, 7);
	expect_near(box.low, 7);
	expect_near(box.high, 7);
	assert_int_equal(box.below + box.above, 0);
	report_values_free(&values);
}

static void a_quantile_of_equal_values_is_that_value(void **state)
{
	(void)state;
	for (int thousandth = 1; thousandth < 1000; thousandth++) {
		const double value = thousandth / 1000.0;
		const double item[] = {value, value, value, value, value, value, value, value};
		for (size_t count = 2; count <= LENGTH(item); count++) {
			struct report_values values = values_of(item, count);
			for (int percent = 0; percent <= 100; percent++)
				assert_true(report_values_quantile(&values, percent / 100.0) == value);
			report_values_free(&values);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_lie_between_two_values),
		cmocka_unit_test(whiskers_end_before_outliers),
		cmocka_unit_test(a_whisker_never_ends_inside_of_the_box),
		cmocka_unit_test(a_quantile_of_equal_values_is_that_value),
		cmocka_unit_test(one_value_is_all_of_its_box),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
