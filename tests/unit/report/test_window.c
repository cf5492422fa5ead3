/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report/log.h"
#include "report/window.h"

#define expect_near(found, expected) assert_true(fabs((found) - (expected)) < 1e-9)

static char error[CSV_ERROR_MAX];
static struct report_log a_log;
static struct report_run run;
static struct report_windows windows;

static void read_log(const char *text)
{
	struct csv *const csv = csv_open_text(text, strlen(text), "f.csv", error);
	assert_non_null(csv);
	assert_int_equal(report_log_read(&a_log, csv, "f.csv", error), 0);
	assert_int_equal(report_gaps_fill(&a_log), 0);
	csv_close(csv);
}

static void read_iterations(const char *text)
{
	bool is_cut;
	struct csv *const csv = csv_open_text(text, strlen(text), "f.csv", error);
	assert_non_null(csv);
	assert_int_equal(report_iterations_read(&run.iterations, csv, "f.csv", &is_cut, error), 0);
	csv_close(csv);
	run.label = (char *)"run";
	run.iteration_files++;
}

static int free_all(void **state)
{
	(void)state;
	report_windows_free(&windows);
	report_log_free(&a_log);
	report_iterations_free(&run.iterations);
	run = (struct report_run){0};
	return 0;
}

static void expect_window(size_t i, double start, double end, double target, double load, double iterations)
{
	assert_true(i < windows.count);
	const struct report_window *const window = &windows.item[i];
	const double expected[] = {start, end, target, load, iterations};
	const double found[] = {window->start, window->end, window->target, window->load, window->iterations};
	for (size_t at = 0; at < 5; at++) {
		if (isnan(expected[at]))
			assert_true(isnan(found[at]));
		else
			expect_near(found[at], expected[at]);
	}
	if (!isnan(iterations))
		expect_near(window->throughput, iterations / (end - start));
}

/* Control began at 100 s, after a warm-up of 2 s. */
static const char staircase[] = "time_s,monotonic_s,target,load\n"
				"-1,99,,1\n0,100,,1\n"
				"1,101,0.2,0.1\n2,102,0.2,0.2\n3,103,0.2,0.2\n4,104,0.2,0.2\n5,105,0.2,0.2\n6,106,0.2,0.3\n"
				"7,107,0.8,0.5\n8,108,0.8,0.8\n9,109,0.8,0.8\n10,110,0.8,0.8\n11,111,0.8,0.8\n12,112,0.8,0.9\n";

static void intervals_begin_where_control_does(void **state)
{
	(void)state;
	const struct report_windows_rules rules = {.kind = REPORT_INTERVALS, .length = 5};
	read_log(staircase);
	read_iterations("start_s,end_s\n98,102\n102,104\n104,108\n111,113\n");
	assert_int_equal(report_windows_make(&windows, &run, &a_log, &rules, error), 0);
	assert_int_equal(windows.count, 3);
	expect_window(0, 0, 5, 0.2, 0.18, 0.5 + 1 + 0.25);
	expect_window(1, 5, 10, (0.2 + 4 * 0.8) / 5, (0.3 + 0.5 + 3 * 0.8) / 5, 0.75);
	expect_window(2, 10, 12, 0.8, 0.85, 0.5);
}

static void the_warmup_is_shown_on_request(void **state)
{
	(void)state;
	const struct report_windows_rules rules = {.kind = REPORT_INTERVALS, .length = 5, .with_warmup = true};
	read_log(staircase);
	read_iterations("start_s,end_s\n98,102\n");
	assert_int_equal(report_windows_make(&windows, &run, &a_log, &rules, error), 0);
	assert_int_equal(windows.count, 4);
	expect_window(0, -2, 0, NAN, 1, 0.5);
	expect_window(1, 0, 5, 0.2, 0.18, 0.5);
}

static void steps_lose_their_edges(void **state)
{
	(void)state;
	const struct report_windows_rules rules = {.kind = REPORT_STEPS, .edge = 1.0 / 6};
	read_log(staircase);
	read_iterations("start_s,end_s\n100,105\n105,110\n");
	assert_int_equal(report_windows_make(&windows, &run, &a_log, &rules, error), 0);
	assert_int_equal(windows.count, 2);
	expect_window(0, 1, 5, 0.2, 0.2, 0.8);
	expect_window(1, 7, 11, 0.8, 0.8, 0.6);
}

/* Three levels down and up again, 4 s each: the lowest is held for 8 s, which are two steps of a staircase. */
static void the_step_where_a_staircase_turns_is_two(void **state)
{
	(void)state;
	char text[4096] = "time_s,monotonic_s,target,load,power_w\n";
	const double targets[] = {0.9, 0.5, 0.1, 0.1, 0.5, 0.9};
	for (int i = 0; i < 24; i++)
		sprintf(text + strlen(text), "%d,%d,%g,%g,%d\n", i + 1, 101 + i, targets[i / 4], targets[i / 4], 10 + i / 4);
	struct report_windows_rules rules = {.kind = REPORT_STEPS, .edge = 0.25, .is_staircase = true};
	read_log(text);
	read_iterations("start_s,end_s\n100,124\n");
	assert_int_equal(report_windows_make(&windows, &run, &a_log, &rules, error), 0);
	assert_int_equal(windows.count, 6);
	for (size_t i = 0; i < 6; i++) {
		expect_window(i, 4 * (double)i + 1, 4 * (double)i + 3, targets[i], targets[i], 1.0 / 12);
		expect_near(windows.item[i].power, 10 + (double)i);
	}
	report_windows_free(&windows);
	rules.is_staircase = false;
	assert_int_equal(report_windows_make(&windows, &run, &a_log, &rules, error), 0);
	assert_int_equal(windows.count, 5);
	expect_window(2, 10, 14, 0.1, 0.1, 1.0 / 6);
	expect_near(windows.item[2].power, 12.5);
}

/* What rows are missing of counts in no mean; iterations go on meanwhile, and are counted. */
static void missing_rows_are_in_no_mean(void **state)
{
	(void)state;
	const struct report_windows_rules intervals = {.kind = REPORT_INTERVALS, .length = 6};
	const struct report_windows_rules rows = {.kind = REPORT_ROWS};
	read_log("time_s,monotonic_s,target,load\n1,101,0.2,0.1\n2,102,0.2,0.2\n3,103,0.2,0.3\n15,115,0.8,0.6\n16,116,0.8,0.8\n"
		 "17,117,0.8,0.7\n18,118,0.8,0.7\n");
	read_iterations("start_s,end_s\n100,118\n");
	assert_int_equal(report_windows_make(&windows, &run, &a_log, &intervals, error), 0);
	assert_int_equal(windows.count, 3);
	expect_window(0, 0, 6, 0.2, 0.2, 1.0 / 3);
	expect_window(1, 6, 12, NAN, NAN, 1.0 / 3);
	expect_window(2, 12, 18, 0.8, 0.7, 1.0 / 3);
	report_windows_free(&windows);
	assert_int_equal(report_windows_make(&windows, &run, &a_log, &rows, error), 0);
	assert_int_equal(windows.count, 8);
	expect_window(2, 2, 3, 0.2, 0.3, 1.0 / 18);
	expect_window(3, 3, 14, NAN, NAN, 11.0 / 18);
	expect_window(4, 14, 15, 0.8, 0.6, 1.0 / 18);
}

/* The rate is that of the rest of the time. */
static void missing_iterations_are_in_no_rate(void **state)
{
	(void)state;
	const struct report_windows_rules rules = {.kind = REPORT_INTERVALS, .length = 4};
	read_log(staircase);
	read_iterations("instance,iteration,start_s,end_s\n0,0,100,101\n0,1,101,102\n0,,102,108\n0,8,108,110\n0,9,110,112\n");
	assert_int_equal(report_windows_make(&windows, &run, &a_log, &rules, error), 0);
	assert_int_equal(windows.count, 3);
	expect_near(windows.item[0].iterations, 2);
	expect_near(windows.item[0].throughput, 1);
	expect_near(windows.item[0].missing, 0.5);
	assert_true(isnan(windows.item[1].iterations) && isnan(windows.item[1].throughput));
	expect_window(2, 8, 12, 0.8, 0.825, 2);
	expect_near(windows.item[2].missing, 0);
}

/* The power is that of another log of the run, with a clock of its own, where the log has none. */
static void power_may_be_in_another_log(void **state)
{
	(void)state;
	const struct report_windows_rules rules = {.kind = REPORT_STEPS};
	struct report_log both[2];
	read_log("time_s,monotonic_s,load,power_w\n1,101,0.5,10\n2,102,0.5,\n3,103,0.5,30\n4,104,0.5,50\n");
	both[0] = a_log;
	read_log("time_s,monotonic_s,target,load,power_w\n1,102,0.5,0.5,\n2,103,0.5,0.5,\n3,104,0.5,0.5,\n");
	both[1] = a_log;
	run.log = both;
	run.logs = 2;
	assert_int_equal(report_windows_make(&windows, &run, &both[1], &rules, error), 0);
	assert_int_equal(windows.count, 1);
	expect_near(windows.item[0].power, 40);
	report_log_free(&both[0]);
	run.logs = 0;
}

static void rows_are_windows(void **state)
{
	(void)state;
	const struct report_windows_rules rules = {.kind = REPORT_ROWS};
	read_log("time_s,load\n0.5,0.1\n1,0.2\n");
	assert_int_equal(report_windows_make(&windows, &run, &a_log, &rules, error), 0);
	assert_int_equal(windows.count, 2);
	expect_window(0, 0, 0.5, NAN, 0.1, NAN);
	expect_window(1, 0.5, 1, NAN, 0.2, NAN);
}

static void iterations_alone_begin_with_the_first(void **state)
{
	(void)state;
	const struct report_windows_rules rules = {.kind = REPORT_INTERVALS, .length = 6};
	read_iterations("start_s,end_s\n103,110\n100,118\n");
	assert_int_equal(report_windows_make(&windows, &run, NULL, &rules, error), 0);
	assert_int_equal(windows.count, 3);
	expect_window(0, 0, 6, NAN, NAN, 3 / 7.0 + 1 / 3.0);
	expect_window(1, 6, 12, NAN, NAN, 4 / 7.0 + 1 / 3.0);
	expect_window(2, 12, 18, NAN, NAN, 1 / 3.0);
}

/* Readings are late or early by less than a hundredth of an interval: no window of a millisecond comes of it. */
static void jitter_makes_no_windows(void **state)
{
	(void)state;
	const struct report_windows_rules rules = {.kind = REPORT_INTERVALS, .length = 1};
	read_log("time_s,target,load\n-0.4999,,1\n0.0003,,1\n0.5,0.5,0.5\n1.0001,0.5,0.5\n1.5,0.5,0.5\n2.002,0.5,0.5\n");
	assert_int_equal(report_windows_make(&windows, &run, &a_log, &rules, error), 0);
	assert_int_equal(windows.count, 2);
	expect_window(0, 0.0003, 1, 0.5, 0.5, NAN);
	expect_window(1, 1, 2.002, 0.5, 0.5, NAN);
}

/* After the warm-up, of which it has a millisecond, a window; one that is free for half of it; and one whose load is known for half. */
static void a_window_that_is_free_for_a_while_has_no_target(void **state)
{
	(void)state;
	const struct report_windows_rules rules = {.kind = REPORT_INTERVALS, .length = 1, .with_warmup = true};
	read_log("time_s,target,load\n-0.999,,1\n0.001,,1\n0.5,0.5,0.5\n1,0.5,0.5\n1.5,0.5,0.5\n2,,1\n2.5,0.5,\n3,0.5,0.5\n");
	assert_int_equal(report_windows_make(&windows, &run, &a_log, &rules, error), 0);
	assert_int_equal(windows.count, 5);
	expect_window(2, 0, 1, 0.5, (0.001 + 0.999 * 0.5), NAN);
	expect_window(3, 1, 2, NAN, 0.75, NAN);
	expect_window(4, 2, 3, 0.5, 0.5, NAN);
}

static void expect_refused(const struct report_log *log, const struct report_windows_rules *rules, const char *expected)
{
	assert_int_equal(report_windows_make(&windows, &run, log, rules, error), -1);
	assert_string_equal(error, expected);
	report_windows_free(&windows);
}

static void what_does_not_fit_is_refused(void **state)
{
	(void)state;
	const struct report_windows_rules intervals = {.kind = REPORT_INTERVALS, .length = 1};
	const struct report_windows_rules steps = {.kind = REPORT_STEPS};
	read_log("time_s,monotonic_s,target,load\n1.25,101.25,0.1,0\n2.5,102.5,0.2,0\n3.75,103.75,0.3,0\n");
	expect_refused(&a_log, &steps,
		"f.csv: found no target that stays the same for 3 rows of 1.25 s, expected steps; showstopper --log-interval "
		"makes rows shorter");
	read_iterations("start_s,end_s\n");
	expect_refused(&a_log, &intervals, "run: found no iteration in its iteration file");
	read_iterations("start_s,end_s\n1,2\n");
	expect_refused(&a_log, &intervals,
		"f.csv: found none of its iterations at the time of its log, expected files of one run (those of several "
		"machines need a column time_unix_s)");
	read_iterations("start_s,end_s\n1e9,2e9\n");
	expect_refused(NULL, &intervals, "found 1999999999 intervals of 1 s in a time of 2e+09 s, expected at most 20000000");
	report_log_free(&a_log);
	read_log("time_s,load\n1,0\n");
	expect_refused(&a_log, &intervals, "f.csv:1: found no column monotonic_s, expected it for the iterations");
	report_log_free(&a_log);
	report_iterations_free(&run.iterations);
	run = (struct report_run){0};
	read_log("time_s,load\n-2,0\n-1,0\n");
	expect_refused(&a_log, &intervals, "f.csv: found nothing but the warm-up");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(intervals_begin_where_control_does, free_all),
		cmocka_unit_test_teardown(the_warmup_is_shown_on_request, free_all),
		cmocka_unit_test_teardown(steps_lose_their_edges, free_all),
		cmocka_unit_test_teardown(the_step_where_a_staircase_turns_is_two, free_all),
		cmocka_unit_test_teardown(missing_rows_are_in_no_mean, free_all),
		cmocka_unit_test_teardown(missing_iterations_are_in_no_rate, free_all),
		cmocka_unit_test_teardown(power_may_be_in_another_log, free_all),
		cmocka_unit_test_teardown(rows_are_windows, free_all),
		cmocka_unit_test_teardown(iterations_alone_begin_with_the_first, free_all),
		cmocka_unit_test_teardown(jitter_makes_no_windows, free_all),
		cmocka_unit_test_teardown(a_window_that_is_free_for_a_while_has_no_target, free_all),
		cmocka_unit_test_teardown(what_does_not_fit_is_refused, free_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
