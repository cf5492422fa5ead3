/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "record/progress.h"

static struct progress half_way(size_t samples)
{
	struct progress progress = {.elapsed_ns = 60 * NS_PER_S, .length_ns = 120 * NS_PER_S};
	for (size_t i = 0; i < samples; i++)
		progress_add(&progress, 0.5, (double)i / (double)(samples - 1), 0.25);
	return progress;
}

/* Columns that the text takes: bytes that don't continue a UTF-8 sequence. */
static size_t width(const char *text)
{
	size_t columns = 0;
	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

static void never_as_wide_as_the_terminal(void **state)
{
	(void)state;
	char line[PROGRESS_LINE_MAX];
	const struct progress progress = half_way(PROGRESS_HISTORY);
	for (unsigned columns = 0; columns <= 1000; columns++)
		for (int unicode = 0; unicode < 2; unicode++) {
			const size_t taken = width(progress_format(&progress, columns, unicode, line));
			assert_true(columns == 0 ? taken == 0 : taken < columns);
		}
}

static void numbers_remain_when_it_is_narrow(void **state)
{
	(void)state;
	char line[PROGRESS_LINE_MAX];
	const struct progress progress = half_way(3);
	assert_string_equal(progress_format(&progress, 14, false, line), "100.0/50.0%");
	assert_string_equal(progress_format(&progress, 17, false, line), "1:00 100.0/50.0%");
	assert_string_equal(progress_format(&progress, 20, false, line), "1:00 100.0/50.0%");
	assert_string_equal(progress_format(&progress, 30, false, line), "[###--] 1:00 left 100.0/50.0%");
	assert_string_equal(progress_format(&progress, 40, false, line), "1:00 left target 50.0 % load 100.0 %");
	assert_string_equal(
		progress_format(&progress, 56, false, line), "[##--] 1:00 left target 50.0 % load 100.0 % duty 25.0 %");
}

/* However long the time is, and whatever it says, target and load are there; so is the time from 20 columns on. */
static void figures_that_are_always_there(void **state)
{
	(void)state;
	char line[PROGRESS_LINE_MAX];
	const int64_t elapsed[] = {-100 * NS_PER_S, 0, 59 * NS_PER_S, 3599 * NS_PER_S, 35999 * NS_PER_S};
	for (unsigned columns = 20; columns <= 200; columns++)
		for (size_t i = 0; i < sizeof elapsed / sizeof *elapsed; i++)
			for (int endless = 0; endless < 2; endless++) {
				struct progress progress = half_way(20);
				progress.elapsed_ns = elapsed[i];
				progress.length_ns = endless ? -1 : 36000 * NS_PER_S;
				progress_format(&progress, columns, true, line);
				assert_non_null(strstr(line, "100.0"));
				assert_non_null(strstr(line, "50.0"));
				assert_true(strchr(line, ':') || strchr(line, 'h'));
			}
}

static void bar_and_sparkline_at_80_columns(void **state)
{
	(void)state;
	char line[PROGRESS_LINE_MAX];
	const struct progress progress = half_way(8);
	progress_format(&progress, 80, false, line);
	assert_string_equal(line, "[##########---------] 1:00 left target 50.0 % load 100.0 % duty 25.0 % _.-:=+*#");
	progress_format(&progress, 80, true, line);
	assert_non_null(strstr(line, "▁▂▃▄▅▆▇█"));
}

static void why_the_target_is_missed_comes_before_the_sparkline(void **state)
{
	(void)state;
	char line[PROGRESS_LINE_MAX];
	struct progress progress = half_way(8);
	progress.note = "saturated";
	progress_format(&progress, 80, false, line);
	assert_non_null(strstr(line, "1:00 left target 50.0 % load 100.0 % duty 25.0 %, saturated _"));
	progress_format(&progress, 56, false, line);
	assert_null(strstr(line, "saturated"));
}

static void endless_and_warm_up_have_no_bar(void **state)
{
	(void)state;
	char line[PROGRESS_LINE_MAX];
	struct progress progress = {.elapsed_ns = 3725 * NS_PER_S, .length_ns = -1, .target = NAN, .load = NAN, .duty = 1};
	assert_string_equal(progress_format(&progress, 80, false, line), "1:02:05 passed target    - % load    - % duty 100.0 %");
	progress.elapsed_ns = (12 * 60 + 34) * 60 * NS_PER_S;
	assert_string_equal(progress_format(&progress, 80, false, line), "12h34 passed target    - % load    - % duty 100.0 %");
	progress.elapsed_ns = -5 * NS_PER_S;
	progress.length_ns = 10 * NS_PER_S;
	assert_string_equal(progress_format(&progress, 80, false, line), "0:05 warm-up target    - % load    - % duty 100.0 %");
}

static void history_keeps_the_newest(void **state)
{
	(void)state;
	struct progress progress = {0};
	for (int i = 0; i < PROGRESS_HISTORY + 10; i++)
		progress_add(&progress, 0.5, i, 0.5);
	progress_add(&progress, 0.5, NAN, 0.5); /* no sample: nothing to draw */
	assert_int_equal(progress.samples, PROGRESS_HISTORY);
	assert_true(progress.history[0] == 10);
	assert_true(progress.history[PROGRESS_HISTORY - 1] == PROGRESS_HISTORY + 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(never_as_wide_as_the_terminal),
		cmocka_unit_test(numbers_remain_when_it_is_narrow),
		cmocka_unit_test(figures_that_are_always_there),
		cmocka_unit_test(bar_and_sparkline_at_80_columns),
		cmocka_unit_test(why_the_target_is_missed_comes_before_the_sparkline),
		cmocka_unit_test(endless_and_warm_up_have_no_bar),
		cmocka_unit_test(history_keeps_the_newest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
