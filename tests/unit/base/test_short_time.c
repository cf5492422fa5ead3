/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"

static void says(int64_t ns, const char *expected)
{
	char text[SHORT_TIME_MAX] = "";
	assert_true(short_time(ns, text));
	assert_string_equal(text, expected);
}

static void short_times_name_both_readings(void **state)
{
	(void)state;
	says(NS_PER_MS, "1ms is shorter than one sample (500 ms): 1m is one millisecond; a minute is 1M or 1min");
	says(2 * NS_PER_MS, "2ms is shorter than one sample (500 ms): 2m is 2 milliseconds; 2 minutes are 2M or 2min");
	says(1500 * NS_PER_US,
		"1500us is shorter than one sample (500 ms): 1.5m is 1.5 milliseconds; 1.5 minutes are 1.5M or 1.5min");
	says(499 * NS_PER_MS,
		"499ms is shorter than one sample (500 ms): 499m is 499 milliseconds; 499 minutes are 499M or 499min");
}

static void nobody_means_a_minute_by_a_nanosecond(void **state)
{
	(void)state;
	says(1, "1ns is shorter than one sample (500 ms)");
}

static void others_are_long_enough(void **state)
{
	(void)state;
	char text[SHORT_TIME_MAX];
	assert_false(short_time(-1, text)); /* without an end */
	assert_false(short_time(0, text));
	assert_false(short_time(500 * NS_PER_MS, text));
	assert_false(short_time(INT64_MAX, text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_times_name_both_readings),
		cmocka_unit_test(nobody_means_a_minute_by_a_nanosecond),
		cmocka_unit_test(others_are_long_enough),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
