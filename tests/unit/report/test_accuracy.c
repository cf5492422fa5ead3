/* SPDX-License-Identifier: MIT */
/* The expected figures were computed by hand. */
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

#define expect_near(found, expected) assert_true(fabs((found) - (expected)) < 1e-6)

static struct report_log a_log;

static void read_text(const char *text)
{
	char error[CSV_ERROR_MAX];
	struct csv *const csv = csv_open_text(text, strlen(text), "f.csv", error);
	assert_non_null(csv);
	assert_int_equal(report_log_read(&a_log, csv, "f.csv", error), 0);
	csv_close(csv);
}

static int free_log(void **state)
{
	(void)state;
	report_log_free(&a_log);
	return 0;
}

/* Checks the accuracy over all samples. */
static void expect_all(const struct report_accuracy_rules *rules, uint64_t samples, double seconds, double error, double mse)
{
	size_t count;
	struct report_accuracy *const found = report_accuracy(&a_log, rules, 0, &count);
	assert_non_null(found);
	assert_int_equal(count, 1);
	assert_true(isnan(found[0].target));
	assert_int_equal(found[0].accuracy.samples, samples);
	expect_near(found[0].seconds, seconds);
	if (samples > 0) {
		expect_near(accuracy_mean_error_pp(&found[0].accuracy), error);
		expect_near(accuracy_mse_pp2(&found[0].accuracy), mse);
	}
	free(found);
}

#define EXPECT_ALL(samples, seconds, error, mse, ...)                                                                            \
	expect_all(&(const struct report_accuracy_rules){__VA_ARGS__}, samples, seconds, error, mse)

static void each_row_is_a_sample(void **state)
{
	(void)state;
	read_text("time_s,target,load\n0.5,0.5,0.4\n1,0.5,0.6\n1.5,0.5,0.55\n2,0.5,0.41\n");
	/* Errors in pp: -10, 10, 5, -9. */
	EXPECT_ALL(4, 2, -1, (100 + 100 + 25 + 81) / 4.0, 0);
}

static void rows_of_a_window_are_one_sample(void **state)
{
	(void)state;
	read_text("time_s,target,load\n0.2,0.5,1\n1,0.5,0.5\n1.5,0.4,0.5\n2,0.6,0.52\n");
	/* First window: (0.2 x 100 + 0.8 x 50) % = 60 %, target 50 %; second: 51 % and 50 %. */
	EXPECT_ALL(2, 2, 5.5, (100 + 1) / 2.0, .window = 1);
	/* One window: 55.5 % and 50 %. */
	EXPECT_ALL(1, 2, 5.5, 30.25, .window = 2);
	/* A window that is covered by half or less is no sample. */
	EXPECT_ALL(0, 0, 0, 0, .window = 4);
	EXPECT_ALL(1, 2, 5.5, 30.25, .window = 3.9);
}

/* Readings come a little early or late; every window of two rows still has two of them. */
static void jitter_moves_no_row_to_another_window(void **state)
{
	(void)state;
	read_text("time_s,target,load\n0.5001,0.5,0.4\n0.9998,0.5,0.6\n1.5,0.5,0.4\n2.0003,0.5,0.6\n2.4999,0.5,0.4\n2.9999,0.5,0."
		  "6\n");
	size_t count;
	const struct report_accuracy_rules rules = {.window = 1};
	struct report_accuracy *const found = report_accuracy(&a_log, &rules, 0, &count);
	assert_non_null(found);
	assert_int_equal(found[0].accuracy.samples, 3);
	assert_true(accuracy_mse_pp2(&found[0].accuracy) < 0.001);
	free(found);
}

static void what_has_no_load_or_target_is_left_out(void **state)
{
	(void)state;
	/*
	 * Warm-up, two samples, a row without a load, a free stretch whose neighbours may be partly free, and the rest of a row.
	 */
	read_text("time_s,target,load\n-0.5,,1\n0,,1\n0.5,0.5,0.6\n1,0.5,0.52\n1.5,0.5,\n2,0.5,0.1\n2.5,,1\n3,,1\n3.5,0.5,0.9\n"
		  "4,0.5,0.58\n4.2,0.5,0\n");
	EXPECT_ALL(3, 1.5, (10 + 2 + 8) / 3.0, (100 + 4 + 64) / 3.0, 0);
}

static void time_to_settle_is_left_out(void **state)
{
	(void)state;
	read_text(
		"time_s,target,load\n-1,,1\n0,,1\n1,0.5,0.9\n2,0.5,0.7\n3,0.5,0.6\n4,0.5,0.5\n5,,1\n6,,1\n7,0.5,0.9\n8,0.5,0.8\n"
		"9,0.5,0.6\n");
	EXPECT_ALL(5, 5, (40 + 20 + 10 + 30 + 10) / 5.0, (1600 + 400 + 100 + 900 + 100) / 5.0, 0);
	/* The rows from 0 to 2 s, and, after the free stretch, those from 6 to 8 s. */
	EXPECT_ALL(2, 2, 10, 100, .settle = 2);
	/* The middle of a row decides. */
	EXPECT_ALL(4, 4, (20 + 10 + 30 + 10) / 4.0, (400 + 100 + 900 + 100) / 4.0, .settle = 1.4);
	EXPECT_ALL(0, 0, 0, 0, .settle = 100);
}

static void edges_are_left_out(void **state)
{
	(void)state;
	read_text("time_s,target,load\n1,0.2,0.2\n2,0.2,0.2\n3,0.2,0.2\n4,0.8,0.3\n5,0.8,0.7\n6,0.8,0.8\n7,0.8,0.8\n");
	EXPECT_ALL(7, 7, -60 / 7.0, (2500 + 100) / 7.0, 0);
	EXPECT_ALL(6, 6, -10 / 6.0, 100 / 6.0, .skip_edges = 1);
	EXPECT_ALL(5, 5, 0, 0, .skip_edges = 2);
	/* In windows of two seconds: 20 % and 75 %; of the second and the last one only a half is there, which is no sample. */
	EXPECT_ALL(2, 4, -2.5, 12.5, .window = 2, .skip_edges = 1.4);
}

static void levels_are_sorted_and_pooled(void **state)
{
	(void)state;
	size_t count;
	const struct report_accuracy_rules rules = {0};
	read_text("time_s,target,load\n1,0.8,0.9\n2,0.8,0.8\n3,0.8,0.8\n4,0.5,0.1\n5,0.2,0.3\n6,0.2,0.2\n7,0.2,0.2\n8,0.8,0.8\n"
		  "9,0.8,0.8\n10,0.8,0.6\n");
	struct report_accuracy *const found = report_accuracy(&a_log, &rules, 1, &count);
	assert_non_null(found);
	assert_int_equal(count, 3);
	assert_int_equal(found[0].accuracy.samples, 10);
	assert_true(found[1].target == 0.2);
	assert_int_equal(found[1].accuracy.samples, 3);
	expect_near(accuracy_mean_error_pp(&found[1].accuracy), 10 / 3.0);
	expect_near(accuracy_mse_pp2(&found[1].accuracy), 100 / 3.0);
	assert_true(found[2].target == 0.8);
	assert_int_equal(found[2].accuracy.samples, 6);
	expect_near(accuracy_mean_error_pp(&found[2].accuracy), -10 / 6.0);
	expect_near(accuracy_mse_pp2(&found[2].accuracy), (100 + 400) / 6.0);
	free(found);
}

/* A window that two levels share belongs to none of them. */
static void windows_across_levels_have_none(void **state)
{
	(void)state;
	size_t count;
	const struct report_accuracy_rules rules = {.window = 2};
	read_text("time_s,target,load\n1,0.2,0.2\n2,0.2,0.2\n3,0.2,0.2\n4,0.8,0.8\n5,0.8,0.8\n6,0.8,0.8\n");
	struct report_accuracy *const found = report_accuracy(&a_log, &rules, 1, &count);
	assert_non_null(found);
	assert_int_equal(count, 3);
	assert_int_equal(found[0].accuracy.samples, 3);
	assert_int_equal(found[1].accuracy.samples, 1);
	assert_int_equal(found[2].accuracy.samples, 1);
	free(found);
}

/* Checks the samples without a burst. */
static void expect_calm(const struct report_accuracy_rules *rules, uint64_t samples, double error, double mse)
{
	size_t count;
	struct report_accuracy *const found = report_accuracy(&a_log, rules, 0, &count);
	assert_non_null(found);
	assert_true(found[0].knows_background);
	assert_int_equal(found[0].calm.samples, samples);
	if (samples > 0) {
		expect_near(accuracy_mean_error_pp(&found[0].calm), error);
		expect_near(accuracy_mse_pp2(&found[0].calm), mse);
	}
	free(found);
}

#define EXPECT_CALM(samples, error, mse, ...) expect_calm(&(const struct report_accuracy_rules){__VA_ARGS__}, samples, error, mse)

static void a_burst_and_the_second_after_it_are_not_calm(void **state)
{
	(void)state;
	/* Errors in pp: 1, 20, 4, 2, 0, 8. */
	read_text("time_s,target,load,others\n0.5,0.5,0.51,0.03\n1,0.5,0.7,0.031\n1.5,0.5,0.54,0\n2,0.5,0.52,0\n2.5,0.5,0.5,0\n"
		  "3,0.5,0.58,0.01\n");
	EXPECT_ALL(6, 3, 35 / 6.0, (1 + 400 + 16 + 4 + 64) / 6.0, .burst = 0.03, .calm = 1);
	EXPECT_CALM(3, 3, (1 + 64) / 3.0, .burst = 0.03, .calm = 1);
	EXPECT_CALM(5, 3, (1 + 16 + 4 + 64) / 5.0, .burst = 0.03);
	EXPECT_CALM(6, 35 / 6.0, (1 + 400 + 16 + 4 + 64) / 6.0, .burst = 0.04, .calm = 1);
	EXPECT_CALM(0, 0, 0, .burst = -0.01, .calm = 1);
	/* A sample is as calm as its rows: of the windows of a second, the first has a burst, the second what follows it. */
	EXPECT_CALM(1, 4, 16, .burst = 0.03, .calm = 1, .window = 1);
	EXPECT_CALM(1, 4, 16, .burst = 0.03, .calm = 0.5, .window = 1);
}

static void bursts_count_where_no_sample_is(void **state)
{
	(void)state;
	/* In the warm-up, in a row that is free, in one without a load. */
	read_text("time_s,target,load,others\n-0.5,,1,0\n0,,1,0.2\n0.5,0.5,0.6,0\n1,0.5,0.6,0\n1.5,0.5,0.5,0\n2,0.5,,0.1\n"
		  "2.5,0.5,0.6,0\n3,0.5,0.6,0\n3.5,0.5,0.51,0\n4,0.5,0.5,0\n4.5,,1,0\n5,,1,0.1\n5.5,0.5,0.6,0\n6,0.5,0.6,0\n"
		  "6.5,0.5,0.52,0\n");
	EXPECT_CALM(3, 1, 5 / 3.0, .burst = 0.03, .calm = 1);
}

static void what_is_not_known_is_not_calm(void **state)
{
	(void)state;
	read_text("time_s,target,load,others\n0.5,0.5,0.51,\n1,0.5,0.53,0\n1.5,0.5,0.54,nan\n");
	EXPECT_CALM(1, 3, 9, .burst = 0.03);
}

static void background_may_be_unknown(void **state)
{
	(void)state;
	static const char *const text[] = {"time_s,target,load\n0.5,0.5,0.51\n", "time_s,target,load,others\n0.5,0.5,0.51,NaN\n"};
	for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
		size_t count;
		const struct report_accuracy_rules rules = {.burst = 0.03};
		read_text(text[i]);
		struct report_accuracy *const found = report_accuracy(&a_log, &rules, 0, &count);
		assert_non_null(found);
		assert_false(found[0].knows_background);
		assert_int_equal(found[0].accuracy.samples, 1);
		assert_int_equal(found[0].calm.samples, 0);
		free(found);
		report_log_free(&a_log);
	}
}

static void levels_have_calm_samples_of_their_own(void **state)
{
	(void)state;
	size_t count;
	const struct report_accuracy_rules rules = {.burst = 0.03};
	read_text("time_s,target,load,others\n1,0.2,0.2,0\n2,0.2,0.5,0.1\n3,0.2,0.2,0\n4,0.8,0.7,0\n5,0.8,0.8,0\n6,0.8,0.8,0\n");
	struct report_accuracy *const found = report_accuracy(&a_log, &rules, 1, &count);
	assert_non_null(found);
	assert_int_equal(count, 3);
	assert_int_equal(found[0].calm.samples, 5);
	assert_int_equal(found[1].calm.samples, 2);
	assert_int_equal(found[2].calm.samples, 3);
	expect_near(accuracy_mse_pp2(&found[1].calm), 0);
	assert_true(found[1].knows_background && found[2].knows_background);
	free(found);
}

static void near_is_within_five_points(void **state)
{
	(void)state;
	size_t count;
	const struct report_accuracy_rules rules = {0};
	read_text("time_s,target,load\n1,0.5,0.55\n2,0.5,0.45\n3,0.5,0.550001\n4,0.5,0.449999\n5,0.5,0.5\n");
	struct report_accuracy *const found = report_accuracy(&a_log, &rules, 0, &count);
	assert_non_null(found);
	expect_near(accuracy_near(&found[0].accuracy), 0.6);
	free(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_row_is_a_sample, free_log),
		cmocka_unit_test_teardown(rows_of_a_window_are_one_sample, free_log),
		cmocka_unit_test_teardown(jitter_moves_no_row_to_another_window, free_log),
		cmocka_unit_test_teardown(what_has_no_load_or_target_is_left_out, free_log),
		cmocka_unit_test_teardown(time_to_settle_is_left_out, free_log),
		cmocka_unit_test_teardown(edges_are_left_out, free_log),
		cmocka_unit_test_teardown(levels_are_sorted_and_pooled, free_log),
		cmocka_unit_test_teardown(windows_across_levels_have_none, free_log),
		cmocka_unit_test_teardown(a_burst_and_the_second_after_it_are_not_calm, free_log),
		cmocka_unit_test_teardown(bursts_count_where_no_sample_is, free_log),
		cmocka_unit_test_teardown(what_is_not_known_is_not_calm, free_log),
		cmocka_unit_test_teardown(background_may_be_unknown, free_log),
		cmocka_unit_test_teardown(levels_have_calm_samples_of_their_own, free_log),
		cmocka_unit_test_teardown(near_is_within_five_points, free_log),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
