/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "dithering_test.h"

/* Asks for as many quanta as the pattern has; `#` runs, `.` doesn't. */
static void assert_pattern(double duty, const char *pattern)
{
	for (const char *at = pattern; *at; at++) {
		const int64_t due = in.due_ns;
		const struct sst_dithering_output out = next(duty, 0);
		assert_int_equal(out.until_ns, due + 20 * NS_PER_MS);
		if (out.run != (*at == '#'))
			fail_msg("duty cycle %g: quantum %zu of '%s' is wrong", duty, (size_t)(at - pattern), pattern);
	}
}

static void patterns_by_hand(void **state)
{
	(void)state;
	/* What is owed: 1/3, 2/3 → run, −1/3; 0, 1/3, 2/3 → run, … */
	begin("fixedq", NULL, 0);
	assert_pattern(1.0 / 3, ".#..#..#..#..#.");
	module_test_end(&test);
	/* 1/2 → run, −1/2; 0; 1/2 → run, … */
	begin("fixedq", NULL, 0);
	assert_pattern(0.5, "#.#.#.#.#.");
	module_test_end(&test);
	begin("fixedq", NULL, 0);
	assert_pattern(0, "..........");
	assert_pattern(1, "##########");
	assert_pattern(0, "....");
	module_test_end(&test);
	/* 3/4 → run, −1/4; 1/2 → run, −1/2; 1/4 stop; 1 → run, 0 */
	begin("fixedq", NULL, 0);
	assert_pattern(0.75, "##.###.###.###");
	module_test_end(&test);
	/* 1/8, 2/8, 3/8, 4/8 → run, −4/8, −3/8 … */
	begin("fixedq", NULL, 0);
	assert_pattern(0.125, "...#.......#.......#");
	module_test_end(&test);
}

static void what_is_owed_is_carried_over_changes(void **state)
{
	(void)state;
	begin("fixedq", NULL, 0);
	assert_pattern(0.25, "."); /* owed 1/4 */
	assert_pattern(0.5, "#");  /* 3/4 → run, −1/4 */
	assert_pattern(1, "#");    /* 3/4 → run, −1/4 */
	assert_pattern(0.5, ".");  /* 1/4 */
	assert_pattern(0, "...");
	assert_pattern(0.25, "#"); /* 1/2 → run */
	module_test_end(&test);
}

static void the_mean_is_the_duty_cycle(void **state)
{
	(void)state;
	for (int percent = 0; percent <= 100; percent++) {
		int runs = 0;
		begin("fixedq", NULL, 0);
		for (int i = 0; i < 1000; i++)
			runs += next(percent / 100.0, 0).run;
		assert_in_range(runs, percent ? percent * 10 - 1 : 0, percent * 10 + 1);
		module_test_end(&test);
	}
}

static void delays_do_not_add_up_and_breaks_start_again(void **state)
{
	(void)state;
	begin("fixedq", "quantum=10m", 500);
	assert_answer(next(1, 9 * NS_PER_MS), true, 500 + 10 * NS_PER_MS);
	assert_answer(next(1, 10 * NS_PER_MS), true, 500 + 20 * NS_PER_MS);
	assert_answer(next(1, 10 * NS_PER_MS + 1), true, 500 + 40 * NS_PER_MS + 1);
	module_test_end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_by_hand),
		cmocka_unit_test(what_is_owed_is_carried_over_changes),
		cmocka_unit_test(the_mean_is_the_duty_cycle),
		cmocka_unit_test(delays_do_not_add_up_and_breaks_start_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
