/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/meter.h"

#define expect_near(found, expected) assert_true(fabs((found) - (expected)) < 1e-6)

static char error[CSV_ERROR_MAX];
static struct report_meter meter;

static int read_meter(const char *text)
{
	struct csv *const csv = csv_open_text(text, strlen(text), "m.csv", error);
	assert_non_null(csv);
	const int result = report_meter_read(&meter, csv, "m.csv", error);
	csv_close(csv);
	return result;
}

static int free_meter(void **state)
{
	(void)state;
	report_meter_free(&meter);
	return 0;
}

static void times_are_seconds_or_have_a_zone(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"time_unix_s,power_w\n1767225600.5,10\n1767225601.5,20\n",
		"n,Timestamp,Watts\n1,2026-01-01T00:00:00.5Z,10\n2,2026-01-01T01:00:01.5+01:00,20\n",
		"w,date\n10,2025-12-31 19:30:00.5-0430\n20,1767225601.5\n",
		/* The wall clock's own column comes before another time. */
		"time,time_unix_s,power\n5,1767225600.5,10\n6,1767225601.5,20\n",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (read_meter(texts[i]) != 0)
			fail_msg("%s", error);
		assert_int_equal(meter.count, 2);
		expect_near(meter.time[0], 1767225600.5);
		expect_near(meter.time[1], 1767225601.5);
		expect_near(meter.watts[1], 20);
		report_meter_free(&meter);
	}
}

static void expect_refused(const char *text, const char *message)
{
	assert_int_equal(read_meter(text), -1);
	assert_string_equal(error, message);
	report_meter_free(&meter);
}

static void what_is_no_meter_is_refused(void **state)
{
	(void)state;
	expect_refused("time_s,power_w\n1,2\n",
		"m.csv:1: found the columns time_s,power_w, expected a time (time_unix_s, time or "
		"timestamp) and a power (power_w, power or watts)");
	expect_refused("time,volts\n1,2\n",
		"m.csv:1: found the columns time,volts, expected a time (time_unix_s, time or timestamp) "
		"and a power (power_w, power or watts)");
	expect_refused("time,watts\n", "m.csv: found no reading, expected two or more");
	expect_refused("time,watts\n5,6\n", "m.csv: found one reading, expected two or more");
	expect_refused("time,watts\n5,6\n5,7\n", "m.csv: found all readings at one time, expected two or more");
	expect_refused("time,watts\n2026-01-01T00:00:00,6\n",
		"m.csv:2:1: time: found '2026-01-01T00:00:00', expected seconds since 1970, or a time with its zone such as "
		"2026-01-01T12:00:00.5+01:00");
	expect_refused("time,watts\n,6\n",
		"m.csv:2:1: time: found '', expected seconds since 1970, or a time with its zone such as "
		"2026-01-01T12:00:00.5+01:00");
	expect_refused("time,watts\n5,-6\n", "m.csv:2:3: watts: found -6, expected a power in watts");
	expect_refused("time,watts\n5,1e10\n", "m.csv:2:3: watts: found 1e+10, expected a power in watts");
	expect_refused("time,watts\n5,six\n", "m.csv:2:3: watts: found 'six', expected a number");
	expect_refused("time,watts\n5,6\n4.5,6\n",
		"m.csv:3:1: time: found a time 0.500000 s before that of the row before, expected times that grow");
}

static void half_a_line_is_left_out(void **state)
{
	(void)state;
	assert_int_equal(read_meter("time,watts\n5,6\n6,7\n7,"), 0);
	assert_int_equal(meter.count, 2);
	assert_true(meter.is_cut);
}

static void means_are_of_straight_lines(void **state)
{
	(void)state;
	assert_int_equal(read_meter("time,watts\n100,10\n101,20\n102,20\n102.001,40\n103,40\n"), 0);
	expect_near(report_meter_mean(&meter, 100, 101), 15);
	expect_near(report_meter_mean(&meter, 100.5, 101), 17.5);
	expect_near(report_meter_mean(&meter, 100.2, 100.4), 13);
	expect_near(report_meter_mean(&meter, 101, 103), 29.995);
	expect_near(report_meter_mean(&meter, 100, 103), 24.996667);
}

/* As a meter makes them that measures twice or three times a second and writes whole seconds. */
static void readings_of_one_time_are_their_mean(void **state)
{
	(void)state;
	assert_int_equal(
		read_meter(
			"time,watts\n100,10\n100,20\n101,20\n101,\n102,20\n102,30\n102,40\n103,\n103,\n104,30\n104,30\n105,30\n"),
		0);
	assert_int_equal(meter.count, 6);
	expect_near(meter.gap, 5);
	expect_near(report_meter_mean(&meter, 100, 101), 17.5);
	expect_near(report_meter_mean(&meter, 101, 102), 25);
	assert_true(isnan(report_meter_mean(&meter, 102, 104)));
	expect_near(report_meter_mean(&meter, 104, 105), 30);
}

static void what_is_not_known_counts_no_more_than_half(void **state)
{
	(void)state;
	assert_int_equal(read_meter("time,watts\n100,10\n101,10\n102,10\n103,\n104,30\n105,30\n115,30\n116,30\n"), 0);
	expect_near(report_meter_mean(&meter, 99, 101), 10);
	assert_true(isnan(report_meter_mean(&meter, 98.9, 101)));
	assert_true(isnan(report_meter_mean(&meter, 102, 104)));
	expect_near(report_meter_mean(&meter, 103, 105), 30);
	/* Ten seconds between readings of each second are a gap. */
	assert_true(isnan(report_meter_mean(&meter, 106, 107)));
	assert_true(isnan(report_meter_mean(&meter, 50, 60)));
	assert_true(isnan(report_meter_mean(&meter, 200, 210)));
}

static void a_log_gets_the_power_of_its_rows(void **state)
{
	(void)state;
	static const char text[] = "time_s,monotonic_s,load,power_w,time_unix_s\n1,11,0,5,1011\n2,12,0,5,1012\n3,13,0,5,1013\n";
	struct report_log log;
	struct csv *const csv = csv_open_text(text, sizeof text - 1, "l.csv", error);
	assert_int_equal(report_log_read(&log, csv, "l.csv", error), 0);
	csv_close(csv);
	assert_int_equal(read_meter("time,watts\n1010,10\n1011,20\n1012,40\n"), 0);
	assert_int_equal(report_meter_fill(&meter, &log, 0), 2);
	expect_near(log.power[0], 15);
	expect_near(log.power[1], 30);
	assert_true(isnan(log.power[2]));
	assert_int_equal(report_meter_fill(&meter, &log, -1), 2);
	assert_true(isnan(log.power[0]));
	expect_near(log.power[1], 15);
	report_log_free(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(times_are_seconds_or_have_a_zone, free_meter),
		cmocka_unit_test_teardown(what_is_no_meter_is_refused, free_meter),
		cmocka_unit_test_teardown(half_a_line_is_left_out, free_meter),
		cmocka_unit_test_teardown(means_are_of_straight_lines, free_meter),
		cmocka_unit_test_teardown(readings_of_one_time_are_their_mean, free_meter),
		cmocka_unit_test_teardown(what_is_not_known_counts_no_more_than_half, free_meter),
		cmocka_unit_test_teardown(a_log_gets_the_power_of_its_rows, free_meter),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
