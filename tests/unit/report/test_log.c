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

#include "report/log.h"

#define expect_near(found, expected) assert_true(fabs((found) - (expected)) < 1e-9)

static char error[CSV_ERROR_MAX];

static int read_text(struct report_log *log, const char *text)
{
	struct csv *const csv = csv_open_text(text, strlen(text), "f.csv", error);
	assert_non_null(csv);
	assert_true(report_log_is(csv));
	const int result = report_log_read(log, csv, "f.csv", error);
	csv_close(csv);
	return result;
}

static void expect_refused(const char *text, const char *expected)
{
	struct report_log log;
	assert_int_equal(read_text(&log, text), -1);
	assert_string_equal(error, expected);
	report_log_free(&log);
}

/* A log with rows of one second whose targets these are; NaN while free. */
static void make_log(struct report_log *log, const double *target, size_t count)
{
	char text[8192] = "time_s,target,load\n";
	for (size_t i = 0; i < count; i++) {
		char row[64];
		if (isnan(target[i]))
			snprintf(row, sizeof row, "%zu,,1\n", i + 1);
		else
			snprintf(row, sizeof row, "%zu,%.6f,0\n", i + 1, target[i]);
		strcat(text, row);
	}
	assert_int_equal(read_text(log, text), 0);
}

/* Also what is watched under a name that ends as that of an event does. */
static void rates_are_of_events_alone(void **state)
{
	(void)state;
	struct report_log log;
	assert_int_equal(read_text(&log, "time_s,load,watch_db,watch_x_per_s,cycles_per_s\n1,0.5,0.25,,7\n2,0.5,0.25,x,8\n"), 0);
	assert_int_equal(log.events.count, 1);
	assert_string_equal(log.events.item[0].name, "cycles");
	expect_near(log.events.item[0].rate[1], 8);
	report_log_free(&log);
}

static void all_columns_are_read(void **state)
{
	(void)state;
	struct report_log log;
	assert_int_equal(read_text(&log, "extra,load,time_s,monotonic_s,target,duty_00\n"
					 "\"a,b\",1,-0.5,99.5,,0\n"
					 "x,,0.0001,100,,0\n"
					 ",0.25,0.5,100.4999,0.2,0\n"),
		0);
	assert_int_equal(log.count, 3);
	assert_int_equal(log.warmup, 2);
	assert_true(log.load[0] == 1 && isnan(log.load[1]) && log.load[2] == 0.25);
	assert_true(isnan(log.target[0]) && log.target[2] == 0.2);
	assert_true(log.monotonic[2] == 100.4999);
	assert_false(log.is_cut);
	expect_near(log.interval, 0.4999);
	report_log_free(&log);
}

/* cpuload knows no target, and a log made by hand perhaps no other clock. */
static void columns_may_be_missing(void **state)
{
	(void)state;
	struct report_log log;
	assert_int_equal(read_text(&log, "time_s,load\n0.5,0.5\n1,0.5\n1.5,0.5"), 0);
	assert_int_equal(log.count, 2);
	assert_true(log.is_cut);
	assert_null(log.monotonic);
	assert_null(log.target);
	report_log_free(&log);
}

static void wrong_files_are_refused(void **state)
{
	(void)state;
	expect_refused("time_s,load\n", "f.csv: found no whole row after the header");
	expect_refused("time_s,load\n1,0.5", "f.csv: found no whole row after the header");
	expect_refused(
		"time_s,load\n1,0.5\n1,0.5\n", "f.csv:3:1: time_s: found 1.000000 after 1.000000, expected times that grow");
	expect_refused(
		"time_s,load\n2,0.5\n1.5,0.5\n", "f.csv:3:1: time_s: found 1.500000 after 2.000000, expected times that grow");
	expect_refused("time_s,monotonic_s,load\n1,5,0.5\n2,4,0.5\n",
		"f.csv:3:3: monotonic_s: found 4.000000 after 5.000000, expected times that grow");
	expect_refused("time_s,load\n,0.5\n", "f.csv:2:1: time_s: found nothing, expected a time in seconds");
	expect_refused("time_s,load\n1,-0.01\n", "f.csv:2:3: load: found -0.01, expected a load from 0 to 1000000");
	expect_refused("time_s,load,target\n1,1,-0.5\n", "f.csv:2:5: target: found -0.5, expected a load from 0 to 1");
	expect_refused("time_s,load\n1,half\n", "f.csv:2:3: load: found 'half', expected a number");
	expect_refused("time_s,load,load\n1,1,1\n", "f.csv:1: found the column 'load' 2 times, expected it once");
	expect_refused("time_s,load\n1\n", "f.csv:2: found 1 field, expected 2 as in the header");
}

static void rows_begin_where_the_row_before_ends(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double start;
	} first[] = {
		{"time_s,load\n0.5,1\n1,1\n", 0},
		{"time_s,load\n0.3,1\n0.8,1\n", 0},  /* shorter than the next one: from the start of control */
		{"time_s,load\n10.5,1\n11,1\n", 10}, /* the beginning of the log is missing */
		{"time_s,load\n-1.5,1\n-1,1\n", -2}, /* in the warm-up */
		{"time_s,load\n0.7,1\n", 0},         /* alone */
	};
	for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
		struct report_log log;
		assert_int_equal(read_text(&log, first[i].text), 0);
		expect_near(report_log_start(&log, 0), first[i].start);
		expect_near(report_log_length(&log, 0), log.time[0] - first[i].start);
		if (log.count > 1)
			assert_true(report_log_start(&log, 1) == log.time[0]);
		report_log_free(&log);
	}
}

static void means_are_weighted_by_time(void **state)
{
	(void)state;
	struct report_log log;
	assert_int_equal(read_text(&log, "time_s,target,load\n1,0.5,0.1\n2,,0.3\n4,0.7,0.5\n5,0.7,\n"), 0);
	struct report_mean mean = report_log_mean(&log, 0, 2);
	expect_near(mean.load, 0.2);
	expect_near(mean.target, 0.5);
	/* Half of the first row, all of the second, a quarter of the third. */
	mean = report_log_mean(&log, 0.5, 2.5);
	expect_near(mean.load, (0.5 * 0.1 + 0.3 + 0.5 * 0.5) / 2);
	expect_near(mean.target, (0.5 * 0.5 + 0.5 * 0.7) / 1);
	mean = report_log_mean(&log, 3, 100);
	expect_near(mean.load, 0.5);
	expect_near(mean.target, 0.7);
	assert_true(isnan(report_log_mean(&log, 4, 5).load));
	assert_true(isnan(report_log_mean(&log, 6, 7).load));
	assert_true(isnan(report_log_mean(&log, 1, 1).load));
	report_log_free(&log);
}

/* The run was paused for 10 s in its third row. */
static void clocks_are_translated(void **state)
{
	(void)state;
	struct report_log log;
	assert_int_equal(read_text(&log, "time_s,monotonic_s,load\n1,101,0\n2,102,0\n3,113,0\n4,114,0\n"), 0);
	static const double pairs[][2] = {
		{-5, 95}, {0, 100}, {1, 101}, {1.5, 101.5}, {2, 102}, {2.5, 107.5}, {3, 113}, {4, 114}, {7, 117}};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		expect_near(report_log_monotonic(&log, pairs[i][0]), pairs[i][1]);
		expect_near(report_log_time(&log, pairs[i][1]), pairs[i][0]);
	}
	report_log_free(&log);
}

static void steps_are_stretches_of_one_target(void **state)
{
	(void)state;
	static const double target[] = {0.2, 0.2, 0.2, 0.35, 0.5, 0.5, 0.5, 0.5, NAN, NAN, NAN, 0.5, 0.5, 0.9, 0.9, 0.9};
	struct report_log log;
	size_t count;
	make_log(&log, target, sizeof target / sizeof *target);
	struct report_step *const step = report_log_steps(&log, &count);
	assert_non_null(step);
	assert_int_equal(count, 3);
	assert_true(step[0].first == 0 && step[0].last == 2 && step[0].start == 0 && step[0].end == 3 && step[0].target == 0.2);
	assert_true(step[1].first == 4 && step[1].last == 7 && step[1].start == 4 && step[1].end == 8 && step[1].target == 0.5);
	assert_true(step[2].first == 13 && step[2].last == 15 && step[2].target == 0.9);
	free(step);
	report_log_free(&log);
}

static void a_slope_has_no_steps(void **state)
{
	(void)state;
	double target[50];
	struct report_log log;
	size_t count;
	for (size_t i = 0; i < 50; i++)
		target[i] = 0.01 * (double)i;
	make_log(&log, target, 50);
	struct report_step *const step = report_log_steps(&log, &count);
	assert_non_null(step);
	assert_int_equal(count, 0);
	free(step);
	report_log_free(&log);
}

static void expect_short_steps(const double *target, size_t count, size_t expected)
{
	struct report_log log;
	make_log(&log, target, count);
	assert_int_equal(report_log_short_steps(&log), expected);
	report_log_free(&log);
}

/* Two rows between two jumps, also where the target jumped within a row; but not the top of a slope, nor the first or the last rows. */
static void steps_that_are_too_short_are_counted(void **state)
{
	(void)state;
	static const double pairs[] = {0.9, 0.9, 0.7, 0.7, 0.5, 0.5, 0.5, 0.1, 0.1, 0.3, 0.3};
	static const double within[] = {0.9, 0.9, 0.9, 0.8, 0.7, 0.7, 0.6, 0.5, 0.5, 0.5};
	static const double slope[] = {0.1, 0.2, 0.3, 0.4, 0.4, 0.3, 0.2, 0.1, NAN, NAN, 0.5, 0.5, NAN};
	expect_short_steps(pairs, sizeof pairs / sizeof *pairs, 2);
	expect_short_steps(within, sizeof within / sizeof *within, 1);
	expect_short_steps(slope, sizeof slope / sizeof *slope, 0);
	expect_short_steps(pairs, 1, 0);
}

static void without_targets_all_is_one_step(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"time_s,load\n-1,1\n0,1\n1,0.5\n2,0.5\n", "time_s,load,target\n-1,1,\n0,1,\n1,0.5,\n2,0.5,\n"};
	for (size_t i = 0; i < 2; i++) {
		struct report_log log;
		size_t count;
		assert_int_equal(read_text(&log, texts[i]), 0);
		struct report_step *const step = report_log_steps(&log, &count);
		assert_non_null(step);
		assert_int_equal(count, 1);
		assert_true(step[0].start == 0 && step[0].end == 2 && isnan(step[0].target));
		free(step);
		report_log_free(&log);
	}
}

static void expect_jumps(const double *target, size_t count, const char *expected)
{
	struct report_log log;
	char found[64] = "";
	make_log(&log, target, count);
	for (size_t i = 0; i < count; i++)
		found[i] = report_log_is_jump(&log, i) ? '^' : '.';
	assert_string_equal(found, expected);
	report_log_free(&log);
}

#define EXPECT_JUMPS(expected, ...)                                                                                              \
	expect_jumps((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double), expected)

static void jumps_are_told_from_slopes(void **state)
{
	(void)state;
	EXPECT_JUMPS("...^..^..", 0.1, 0.1, 0.1, 0.6, 0.6, 0.6, 0.2, 0.2, 0.2);
	/* A row has a part of either target. */
	EXPECT_JUMPS("..^....", 0.1, 0.1, 0.35, 0.6, 0.6, 0.6, 0.6);
	EXPECT_JUMPS("..^^...", 0.1, 0.1, 0.105, 0.6, 0.6, 0.6, 0.6);
	/* Slopes, also where they begin, end or turn. */
	EXPECT_JUMPS(".......", 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7);
	EXPECT_JUMPS(".........", 0.1, 0.1, 0.1, 0.15, 0.25, 0.35, 0.4, 0.4, 0.4);
	EXPECT_JUMPS(".......", 0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0.0);
	/* Teeth of a saw. */
	EXPECT_JUMPS(".....^....", 0.1, 0.12, 0.14, 0.16, 0.18, 0.1, 0.12, 0.14, 0.16, 0.18);
	/* A free stretch is no jump, and less than a tenth of a percentage point is none. */
	EXPECT_JUMPS(".......", 0.1, 0.1, NAN, NAN, 0.6, 0.6, 0.6);
	EXPECT_JUMPS("......", 0.1, 0.1, 0.1, 0.1009, 0.1009, 0.1009);
}

/* What is missing has no target: the one before it counts, also where that is the first of all. */
static void a_jump_may_lie_behind_what_is_missing(void **state)
{
	(void)state;
	double target[] = {0.1, NAN, 0.6, 0.6, NAN, NAN, 0.2, 0.2};
	bool is_gap[] = {false, true, false, false, true, true, false, false};
	const struct report_log log = {.target = target, .is_gap = is_gap, .count = sizeof target / sizeof *target};
	for (size_t i = 0; i < log.count; i++)
		assert_true(report_log_is_jump(&log, i) == (i == 2 || i == 6));
}

/* Of half of the machine; a moment above it stays what it is. */
static void loads_are_shares_of_the_capacity(void **state)
{
	(void)state;
	struct report_log log;
	assert_int_equal(
		read_text(&log, "time_s,target,load,others,capacity\n1,0.475,0.4,0.1,0.5\n2,,0.55,nan,0.5\n3,0.475,,-0.2,1\n"),
		0);
	assert_true(log.target[0] == 0.95 && isnan(log.target[1]) && log.target[2] == 0.475);
	assert_true(log.load[0] == 0.8 && log.load[1] == 1.1 && isnan(log.load[2]));
	assert_true(log.background[0] == 0.1 && isnan(log.background[1]) && log.background[2] == -0.2);
	report_log_free(&log);
	expect_refused("time_s,load,capacity\n1,0.5,0\n",
		"f.csv:2:7: capacity: found 0, expected a share of the machine, above 0 and at most 1");
	expect_refused("time_s,load,capacity\n1,0.5,1.5\n",
		"f.csv:2:7: capacity: found 1.5, expected a share of the machine, above 0 and at most 1");
	expect_refused("time_s,load,capacity\n1,0.5,\n",
		"f.csv:2:7: capacity: found nan, expected a share of the machine, above 0 and at most 1");
	expect_refused("time_s,load,others\n1,0.5,1.5\n", "f.csv:2:7: others: found 1.5, expected a load from 0 to 1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_columns_are_read),
		cmocka_unit_test(rates_are_of_events_alone),
		cmocka_unit_test(columns_may_be_missing),
		cmocka_unit_test(wrong_files_are_refused),
		cmocka_unit_test(rows_begin_where_the_row_before_ends),
		cmocka_unit_test(means_are_weighted_by_time),
		cmocka_unit_test(clocks_are_translated),
		cmocka_unit_test(steps_are_stretches_of_one_target),
		cmocka_unit_test(a_slope_has_no_steps),
		cmocka_unit_test(steps_that_are_too_short_are_counted),
		cmocka_unit_test(without_targets_all_is_one_step),
		cmocka_unit_test(jumps_are_told_from_slopes),
		cmocka_unit_test(a_jump_may_lie_behind_what_is_missing),
		cmocka_unit_test(loads_are_shares_of_the_capacity),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
