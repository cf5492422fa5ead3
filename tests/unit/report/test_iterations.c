/* SPDX-License-Identifier: MIT */
/* The expected counts were computed by hand: paper 002, footnote 3. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/iterations.h"

#define expect_near(found, expected) assert_true(fabs((found) - (expected)) < 1e-9)

static char error[CSV_ERROR_MAX];

static int read_text(struct report_iterations *iterations, const char *text, bool *is_cut)
{
	struct csv *const csv = csv_open_text(text, strlen(text), "f.csv", error);
	assert_non_null(csv);
	assert_true(report_iterations_is(csv));
	const int result = report_iterations_read(iterations, csv, "f.csv", is_cut, error);
	csv_close(csv);
	return result;
}

static void records_are_read(void **state)
{
	(void)state;
	struct report_iterations iterations = {0};
	bool is_cut;
	assert_int_equal(
		read_text(&iterations, "instance,iteration,start_s,end_s\n0,0,2743.033643001,2743.533643002\n1,0,2743,2743.25\n",
			&is_cut),
		0);
	assert_false(is_cut);
	assert_int_equal(iterations.count, 2);
	expect_near(iterations.item[0].start, 2743.033643001);
	expect_near(iterations.item[0].end, 2743.533643002);
	/* More of them are added; other columns don't matter. */
	assert_int_equal(read_text(&iterations, "end_s,x,start_s\n2745,,2740\n2746,", &is_cut), 0);
	assert_true(is_cut);
	assert_int_equal(iterations.count, 3);
	const struct report_iteration span = report_iterations_span(&iterations);
	assert_true(span.start == 2740 && span.end == 2745);
	assert_int_equal(read_text(&iterations, "start_s,end_s\n", &is_cut), 0);
	assert_int_equal(iterations.count, 3);
	report_iterations_free(&iterations);
}

static void expect_refused(const char *text, const char *expected)
{
	struct report_iterations iterations = {0};
	bool is_cut;
	assert_int_equal(read_text(&iterations, text, &is_cut), -1);
	assert_string_equal(error, expected);
	report_iterations_free(&iterations);
}

static void wrong_records_are_refused(void **state)
{
	(void)state;
	expect_refused("instance,iteration,start_s,end_s\n0,0,5,4\n",
		"f.csv:2:7: end_s: found 4.000000000, expected a time from the start, 5.000000000, on");
	expect_refused("instance,iteration,start_s,end_s\n0,0,5,6\n0,1,4,5.5\n",
		"f.csv:3:7: end_s: found 5.500000000 after 6.000000000, expected the order in which iterations ended");
	expect_refused("start_s,end_s\n,1\n", "f.csv:2:1: start_s: found nothing, expected a time in seconds");
	expect_refused("start_s,end_s\n1,late\n", "f.csv:2:3: end_s: found 'late', expected a number");
}

/* Counts iterations, given as pairs of start and end, in stretches, given likewise. */
static void expect_counts(const double (*pair)[2], size_t pairs, const double (*part)[2], const double *expected, size_t parts)
{
	struct report_iteration item[16];
	struct report_stretch stretch[16];
	double sum[16];
	double known[16];
	assert_true(pairs <= 16 && parts <= 16);
	for (size_t i = 0; i < pairs; i++)
		item[i] = (struct report_iteration){pair[i][0], pair[i][1]};
	for (size_t i = 0; i < parts; i++)
		stretch[i] = (struct report_stretch){part[i][0], part[i][1]};
	const struct report_iterations iterations = {.item = item, .count = pairs, .capacity = pairs};
	assert_int_equal(report_iterations_count(&iterations, stretch, parts, sum, known), 0);
	for (size_t i = 0; i < parts; i++) {
		expect_near(sum[i], expected[i]);
		expect_near(known[i], part[i][1] - part[i][0]);
	}
}

static const double six_seconds[][2] = {{0, 6}, {6, 12}, {12, 18}, {18, 24}};

static void whole_iterations_count_one(void **state)
{
	(void)state;
	static const double pair[][2] = {{0, 3}, {3, 6}, {1, 2}, {6, 12}, {23, 24}};
	static const double expected[] = {3, 1, 0, 1};
	expect_counts(pair, 5, six_seconds, expected, 4);
}

static void others_count_by_their_overlap(void **state)
{
	(void)state;
	/* 1/4 and 3/4; 1/14, 6/14, 6/14, 1/14; half of it before, all but a fifth after. */
	static const double pair[][2] = {{5, 9}, {5, 19}, {-2, 2}, {23, 28}};
	static const double expected[] = {0.25 + 1 / 14.0 + 0.5, 0.75 + 6 / 14.0, 6 / 14.0, 1 / 14.0 + 0.2};
	expect_counts(pair, 4, six_seconds, expected, 4);
}

static void what_lies_outside_counts_nothing(void **state)
{
	(void)state;
	static const double pair[][2] = {{-5, 0}, {24, 30}, {-3, -1}};
	static const double expected[] = {0, 0, 0, 0};
	expect_counts(pair, 3, six_seconds, expected, 4);
}

static void stretches_may_have_gaps(void **state)
{
	(void)state;
	static const double part[][2] = {{1, 2}, {4, 5}, {7, 8}, {10, 11}};
	/* 10 s long: a tenth in each; 3 s long, in the gap but for a third; wholly in a gap. */
	static const double pair[][2] = {{1, 11}, {2, 5}, {5.5, 6.5}};
	static const double expected[] = {0.1, 0.1 + 1 / 3.0, 0.1, 0.1};
	expect_counts(pair, 3, part, expected, 4);
}

static void iterations_without_length_count_one(void **state)
{
	(void)state;
	static const double part[][2] = {{0, 6}, {6, 12}, {13, 18}};
	static const double pair[][2] = {{0, 0}, {6, 6}, {12, 12}, {12.5, 12.5}, {18, 18}, {19, 19}};
	static const double expected[] = {1, 1, 1};
	expect_counts(pair, 6, part, expected, 3);
}

static void one_that_spans_a_million_stretches_is_counted_at_once(void **state)
{
	(void)state;
	enum { COUNT = 1000000 };
	static struct report_stretch stretch[COUNT];
	static double sum[COUNT];
	static double known[COUNT];
	static struct report_iteration item[1000];
	const struct report_iterations iterations = {.item = item, .count = 1000, .capacity = 1000};
	for (int i = 0; i < COUNT; i++)
		stretch[i] = (struct report_stretch){i, i + 1};
	for (int i = 0; i < 1000; i++)
		item[i] = (struct report_iteration){0.5, COUNT - 0.5};
	assert_int_equal(report_iterations_count(&iterations, stretch, COUNT, sum, known), 0);
	expect_near(sum[0], 1000 * 0.5 / (COUNT - 1));
	expect_near(sum[1], 1000 * 1.0 / (COUNT - 1));
	expect_near(sum[COUNT - 2], 1000 * 1.0 / (COUNT - 1));
	expect_near(sum[COUNT - 1], 1000 * 0.5 / (COUNT - 1));
}

/* Records of several files, of which some are missing: what lies there counts neither as iterations nor as time. */
static void where_records_are_missing_nothing_counts(void **state)
{
	(void)state;
	static const struct report_stretch stretch[] = {{0, 6}, {6, 12}, {13, 18}, {18, 24}};
	struct report_iteration item[] = {{0, 2}, {2, 6}, {5, 7}, {6, 12}, {14, 16}, {23, 25}};
	struct report_iteration gap[] = {{1, 2}, {15, 17}};
	struct report_iteration others_gap[] = {{4, 5}, {6, 14}};
	const struct report_iterations others = {.gap = others_gap, .gaps = 2};
	struct report_iterations iterations = {.item = item, .count = 6};
	double sum[4];
	double known[4];
	/* Of the own ones a copy, which grows. */
	const struct report_iterations own = {.gap = gap, .gaps = 2};
	assert_int_equal(report_iterations_add_gaps(&iterations, &own, 0), 0);
	assert_int_equal(report_iterations_add_gaps(&iterations, &others, 1), 0);
	/* 1 to 2, 5 to 6, 7 to 17: the last one of two that overlap. */
	assert_int_equal(iterations.gaps, 3);
	expect_near(report_iterations_missing(&iterations), 12);
	assert_int_equal(report_iterations_count(&iterations, stretch, 4, sum, known), 0);
	expect_near(known[0], 4);
	expect_near(sum[0], 0.5 + 0.75);
	expect_near(known[1], 1);
	expect_near(sum[1], 0.5 + 1 / 6.0);
	expect_near(known[2], 1);
	expect_near(sum[2], 0);
	expect_near(known[3], 6);
	expect_near(sum[3], 0.5);
	free(iterations.gap);
}

static void a_record_without_an_iteration_is_a_gap(void **state)
{
	(void)state;
	struct report_iterations iterations = {0};
	static const char text[] = "instance,iteration,start_s,end_s\n0,0,1,2\n0,,2,5\n0,4,5,6\n0,,6,8\n";
	bool is_cut;
	struct csv *const csv = csv_open_text(text, sizeof text - 1, "f.csv", error);
	assert_int_equal(report_iterations_read(&iterations, csv, "f.csv", &is_cut, error), 0);
	csv_close(csv);
	assert_int_equal(iterations.count, 2);
	assert_int_equal(iterations.gaps, 2);
	expect_near(iterations.item[1].start, 5);
	expect_near(report_iterations_missing(&iterations), 5);
	expect_near(report_iterations_span(&iterations).end, 6);
	report_iterations_free(&iterations);
}

/* Older records have no status. */
static void those_that_failed_are_left_out(void **state)
{
	(void)state;
	struct report_iterations iterations = {0};
	bool is_cut;
	static const char text[] =
		"instance,iteration,start_s,end_s,status\n0,0,1,2,0\n0,1,2,3,1\n0,,3,4,\n0,3,4,5,143\n0,4,5,6,0\n";
	assert_int_equal(read_text(&iterations, text, &is_cut), 0);
	assert_int_equal(iterations.count, 2);
	assert_int_equal(iterations.failed, 2);
	assert_int_equal(iterations.gaps, 1);
	expect_near(iterations.item[1].start, 5);
	report_iterations_free(&iterations);
	expect_refused("iteration,start_s,end_s,status\n0,1,2,bad\n", "f.csv:2:7: status: found 'bad', expected a number");
	/* What others call so may be anything. */
	assert_int_equal(read_text(&iterations, "start_s,end_s,status\n1,2,bad\n", &is_cut), 0);
	report_iterations_free(&iterations);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_read),
		cmocka_unit_test(wrong_records_are_refused),
		cmocka_unit_test(whole_iterations_count_one),
		cmocka_unit_test(others_count_by_their_overlap),
		cmocka_unit_test(what_lies_outside_counts_nothing),
		cmocka_unit_test(stretches_may_have_gaps),
		cmocka_unit_test(iterations_without_length_count_one),
		cmocka_unit_test(where_records_are_missing_nothing_counts),
		cmocka_unit_test(a_record_without_an_iteration_is_a_gap),
		cmocka_unit_test(those_that_failed_are_left_out),
		cmocka_unit_test(one_that_spans_a_million_stretches_is_counted_at_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
