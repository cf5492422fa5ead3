/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "report/values.h"

/* The clock of a file with rows a second apart, the first one at `from`, whose wall clock is ahead by these. */
static struct report_clock clock_of(double from, size_t rows, const double *ahead)
{
	struct report_values offsets = {0};
	for (size_t i = 0; i < rows; i++)
		assert_int_equal(report_clock_add(&offsets, from + (double)i, from + (double)i + ahead[i]), 0);
	const struct report_clock clock = report_clock_make(&offsets);
	assert_null(offsets.item);
	return clock;
}
#define CLOCK(from, ...) clock_of(from, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

#define SINCE_1970 1767225600.0

static void a_file_without_wall_clock_tells_nothing(void **state)
{
	(void)state;
	const struct report_clock none = CLOCK(100, NAN, NAN);
	const struct report_clock other = CLOCK(100, SINCE_1970);
	assert_false(none.is_known);
	for (int join = REPORT_JOIN_AUTO; join <= REPORT_JOIN_MONOTONIC; join++) {
		assert_true(report_clock_shift((enum report_join)join, &none, &other) == 0);
		assert_true(report_clock_shift((enum report_join)join, &other, &none) == 0);
	}
}

static void rows_that_tell_nothing_are_passed_over(void **state)
{
	(void)state;
	const struct report_clock clock = CLOCK(100, NAN, 7.5, 8, NAN, 8, 9, NAN);
	assert_true(clock.is_known);
	assert_true(clock.first == 7.5 && clock.last == 9 && clock.usual == 8);
	assert_true(report_clock_moved(&clock) == 1.5);
}

static void files_of_one_boot_stay_as_they_are(void **state)
{
	(void)state;
	const struct report_clock log = CLOCK(100, SINCE_1970, SINCE_1970 + 1e-6, SINCE_1970);
	const struct report_clock iterations = CLOCK(101, SINCE_1970 + 2e-6, SINCE_1970 + 2e-6);
	assert_true(report_clock_is_same(&log, &iterations));
	assert_true(report_clock_shift(REPORT_JOIN_AUTO, &iterations, &log) == 0);
	assert_true(report_clock_shift(REPORT_JOIN_MONOTONIC, &iterations, &log) == 0);
	assert_true(fabs(report_clock_shift(REPORT_JOIN_WALL, &iterations, &log) - 2e-6) < 1e-9);
}

/* Also when the clock was set in the run, and a file has only what was before or after. */
static void a_clock_that_was_set_is_no_other_boot(void **state)
{
	(void)state;
	const struct report_clock log = CLOCK(100, SINCE_1970, SINCE_1970, SINCE_1970, SINCE_1970 + 60, SINCE_1970 + 60);
	const struct report_clock before = CLOCK(101, SINCE_1970, SINCE_1970);
	const struct report_clock after = CLOCK(104, SINCE_1970 + 60, SINCE_1970 + 60);
	assert_true(report_clock_is_same(&log, &before));
	assert_true(report_clock_is_same(&log, &after));
	assert_true(report_clock_shift(REPORT_JOIN_AUTO, &after, &log) == 0);
	/* Each was set by another one, and they began or ended alike. */
	const struct report_clock other = CLOCK(100, SINCE_1970, SINCE_1970 + 30, SINCE_1970 + 30);
	const struct report_clock late = CLOCK(100, SINCE_1970 + 10, SINCE_1970 + 10, SINCE_1970 + 60);
	assert_true(report_clock_is_same(&log, &other));
	assert_true(report_clock_is_same(&log, &late));
	assert_false(report_clock_is_same(&other, &late));
}

/* Exactly, so that no digit of what comes of it changes. */
static void files_of_another_boot_are_moved(void **state)
{
	(void)state;
	const struct report_clock log = CLOCK(100, SINCE_1970 + 0.123457, SINCE_1970 + 0.123457, SINCE_1970 + 0.123457);
	const struct report_clock far = CLOCK(50101, SINCE_1970 - 50000 + 0.123457, SINCE_1970 - 50000 + 0.123457);
	assert_false(report_clock_is_same(&log, &far));
	assert_true(report_clock_shift(REPORT_JOIN_AUTO, &far, &log) == -50000);
	assert_true(report_clock_shift(REPORT_JOIN_WALL, &far, &log) == -50000);
	assert_true(report_clock_shift(REPORT_JOIN_MONOTONIC, &far, &log) == 0);
}

static void moved_times_are_what_their_decimals_would_be(void **state)
{
	(void)state;
	assert_true(report_clock_move(73000.123456789, -50000) == 23000.123456789);
	assert_true(report_clock_move(23456.987654321, 1234567.000001) == 1258023.987655321);
	assert_true(report_clock_move(0.1, 0) == 0.1);
}

/* One row out of line, as when its writer was interrupted, changes nothing. */
static void what_held_for_most_of_a_file_counts(void **state)
{
	(void)state;
	const struct report_clock log = CLOCK(100, SINCE_1970);
	const struct report_clock far =
		CLOCK(7, SINCE_1970 + 0.9, SINCE_1970 + 1, SINCE_1970 + 1, SINCE_1970 + 1, SINCE_1970 + 9);
	assert_true(report_clock_shift(REPORT_JOIN_AUTO, &far, &log) == 1);
}

static void expect_field(const char *field, double expected, const char *message)
{
	char text[128];
	char error[CSV_ERROR_MAX] = "";
	double wall = 0;
	const int length = snprintf(text, sizeof text, "x," LOG_WALL "\n1,%s\n", field);
	struct csv *const csv = csv_open_text(text, (size_t)length, "f.csv", error);
	assert_non_null(csv);
	assert_int_equal(csv_next(csv), 1);
	assert_int_equal(report_clock_read(csv, 1, &wall), message ? -1 : 0);
	if (message)
		assert_string_equal(csv_error(csv), message);
	else
		assert_true(isnan(expected) ? isnan(wall) : wall == expected);
	csv_close(csv);
}

static void fields_are_seconds_since_1970(void **state)
{
	(void)state;
	expect_field("1767225600.5", SINCE_1970 + 0.5, NULL);
	expect_field("", NAN, NULL);
	expect_field("-1", 0, "f.csv:2:3: time_unix_s: found -1, expected seconds since 1970");
	expect_field("noon", 0, "f.csv:2:3: time_unix_s: found 'noon', expected a number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_without_wall_clock_tells_nothing),
		cmocka_unit_test(rows_that_tell_nothing_are_passed_over),
		cmocka_unit_test(files_of_one_boot_stay_as_they_are),
		cmocka_unit_test(a_clock_that_was_set_is_no_other_boot),
		cmocka_unit_test(files_of_another_boot_are_moved),
		cmocka_unit_test(moved_times_are_what_their_decimals_would_be),
		cmocka_unit_test(what_held_for_most_of_a_file_counts),
		cmocka_unit_test(fields_are_seconds_since_1970),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
