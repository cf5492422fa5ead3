/* SPDX-License-Identifier: MIT */
/* What pictures make of the windows of a run: the data blocks of their scripts, and what is drawn of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/picture.h"

/* Unequal lengths, a window without throughput, and targets that come again. */
static struct report_window windows[] = {
	{.start = 2, .end = 3, .target = 0.25, .load = 0.2, .throughput = 10},
	{.start = 3, .end = 7, .target = 0.5, .load = 0.4, .throughput = 14},
	{.start = 7, .end = 12, .target = 0.25, .load = 0.3, .throughput = 12},
	{.start = 12, .end = 15, .target = 0.5, .load = NAN, .throughput = NAN},
	{.start = 15, .end = 16, .target = 0.75, .load = 0.7, .throughput = 30},
};
static const struct report_size size = {8.5, 6};
static struct plot *plot;
static char text[65536];

static int begin(void **state)
{
	(void)state;
	plot = plot_new(PLOT_SVG, size.width, size.height);
	return plot ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	plot_free(plot);
	return 0;
}

static void read_script(void)
{
	FILE *const script = plot_script(plot);
	rewind(script);
	text[fread(text, 1, sizeof text - 1, script)] = '\0';
}

static void expect(const char *part)
{
	if (!strstr(text, part)) {
		fputs(text, stderr);
		fail_msg("found no '%s'", part);
	}
}

static void expect_not(const char *part)
{
	if (strstr(text, part))
		fail_msg("found '%s'", part);
}

static struct report_series series_of(struct report_window *first, size_t count)
{
	return (struct report_series){.label = "a label", .windows = {.item = first, .count = count}};
}

/* A bar where windows of one target differ; none where each target came once, or for no series at all. */
static void means_have_bars_where_they_differ(void **state)
{
	(void)state;
	const struct report_series both[] = {series_of(windows, 5), series_of(windows, 2)};
	assert_int_equal(report_picture_curve(plot, both, 2, &size, false), 0);
	read_script();
	expect("a label");
	expect("$pair0 << END\n20 10\n40 14\n30 12\n70 30\nEND\n");
	expect("$mean0 << END\n25 11\n40 14\n70 30\nEND\n$bar0 << END\n25 11 1.41421356\nEND\n");
	expect("$mean1 << END\n20 10\n40 14\nEND\n$bar1 << END\nEND\n");
	expect("$bar0 using");
	expect_not("$bar1 using");
	expect("plot $mean0 using");
	expect(", $mean1 using");
	expect("'throughput (iterations/s)'");
	expect("'CPU load (%)'");
}

static void points_alone_have_neither(void **state)
{
	(void)state;
	const struct report_series one = series_of(windows, 5);
	assert_int_equal(report_picture_curve(plot, &one, 1, &size, true), 0);
	read_script();
	expect("plot $pair0 using");
	expect_not("$bar0 using");
	expect_not("$mean0 using");
}

static void stretches_are_as_long_as_they_were(void **state)
{
	(void)state;
	const struct report_series one = series_of(windows, 5);
	assert_int_equal(report_picture_throughput(plot, &one, 1, &size, true), 0);
	read_script();
	expect("$data0 << END\n2.5 10 2 3\n5 14 3 7\n9.5 12 7 12\n15.5 30 15 16\nEND\n");
	expect("set xrange [2:16]");
	expect("'time (s)'");
	expect("plot $data0 using 1:2:3:4 with xerrorbars");
}

struct box {
	double left, right, top, bottom; /* of the picture, from its lower left corner */
};

static size_t read_boxes(struct box *box, size_t most)
{
	size_t count = 0;
	read_script();
	for (const char *at = text; count < most && (at = strstr(at, "set lmargin at screen ")); at++, count++)
		assert_int_equal(sscanf(at,
					 "set lmargin at screen %lf\nset rmargin at screen %lf\nset tmargin at screen %lf\nset "
					 "bmargin at screen %lf",
					 &box[count].left, &box[count].right, &box[count].top, &box[count].bottom),
			4);
	return count;
}

/* Of one size, in rows, inside the picture, and none over another. */
static void panels_are_side_by_side(void **state)
{
	(void)state;
	const struct report_series series[] = {series_of(windows, 5), series_of(windows, 2), series_of(windows, 3)};
	struct box box[4];
	for (size_t columns = 1; columns <= 3; columns++) {
		end(NULL);
		begin(NULL);
		assert_int_equal(report_picture_timeline(
					 plot, series, 3, columns, &(struct report_recorded){0}, &(struct report_size){24, 18}),
			0);
		assert_int_equal(read_boxes(box, 4), 3);
		for (size_t i = 0; i < 3; i++) {
			const size_t row = i / columns, column = i % columns;
			assert_true(box[i].left > 0.02 && box[i].right < 1 && box[i].bottom > 0 && box[i].top < 1);
			assert_true(fabs(box[i].right - box[i].left - (box[0].right - box[0].left)) < 1e-3);
			assert_true(fabs(box[i].top - box[i].bottom - (box[0].top - box[0].bottom)) < 1e-3);
			assert_true(box[i].right > box[i].left && box[i].top > box[i].bottom);
			assert_true(column == 0 ? box[i].left == box[0].left : box[i].left > box[i - 1].right);
			assert_true(row == 0 ? box[i].top == box[0].top : box[i].top < box[i - columns].bottom);
		}
	}
}

/* Each value from the beginning of its window to its end; empty lines where nothing is known. */
static void steps_have_gaps(void **state)
{
	(void)state;
	const struct report_series one = series_of(windows, 5);
	assert_int_equal(report_picture_throughput(plot, &one, 1, &size, false), 0);
	read_script();
	expect("plot $data0 using 1:2 with lines");
	expect("2 10\n3 10\n3 14\n7 14\n7 12\n12 12\n\n\n15 30\n16 30\n");
}

static void units_are_those_of_the_whole_time(void **state)
{
	(void)state;
	struct report_window slow[] = {{.start = 0, .end = 3600, .load = 0.1, .throughput = 0.01},
		{.start = 3600, .end = 36000, .load = 0.2, .throughput = 0.005}};
	const struct report_series one = series_of(slow, 2);
	assert_int_equal(report_picture_throughput(plot, &one, 1, &size, true), 0);
	read_script();
	expect("'time (h)'");
	expect("set xrange [0:10]");
	expect("0.5 0.6 0 1\n5.5 0.3 1 10\n");
	expect("'throughput (iterations/min)'");
}

static void any_value_has_its_name(void **state)
{
	(void)state;
	const struct report_series both[] = {series_of(windows, 2), series_of(windows + 2, 1)};
	assert_int_equal(report_picture_steps(plot, both, 2, &size, "power (W)"), 0);
	read_script();
	expect("'power (W)'");
	expect("$data1 << END\n9.5 12 7 12\nEND\n");
	expect("set xrange [2:12]");
}

/* A staircase up and down: the halves share the step in the middle where their number is odd. */
static void each_half_of_a_staircase_has_its_line(void **state)
{
	(void)state;
	struct report_window steps[] = {{.load = 0.1, .throughput = 11}, {.load = 0.3, .throughput = 33},
		{.load = 0.6, .throughput = 66}, {.load = 0.4, .throughput = 24}, {.load = 0.2, .throughput = 12}};
	const struct report_series one = series_of(steps, 5);
	assert_int_equal(report_picture_interference(plot, &one, 1, &size), 0);
	read_script();
	expect("$pair0 << END\n10 11\n30 33\n60 66\nEND\n$line0 << END\n10 11\n60 66\nEND\n");
	expect("$pair1 << END\n60 66\n40 24\n20 12\nEND\n$line1 << END\n20 ");
	expect("ls 1 pt 11 ");
	expect("ls 1 pt 9 ");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(means_have_bars_where_they_differ),
		TEST(points_alone_have_neither),
		TEST(stretches_are_as_long_as_they_were),
		TEST(panels_are_side_by_side),
		TEST(steps_have_gaps),
		TEST(units_are_those_of_the_whole_time),
		TEST(any_value_has_its_name),
		TEST(each_half_of_a_staircase_has_its_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
