/* SPDX-License-Identifier: MIT */
/* Logs of machines whose clocks began anywhere, as one fleet. Figures and pictures of whole files are in cli/ssreport_fleet.sh. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/fleet.h"

#define expect_near(found, expected) assert_true(fabs((found) - (expected)) < 1e-6)

static char error[CSV_ERROR_MAX];
static struct report_log logs[3];
static struct report_run run[3];
static struct report_input input = {.run = run};
static struct report_fleet fleet;

static void add(const char *text, const char *label)
{
	const size_t which = input.runs++;
	struct csv *const csv = csv_open_text(text, strlen(text), "f.csv", error);
	assert_non_null(csv);
	assert_int_equal(report_log_read(&logs[which], csv, label, error), 0);
	csv_close(csv);
	run[which] = (struct report_run){.label = strdup(label), .log = &logs[which], .logs = 1};
}

/*
 * The first begins 0.7 s after the second, and ends 1.3 s before it; its rows are of half a second and a whole one. The third was booted later,
 * lacks a load, and is there for two seconds.
 */
static void begin(void)
{
	input.runs = 0;
	add("time_s,monotonic_s,target,load,time_unix_s\n0,100,,0.9,5000.7\n0.5,100.5,0.2,0.1,5001.2\n1.5,101.5,0.2,0.4,5002."
	    "2\n2,102,0.6,0.5,5002.7\n",
		"a");
	add("time_s,monotonic_s,target,load,time_unix_s\n0,900,,0.3,5000\n1,901,0.5,0.5,5001\n2,902,0.5,0.7,5002\n3,903,0.5,0.4,"
	    "5003\n4,904,0.5,0.1,5004\n",
		"b");
	add("time_s,monotonic_s,target,load,time_unix_s\n0,7,,0,5001\n1,8,0.8,,5002\n2,9,0.8,0.6,5003\n", "c");
}

static int end(void **state)
{
	(void)state;
	report_fleet_free(&fleet);
	for (size_t i = 0; i < input.runs; i++) {
		report_log_free(&logs[i]);
		free(run[i].label);
	}
	input.runs = 0;
	return 0;
}

static void bins_have_what_each_node_did_then(void **state)
{
	(void)state;
	begin();
	if (report_fleet_make(&fleet, &input, 1, error) != 0)
		fail_msg("%s", error);
	assert_int_equal(fleet.count, 3);
	assert_true(fleet.knows_wall);
	expect_near(fleet.end, 4);
	assert_int_equal(fleet.bins, 4);
	expect_near(fleet.node[0].start, 0.7);
	expect_near(fleet.node[0].end, 2.7);
	expect_near(fleet.node[1].start, 0);
	expect_near(fleet.node[2].end, 3);
	/* 0.3 s of the first bin are too few; the second has 0.2 s of the row of 10 % and 0.8 s of that of 40 %. */
	static const double load[3][4] = {{NAN, (0.2 * 0.1 + 0.8 * 0.4) / 1, (0.2 * 0.4 + 0.5 * 0.5) / 0.7, NAN},
		{0.5, 0.7, 0.4, 0.1}, {NAN, NAN, 0.6, NAN}};
	static const size_t present[] = {1, 2, 3, 1};
	for (size_t bin = 0; bin < 4; bin++) {
		double together = 0;
		for (size_t node = 0; node < 3; node++) {
			const double found = fleet.load[node * 4 + bin];
			assert_int_equal(isnan(found), isnan(load[node][bin]));
			if (isnan(found))
				continue;
			expect_near(found, load[node][bin]);
			together += found;
		}
		assert_int_equal(fleet.present[bin], present[bin]);
		expect_near(fleet.all_load[bin], together / 3);
	}
	expect_near(fleet.target[1], 0.2);
	expect_near(fleet.all_target[3], 0.5 / 3);
	/* Of rows under control, by their length: +20 pp for a second, -10 pp for two times half a second. */
	assert_int_equal(fleet.node[0].samples, 3);
	expect_near(fleet.node[0].load, (0.5 * 0.1 + 1 * 0.4 + 0.5 * 0.5) / 2);
	expect_near(fleet.node[0].mean_error, (1 * 0.2 - 0.5 * 0.1 - 0.5 * 0.1) / 2);
	expect_near(fleet.node[0].mse, (1 * 0.04 + 0.5 * 0.01 + 0.5 * 0.01) / 2);
	assert_int_equal(fleet.node[2].samples, 1);
	assert_int_equal(fleet.together.samples, 4);
	expect_near(fleet.together.end, 4);
}

static void bins_are_as_long_as_rows_at_least(void **state)
{
	(void)state;
	begin();
	assert_int_equal(report_fleet_make(&fleet, &input, 0, error), 0);
	expect_near(fleet.bin, 1);
	report_fleet_free(&fleet);
	/* Half a bin more at the end is one. */
	assert_int_equal(report_fleet_make(&fleet, &input, 1.5, error), 0);
	assert_int_equal(fleet.bins, 3);
	report_fleet_free(&fleet);
	assert_int_equal(report_fleet_make(&fleet, &input, 100, error), 0);
	assert_int_equal(fleet.bins, 1);
	report_fleet_free(&fleet);
	assert_int_equal(report_fleet_make(&fleet, &input, 4e-5, error), 0);
	assert_int_equal(fleet.bins, 100000);
	report_fleet_free(&fleet);
	assert_int_equal(report_fleet_make(&fleet, &input, 3.9e-5, error), -1);
	assert_string_equal(error, "found 4 s from the first start to the last end, expected at most 100000 bins of 3.9e-05 s");
}

static void what_is_no_fleet_is_refused(void **state)
{
	(void)state;
	assert_int_equal(report_fleet_make(&fleet, &input, 0, error), -1);
	assert_string_equal(error, "found no control log, expected one for each node");
	add("time_s,monotonic_s,target,load\n0,7,,0\n1,8,0.8,0.7\n", "old.csv");
	assert_int_equal(report_fleet_make(&fleet, &input, 0, error), 0);
	assert_false(fleet.knows_wall);
	expect_near(fleet.node[0].start, 0);
	report_fleet_free(&fleet);
	add("time_s,monotonic_s,target,load,time_unix_s\n0,7,,0,5001\n1,8,0.8,,5002\n", "new.csv");
	assert_int_equal(report_fleet_make(&fleet, &input, 0, error), -1);
	assert_string_equal(
		error, "new.csv tells the wall clock (time_unix_s), old.csv doesn't; expected all or none of them to do so");
	report_fleet_free(&fleet);
	add("time_s,monotonic_s,load\n0,7,0\n1,8,0.7\n", "bare.csv");
	assert_int_equal(report_fleet_make(&fleet, &input, 0, error), -1);
	assert_string_equal(error, "bare.csv:1: found no column target, expected a control log (showstopper -o)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(bins_have_what_each_node_did_then, end),
		cmocka_unit_test_teardown(bins_are_as_long_as_rows_at_least, end),
		cmocka_unit_test_teardown(what_is_no_fleet_is_refused, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
