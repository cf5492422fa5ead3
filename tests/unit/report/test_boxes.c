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

#include "report/boxes.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void a_label_may_end_in_a_number(void **state)
{
	(void)state;
	const struct {
		const char *label;
		size_t length;
		double number;
	} places[] = {
		{"40", 0, 40},
		{"40%", 0, 40},
		{"-2.5e1", 0, -25},
		{"freezer/12.5", 7, 12.5},
		{"a/b/100%", 3, 100},
		{"/7", 0, 7},
	};
	for (size_t i = 0; i < LENGTH(places); i++) {
		struct report_place place;
		assert_true(report_place_of(places[i].label, &place));
		assert_ptr_equal(place.series, places[i].label);
		assert_int_equal(place.length, places[i].length);
		assert_true(place.number == places[i].number);
	}
}

static void other_labels_do_not(void **state)
{
	(void)state;
	static const char *const labels[] = {
		"", "%", "/", "a/", "a/%", "freezer", "40 %", "40%%", "n40", "40/a", "nan", "inf", "0x10"};
	struct report_place place;
	for (size_t i = 0; i < LENGTH(labels); i++)
		assert_false(report_place_of(labels[i], &place));
}

static void a_number_far_from_the_load_misleads(void **state)
{
	(void)state;
	const struct {
		const char *label;
		double load;
		bool misleads;
	} labels[] = {
		{"20", 0.596, true},
		{"59", 0.596, false},
		{"57.5", 0.596, true},
		{"a/61.7", 0.596, true},
		{"0.6", 0.596, false},
		{"0.6%", 0.596, true},
		{"1", 0.99, false},
		{"1", 0.01, false},
		{"busy", 0.596, false},
		{"20", NAN, false},
	};
	for (size_t i = 0; i < LENGTH(labels); i++) {
		const struct report_times times = {.label = labels[i].label, .load = labels[i].load};
		assert_int_equal(report_boxes_mislead(&times), labels[i].misleads);
	}
}

/* Two runs of one label around one of another, whose log knows when control began. */
static void iterations_of_one_label_go_together(void **state)
{
	(void)state;
	struct report_iteration first[] = {{10, 13}, {13, 14}};
	struct report_iteration second[] = {{5, 7}};
	struct report_iteration third[] = {{99, 101}, {101, 105}};
	double time[] = {0, 1};
	double monotonic[] = {100, 101};
	double target[] = {0, 0.5};
	double load[] = {1, 0.4};
	struct report_log log = {
		.name = "log", .count = 2, .time = time, .monotonic = monotonic, .target = target, .load = load, .warmup = 1};
	char a[] = "a";
	char b[] = "b";
	struct report_run run[] = {
		{.label = a, .iterations = {.item = first, .count = LENGTH(first)}, .iteration_files = 1},
		{.label = b, .iterations = {.item = third, .count = LENGTH(third)}, .iteration_files = 1, .log = &log, .logs = 1},
		{.label = a, .iterations = {.item = second, .count = LENGTH(second)}, .iteration_files = 1},
	};
	const struct report_input input = {.run = run, .runs = LENGTH(run)};
	struct report_boxes boxes;
	char error[CSV_ERROR_MAX];
	assert_int_equal(report_boxes_make(&boxes, &input, false, error), 0);
	assert_int_equal(boxes.count, 2);
	assert_string_equal(boxes.item[0].label, "a");
	assert_int_equal(boxes.item[0].seconds.count, 3);
	assert_true(boxes.item[0].seconds.item[0] == 1 && boxes.item[0].seconds.item[2] == 3);
	assert_int_equal(boxes.item[1].seconds.count, 1);
	assert_true(boxes.item[1].seconds.item[0] == 4);
	/* Its log ends as it begins, so that nothing is known of the load; that of the other has none. */
	assert_true(isnan(boxes.item[0].load) && isnan(boxes.item[1].load));
	report_boxes_free(&boxes);
	assert_int_equal(report_boxes_make(&boxes, &input, true, error), 0);
	assert_int_equal(boxes.item[1].seconds.count, 2);
	assert_true(isnan(boxes.item[0].load) && fabs(boxes.item[1].load - 0.7) < 1e-9);
	report_boxes_free(&boxes);
	log.monotonic = NULL;
	assert_int_equal(report_boxes_make(&boxes, &input, false, error), -1);
	assert_string_equal(error, "log:1: found no column monotonic_s, expected it for the iterations");
	report_boxes_free(&boxes);
}

/* The first number of each row of the script's boxes: where they stand. */
static size_t places_of(const struct report_boxes *boxes, const char *name, double *place, size_t most)
{
	static char text[65536];
	const struct report_size size = report_picture_size_boxes(boxes, name);
	struct plot *const plot = plot_new(PLOT_SVG, size.width, size.height);
	assert_non_null(plot);
	assert_int_equal(report_picture_boxes(plot, boxes, &size, name), 0);
	FILE *const script = plot_script(plot);
	rewind(script);
	text[fread(text, 1, sizeof text - 1, script)] = '\0';
	plot_free(plot);
	size_t count = 0;
	bool is_box = false;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		char *end;
		const double at = strtod(line, &end);
		if (strncmp(line, "$box", 4) == 0 || strcmp(line, "END") == 0)
			is_box = *line == '$';
		else if (is_box && end != line && count < most)
			place[count++] = at;
	}
	return count;
}

/* Two series at the same numbers stand beside one another, around them; at loads each stands a little aside; labels stand in a row. */
static void boxes_stand_where_their_labels_say(void **state)
{
	(void)state;
	double second[] = {1, 2, 3};
	const struct report_values seconds = {.item = second, .count = LENGTH(second)};
	struct report_times times[] = {
		{"a/20", seconds, 0.2, 3}, {"b/20", seconds, 0.21, 3}, {"a/60", seconds, 0.6, 3}, {"b/60", seconds, 0.59, 3}};
	const struct report_boxes boxes = {.item = times, .count = LENGTH(times)};
	double at[LENGTH(times)] = {0};
	/* By series: a, a, b, b. */
	assert_int_equal(places_of(&boxes, "an axis", at, LENGTH(at)), LENGTH(times));
	assert_true(fabs(at[0] + at[2] - 40) < 1e-6 && fabs(at[1] + at[3] - 120) < 1e-6);
	assert_true(at[0] < 19 && at[2] > 21 && fabs(at[1] - at[0] - 40) < 1e-6);
	assert_int_equal(places_of(&boxes, NULL, at, LENGTH(at)), LENGTH(times));
	assert_true(at[0] < 20 && at[2] > 21 && fabs(at[0] + at[2] - 41) < 1e-6 && fabs(at[1] + at[3] - 119) < 1e-6);
	times[3].label = "no number";
	assert_int_equal(places_of(&boxes, NULL, at, LENGTH(at)), LENGTH(times));
	for (size_t i = 0; i < LENGTH(at); i++)
		assert_true(at[i] == (double)i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_label_may_end_in_a_number),
		cmocka_unit_test(other_labels_do_not),
		cmocka_unit_test(a_number_far_from_the_load_misleads),
		cmocka_unit_test(iterations_of_one_label_go_together),
		cmocka_unit_test(boxes_stand_where_their_labels_say),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
