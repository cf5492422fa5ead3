/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/histogram.h"

#define expect_near(found, expected) assert_true(fabs((found) - (expected)) < 1e-9)
#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void an_edge_belongs_to_the_bin_below(void **state)
{
	(void)state;
	struct report_bins bins;
	assert_int_equal(report_bins_of_width(&bins, -0.3, 110, 0.1), 0);
	assert_int_equal(bins.count, 1104);
	expect_near(bins.start, -0.4);
	/* Tenths are no binary fractions: each of these would lie beside its edge. */
	for (int tenth = -3; tenth <= 1100; tenth++) {
		assert_int_equal(report_bins_place(&bins, tenth / 10.0), tenth + 3);
		assert_int_equal(report_bins_place(&bins, tenth * 0.1), tenth + 3);
		if (tenth < 1100)
			assert_int_equal(report_bins_place(&bins, (tenth + 0.5) / 10.0), tenth + 4);
	}
}

static void bins_of_a_number_have_the_least_and_the_greatest(void **state)
{
	(void)state;
	struct report_bins bins;
	assert_int_equal(report_bins_of_number(&bins, 1, 2, 3), 0);
	expect_near(bins.width, 1.0 / 3);
	assert_int_equal(report_bins_place(&bins, 1), 0);
	assert_int_equal(report_bins_place(&bins, 1 + 1.0 / 3), 0);
	assert_int_equal(report_bins_place(&bins, 1.34), 1);
	assert_int_equal(report_bins_place(&bins, 2), 2);
	expect_near(report_bins_edge(&bins, 3), 2);
	assert_int_equal(report_bins_of_number(&bins, 1, 1, 3), -1);
}

static void far_from_zero_values_lie_in_their_bins_too(void **state)
{
	(void)state;
	struct report_bins bins;
	assert_int_equal(report_bins_of_width(&bins, 1e12 + 0.25, 1e12 + 2.25, 1), 0);
	assert_int_equal(bins.count, 3);
	expect_near(bins.start, 1e12);
	assert_int_equal(report_bins_place(&bins, 1e12 + 0.25), 0);
	assert_int_equal(report_bins_place(&bins, 1e12 + 1), 0);
	assert_int_equal(report_bins_place(&bins, 1e12 + 1.25), 1);
}

static void too_many_bins_are_refused(void **state)
{
	(void)state;
	struct report_bins bins;
	assert_int_equal(report_bins_of_width(&bins, 1, REPORT_BINS_MOST, 1), 0);
	assert_int_equal(bins.count, REPORT_BINS_MOST);
	assert_int_equal(report_bins_of_width(&bins, 0, REPORT_BINS_MOST, 1), -1);
	assert_int_equal(report_bins_of_width(&bins, 0, 1e300, 1e-300), -1);
}

static void nice_widths_make_few_bins(void **state)
{
	(void)state;
	const double span[] = {1e-9, 0.3, 1, 1.99, 2, 5, 7, 54321, 1e12};
	for (size_t i = 0; i < LENGTH(span); i++) {
		struct report_bins bins;
		assert_int_equal(report_bins_of_width(&bins, 1, 1 + span[i], report_bins_nice_width(1, 1 + span[i])), 0);
		assert_in_range(bins.count, 8, 21);
	}
	expect_near(report_bins_nice_width(0, 1), 0.05);
	expect_near(report_bins_nice_width(0, 0), 1);
	expect_near(report_bins_nice_width(40, 40), 2);
}

static void edges_have_the_decimals_that_they_need(void **state)
{
	(void)state;
	assert_int_equal(report_bins_decimals(&(struct report_bins){.start = 2.3, .width = 0.1}), 1);
	assert_int_equal(report_bins_decimals(&(struct report_bins){.start = 0, .width = 0.25}), 2);
	assert_int_equal(report_bins_decimals(&(struct report_bins){.start = 100, .width = 50}), 0);
	assert_int_equal(report_bins_decimals(&(struct report_bins){.start = 0.5, .width = 50}), 1);
	assert_int_equal(report_bins_decimals(&(struct report_bins){.start = 1, .width = 1.0 / 3}), 3);
}

static void each_series_is_counted(void **state)
{
	(void)state;
	struct report_histogram histogram = {.count = 2};
	const double first[] = {0.5, 1, 1.5};
	const double second[] = {3, 2.5, 0.1, 3};
	for (size_t i = 0; i < LENGTH(first); i++)
		assert_int_equal(report_values_add(&histogram.values[0], first[i]), 0);
	for (size_t i = 0; i < LENGTH(second); i++)
		assert_int_equal(report_values_add(&histogram.values[1], second[i]), 0);
	assert_int_equal(report_bins_of_width(&histogram.bins, 0.1, 3, 1), 0);
	assert_int_equal(report_histogram_count(&histogram), 0);
	assert_int_equal(histogram.bins.count, 3);
	assert_int_equal(histogram.in[0][0], 2);
	assert_int_equal(histogram.in[0][1], 1);
	assert_int_equal(histogram.in[0][2], 0);
	assert_int_equal(histogram.in[1][0], 1);
	assert_int_equal(histogram.in[1][2], 3);
	report_histogram_free(&histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_edge_belongs_to_the_bin_below),
		cmocka_unit_test(bins_of_a_number_have_the_least_and_the_greatest),
		cmocka_unit_test(far_from_zero_values_lie_in_their_bins_too),
		cmocka_unit_test(too_many_bins_are_refused),
		cmocka_unit_test(nice_widths_make_few_bins),
		cmocka_unit_test(edges_have_the_decimals_that_they_need),
		cmocka_unit_test(each_series_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
