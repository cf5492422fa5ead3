/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/accuracy.h"
#include "report/log.h"

#define expect_near(found, expected) assert_true(fabs((found) - (expected)) < 1e-9)

static char error[CSV_ERROR_MAX];
static struct report_log log_read;

static void read_log(const char *text)
{
	struct csv *const csv = csv_open_text(text, strlen(text), "f.csv", error);
	assert_non_null(csv);
	if (report_log_read(&log_read, csv, "f.csv", error) != 0)
		fail_msg("%s", error);
	csv_close(csv);
	assert_int_equal(report_gaps_fill(&log_read), 0);
}

static int free_log(void **state)
{
	(void)state;
	report_log_free(&log_read);
	return 0;
}

/* The ends of its rows, and in brackets those that it doesn't have. */
static void expect_rows(const char *expected)
{
	char found[512] = "";
	for (size_t i = 0; i < log_read.count; i++) {
		const bool is_gap = log_read.is_gap[i];
		char row[64];
		snprintf(row, sizeof row, "%s%g%s ", is_gap ? "[" : "", log_read.time[i],
			is_gap                    ? "]"
			: isnan(log_read.load[i]) ? "-"
						  : "");
		strcat(found, row);
	}
	assert_string_equal(found, expected);
}

static void expect_gaps(double unknown, double whole)
{
	const struct report_gaps gaps = report_gaps_measure(&log_read);
	expect_near(gaps.unknown, unknown);
	expect_near(gaps.whole, whole);
}

static void no_row_stands_for_those_that_were_taken_out(void **state)
{
	(void)state;
	read_log("time_s,monotonic_s,target,load,power_w,others,cycles_per_s\n0.5,100.5,0.2,0.1,5,0,7\n1,101,0.2,0.1,5,0,7\n"
		 "1.5,101.5,0.2,0.1,5,0,7\n12,112,0.2,0.3,6,0,8\n12.5,112.5,0.2,0.3,6,0,8\n");
	expect_rows("0.5 1 1.5 [11.5] 12 12.5 ");
	expect_near(log_read.interval, 0.5);
	expect_near(log_read.monotonic[3], 111.5);
	expect_near(log_read.target[3], 0.2);
	assert_true(isnan(log_read.load[3]) && isnan(log_read.power[3]) && isnan(log_read.background[3]) &&
		    isnan(log_read.events.item[0].rate[3]));
	expect_near(log_read.power[4], 6);
	expect_near(log_read.events.item[0].rate[4], 8);
	expect_near(report_log_length(&log_read, 4), 0.5);
	expect_near(report_log_mean(&log_read, 0, 12.5).load, (3 * 0.1 + 2 * 0.3) / 5);
	expect_near(report_log_mean(&log_read, 0, 12.5).known, 2.5);
	assert_true(isnan(report_log_mean(&log_read, 2, 11).load));
	expect_gaps(10, 12.5);
}

/* One row less is found; one that came late by half an interval, or by nearly all of one, is none. */
static void a_late_row_is_no_gap(void **state)
{
	(void)state;
	read_log("time_s,load\n0.5,1\n1.3,1\n1.5,1\n2.37,1\n3.0,1\n3.5,1\n4.0,1\n5.0,1\n5.5,1\n6,1\n");
	expect_rows("0.5 1.3 1.5 2.37 3 3.5 4 [4.5] 5 5.5 6 ");
	expect_gaps(0.5, 6);
}

/* As the writer marks it: the row itself is what is missing, and the next one is as long as it says. */
static void a_row_without_a_load_stays_as_it_is(void **state)
{
	(void)state;
	read_log("time_s,target,load\n0.5,0.2,1\n1,0.2,1\n7.25,0.2,\n7.5,0.2,1\n8,0.2,1\n");
	expect_rows("0.5 1 7.25- 7.5 8 ");
	expect_near(log_read.interval, 0.5);
	expect_near(report_log_length(&log_read, 3), 0.25);
	expect_gaps(6.25, 8);
}

/* Also where they hide each other: the usual length is that of the rows with a load. */
static void more_may_be_missing_than_there_is(void **state)
{
	(void)state;
	read_log("time_s,target,load\n0.5,0.2,1\n10,0.2,\n10.5,0.2,1\n20,0.2,\n20.5,0.2,1\n30,0.2,\n");
	expect_near(log_read.interval, 0.5);
	expect_gaps(28.5, 30);
	report_log_free(&log_read);
	read_log("time_s,load\n10,\n10.5,0.2\n");
	/* What comes first is missing from the beginning of control. */
	expect_rows("10- 10.5 ");
	expect_near(report_log_start(&log_read, 0), 0);
	expect_gaps(10, 10.5);
	report_log_free(&log_read);
	read_log("time_s,load\n1,\n2,\n4,\n");
	expect_gaps(4, 4);
}

/* A part of the warm-up is none of control. */
static void what_is_missing_is_divided_where_control_begins(void **state)
{
	(void)state;
	read_log("time_s,monotonic_s,target,load\n-1.5,98.5,,1\n-1,99,,1\n3,103,0.2,\n3.5,103.5,0.2,0.2\n4,104,0.2,0.2\n");
	expect_rows("-1.5 -1 [0] 3- 3.5 4 ");
	assert_int_equal(log_read.warmup, 3);
	expect_near(log_read.monotonic[2], 100);
	expect_gaps(3, 4);
	report_log_free(&log_read);
	read_log("time_s,monotonic_s,target,load\n-1.5,98.5,,1\n-1,99,,1\n3,103,0.2,0.2\n3.5,103.5,0.2,0.2\n4,104,0.2,0.2\n");
	expect_rows("-1.5 -1 [0] [2.5] 3 3.5 4 ");
	assert_int_equal(log_read.warmup, 3);
	expect_gaps(2.5, 4);
}

/* A pause is in the one clock alone, and no gap; where rows are missing as well it lies between them. */
static void pauses_are_no_gaps(void **state)
{
	(void)state;
	read_log("time_s,monotonic_s,load\n0.5,100.5,1\n1,101,1\n1.5,161.5,1\n2,162,1\n5,265,1\n5.5,265.5,1\n");
	expect_rows("0.5 1 1.5 2 [4.5] 5 5.5 ");
	expect_near(log_read.monotonic[4], 264.5);
	report_log_free(&log_read);
	/* The other clock shows less than it should. */
	read_log("time_s,monotonic_s,load\n0.5,100.5,1\n1,101,1\n1.5,101.5,1\n5,101.7,1\n5.5,102.2,1\n");
	expect_near(log_read.monotonic[3], 101.6);
}

static void times_without_differences_are_left_alone(void **state)
{
	(void)state;
	read_log("time_s,load\n0.25,1\n0.5,1\n0.75,1\n1e17,1\n2e17,1\n");
	assert_int_equal(log_read.count, 5);
}

static double load_in(const char *text, const struct report_accuracy_rules *rules, size_t samples)
{
	size_t count;
	read_log(text);
	struct report_accuracy *const accuracy = report_accuracy(&log_read, rules, 0, &count);
	assert_non_null(accuracy);
	assert_int_equal(accuracy->accuracy.samples, samples);
	const double load = accuracy_mean_load(&accuracy->accuracy);
	free(accuracy);
	report_log_free(&log_read);
	return load;
}

/* Targets that nobody knows are not those of a trace that leaves the workloads free: rows beside them count, and nothing settles anew. */
static void accuracy_leaves_out_what_is_missing_alone(void **state)
{
	(void)state;
	static const char cut_out[] = "time_s,target,load\n1,0.2,0.1\n2,0.2,0.1\n3,0.2,0.1\n11,0.6,0.5\n12,0.6,0.5\n13,0.6,0.9\n";
	static const char marked[] =
		"time_s,target,load\n1,0.2,0.1\n2,0.2,0.1\n3,0.2,0.1\n10,0.4,\n11,0.6,0.5\n12,0.6,0.5\n13,0.6,0.9\n";
	const struct report_accuracy_rules all = {.window = 0};
	const struct report_accuracy_rules settled = {.settle = 1};
	const struct report_accuracy_rules calmed = {.skip_edges = 2};
	const struct report_accuracy_rules windows = {.window = 4};
	expect_near(load_in(cut_out, &all, 6), (3 * 0.1 + 2 * 0.5 + 0.9) / 6);
	expect_near(load_in(marked, &all, 6), (3 * 0.1 + 2 * 0.5 + 0.9) / 6);
	expect_near(load_in(cut_out, &settled, 5), (2 * 0.1 + 2 * 0.5 + 0.9) / 5);
	expect_near(load_in(marked, &settled, 5), (2 * 0.1 + 2 * 0.5 + 0.9) / 5);
	/* The target jumps somewhere in what is missing: perhaps at its end. */
	expect_near(load_in(cut_out, &calmed, 4), (3 * 0.1 + 0.9) / 4);
	expect_near(load_in(marked, &calmed, 4), (3 * 0.1 + 0.9) / 4);
	/* One of two seconds, of four that it should have, is too short. */
	expect_near(load_in(cut_out, &windows, 1), 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(no_row_stands_for_those_that_were_taken_out, free_log),
		cmocka_unit_test_teardown(a_late_row_is_no_gap, free_log),
		cmocka_unit_test_teardown(a_row_without_a_load_stays_as_it_is, free_log),
		cmocka_unit_test_teardown(more_may_be_missing_than_there_is, free_log),
		cmocka_unit_test_teardown(what_is_missing_is_divided_where_control_begins, free_log),
		cmocka_unit_test_teardown(pauses_are_no_gaps, free_log),
		cmocka_unit_test_teardown(times_without_differences_are_left_alone, free_log),
		cmocka_unit_test(accuracy_leaves_out_what_is_missing_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
