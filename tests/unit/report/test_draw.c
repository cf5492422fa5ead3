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

#include "report/draw.h"

static void a_short_line_is_left_alone(void **state)
{
	(void)state;
	struct report_points points = {0};
	for (int i = 0; i < 3000; i++)
		assert_int_equal(report_points_add(&points, i, i % 7), 0);
	report_points_thin_out(&points);
	assert_int_equal(points.count, 3000);
	report_points_free(&points);
	assert_int_equal(points.count, 0);
	report_points_thin_out(&points);
}

/* Every peak and every hole of a long line is still there, and the order of x. */
static void extremes_stay(void **state)
{
	(void)state;
	struct report_points points = {0};
	size_t peaks = 0, holes = 0;
	for (int i = 0; i < 1000000; i++)
		assert_int_equal(report_points_add(&points, i,
					 i % 50000 == 123     ? 10
					 : i % 50000 == 30001 ? -10
							      : 0.001 * (i % 10)),
			0);
	report_points_thin_out(&points);
	assert_true(points.count > 1000 && points.count <= 3002);
	for (size_t i = 0; i < points.count; i++) {
		peaks += points.item[i].y == 10;
		holes += points.item[i].y == -10;
		assert_true(i == 0 || points.item[i].x >= points.item[i - 1].x);
	}
	assert_int_equal(peaks, 20);
	assert_int_equal(holes, 20);
	report_points_free(&points);
}

static void vertical_steps_stay(void **state)
{
	(void)state;
	struct report_points points = {0};
	for (int x = 0; x < 100; x++)
		for (int i = 0; i < 1000; i++)
			assert_int_equal(report_points_add(&points, x, i == 500 ? 1 : 0), 0);
	report_points_thin_out(&points);
	size_t high = 0;
	for (size_t i = 0; i < points.count; i++)
		high += points.item[i].y == 1;
	assert_int_equal(high, 100);
	report_points_free(&points);
}

static void gaps_stay(void **state)
{
	(void)state;
	struct report_points points = {0};
	for (int i = 0; i < 100000; i++)
		assert_int_equal(report_points_add(&points, i, i >= 50000 && i < 60000 ? NAN : 1), 0);
	report_points_thin_out(&points);
	size_t gaps = 0, inside = 0;
	for (size_t i = 0; i < points.count; i++) {
		gaps += isnan(points.item[i].y);
		inside += points.item[i].x > 50100 && points.item[i].x < 59900 && !isnan(points.item[i].y);
	}
	assert_true(gaps > 0);
	assert_int_equal(inside, 0);
	report_points_free(&points);
}

static void a_block_has_a_line_per_point(void **state)
{
	(void)state;
	struct report_points points = {0};
	char *text = NULL;
	size_t length;
	FILE *const to = open_memstream(&text, &length);
	assert_non_null(to);
	report_points_add(&points, 0.5, 1);
	report_points_add(&points, 1, NAN);
	report_points_add(&points, 1e9, -2.25);
	report_points_write(&points, to, "name", 3);
	assert_int_equal(points.count, 0);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, "$name3 << END\n0.5 1\n\n1e+09 -2.25\nEND\n");
	free(text);
	report_points_free(&points);
}

static void units_give_numbers_of_a_few_digits(void **state)
{
	(void)state;
	assert_string_equal(report_time_unit(60).name, "s");
	assert_string_equal(report_time_unit(1200).name, "min");
	assert_string_equal(report_time_unit(86400).name, "h");
	assert_true(report_time_unit(86400).factor * 3600 == 1);
	assert_string_equal(report_rate_unit(0).name, "iterations/s");
	assert_string_equal(report_rate_unit(999).name, "iterations/s");
	assert_string_equal(report_rate_unit(1000).name, "1000 iterations/s");
	assert_string_equal(report_rate_unit(0.1).name, "iterations/min");
	assert_string_equal(report_rate_unit(0.001).name, "iterations/h");
	assert_true(report_rate_unit(0.001).factor == 3600);
}

static size_t count_rows(size_t count, const char *label, double width)
{
	struct report_entry entry[20] = {0};
	for (size_t i = 0; i < count; i++)
		entry[i].label = label;
	return report_legend_rows(entry, count, width);
}

static void a_legend_breaks_where_it_must(void **state)
{
	(void)state;
	assert_int_equal(count_rows(3, NULL, 8.5), 0);
	assert_int_equal(count_rows(1, "even", 8.5), 1);
	assert_int_equal(count_rows(4, "even", 8.5), 1);
	assert_int_equal(count_rows(10, "configuration", 8.5), 5);
	assert_int_equal(count_rows(10, "configuration", 17), 2);
	assert_int_equal(count_rows(10, "a label that is longer than the picture is wide, whatever it is", 8.5), 10);
	assert_true(report_legend_height(2) > report_legend_height(1) && report_legend_height(1) > report_legend_height(0));
}

/* A label that needs more room than there is, is cut, not left out. */
static void a_legend_has_every_label(void **state)
{
	(void)state;
	const struct report_entry entry[] = {{"one", {.style = 1, .has_line = true}}, {NULL, {.style = 2}},
		{"it's two", {.style = 3, .point = 0.7}},
		{"a label that is longer than the picture is wide, whatever it is", {.color = "#c8c8c8", .height_cm = 0.2}}};
	const struct report_size size = {8.5, 6};
	struct plot *const plot = plot_new(PLOT_SVG, size.width, size.height);
	char text[8192];
	assert_non_null(plot);
	assert_int_equal(report_legend_write(plot, entry, 4, &size, 1, 8), 0);
	FILE *const script = plot_script(plot);
	rewind(script);
	text[fread(text, 1, sizeof text - 1, script)] = '\0';
	assert_non_null(strstr(text, "'one' at screen 0."));
	assert_non_null(strstr(text, "'it''s two' at screen 0."));
	assert_non_null(strstr(text, "'a label that is longer than the picture is wid\xe2\x80\xa6' at screen 0."));
	assert_non_null(strstr(text, " nohead ls 1 "));
	assert_non_null(strstr(text, " point ls 3 "));
	assert_non_null(strstr(text, " fc rgb '#c8c8c8' "));
	assert_null(strstr(text, " ls 2 "));
	plot_free(plot);
}

/* Least width, in steps of 0.01 cm, in which the legend of so many entries needs no more than these rows. */
static double least_width(const struct report_entry *entry, size_t count, size_t rows)
{
	int width = 0;
	while (report_legend_rows(entry, count, ++width / 100.0) > rows)
		assert_true(width < 10000);
	return width / 100.0;
}

/* Four equal entries go into two rows where two of them have room, each of which needs as much as beside another one. */
static void entries_in_one_row_have_columns_of_their_own(void **state)
{
	(void)state;
	const struct report_entry entry[] = {{"ab", {0}}, {NULL, {0}}, {"a label as long as this", {0}}};
	double expected = 0;
	for (size_t i = 0; i < 3; i += 2) {
		const struct report_entry equal[] = {entry[i], entry[i], entry[i], entry[i]};
		expected += least_width(equal, 4, 2) / 2;
	}
	assert_true(fabs(least_width(entry, 3, 1) - expected) < 0.02);
}

/* Where the first label of a legend at the left edge is, from the left and from below (parts of the picture). */
static void find_first_label(const struct report_entry *entry, size_t count, double *x, double *y)
{
	const struct report_size size = {8.5, 4};
	struct plot *const plot = plot_new(PLOT_SVG, size.width, size.height);
	char text[8192];
	assert_non_null(plot);
	assert_int_equal(report_legend_write(plot, entry, count, &size, 0, 0), 0);
	FILE *const script = plot_script(plot);
	rewind(script);
	text[fread(text, 1, sizeof text - 1, script)] = '\0';
	const char *const at = strstr(text, "'first' at screen ");
	assert_non_null(at);
	assert_int_equal(sscanf(at, "'first' at screen %lf,%lf left", x, y), 2);
	plot_free(plot);
}

static void a_legend_begins_with_its_first_entry(void **state)
{
	(void)state;
	const struct report_entry entry[] = {
		{"first", {0}}, {"second", {0}}, {"a third one, whose name is as long as this", {0}}};
	double one_row[2], rows[2];
	find_first_label(entry, 2, &one_row[0], &one_row[1]);
	find_first_label(entry, 3, &rows[0], &rows[1]);
	assert_int_equal(report_legend_rows(entry, 2, 8.5), 1);
	assert_true(report_legend_rows(entry, 3, 8.5) > 1);
	assert_true(one_row[0] == rows[0] && one_row[0] < 0.2);
	assert_true(one_row[1] == rows[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_line_is_left_alone),
		cmocka_unit_test(extremes_stay),
		cmocka_unit_test(vertical_steps_stay),
		cmocka_unit_test(gaps_stay),
		cmocka_unit_test(a_block_has_a_line_per_point),
		cmocka_unit_test(units_give_numbers_of_a_few_digits),
		cmocka_unit_test(a_legend_breaks_where_it_must),
		cmocka_unit_test(a_legend_has_every_label),
		cmocka_unit_test(a_legend_begins_with_its_first_entry),
		cmocka_unit_test(entries_in_one_row_have_columns_of_their_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
