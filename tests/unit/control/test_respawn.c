/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "control/respawn.h"

static int64_t after(int64_t previous_ns, int64_t lived_ns, int64_t cpu_ns, bool failed)
{
	return respawn_delay(previous_ns, &(struct respawn_life){.lived_ns = lived_ns, .cpu_ns = cpu_ns, .failed = failed});
}

static void the_delay_grows_while_lives_are_short(void **state)
{
	static const int64_t expected_ms[] = {100, 200, 400, 800, 1000, 1000, 1000};
	const bool failed = *state;
	const int64_t cpu_ns = failed ? NS_PER_S : NS_PER_MS;
	int64_t delay = 0;
	for (size_t i = 0; i < sizeof expected_ms / sizeof *expected_ms; i++) {
		delay = after(delay, 0, cpu_ns, failed);
		assert_int_equal(delay, expected_ms[i] * NS_PER_MS);
	}
	assert_int_equal(after(delay, 999 * NS_PER_MS, cpu_ns, failed), NS_PER_S);
}

static void the_delay_of_what_works_stays(void **state)
{
	(void)state;
	int64_t delay = 0;
	for (int i = 0; i < 10; i++) {
		delay = after(delay, 40 * NS_PER_MS, 10 * NS_PER_MS, false);
		assert_int_equal(delay, 100 * NS_PER_MS);
	}
	/* It is short again as soon as the work is done. */
	assert_int_equal(after(NS_PER_S, 40 * NS_PER_MS, 30 * NS_PER_MS, false), 100 * NS_PER_MS);
}

static void a_long_life_is_started_again_at_once(void **state)
{
	(void)state;
	/* The delay counts from the start: it is over. */
	assert_int_equal(after(NS_PER_S, NS_PER_S, 0, true), 100 * NS_PER_MS);
	assert_int_equal(after(0, 3600 * NS_PER_S, 0, false), 100 * NS_PER_MS);
	assert_int_equal(after(100 * NS_PER_MS, INT64_MAX, 0, false), 100 * NS_PER_MS);
	/* … and begins anew. */
	assert_int_equal(after(100 * NS_PER_MS, 0, 0, false), 200 * NS_PER_MS);
}

static void a_clock_that_is_read_too_early_does_no_harm(void **state)
{
	(void)state;
	assert_int_equal(after(0, -1, -1, false), 100 * NS_PER_MS);
	assert_int_equal(after(-1, -1, -1, false), 100 * NS_PER_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(the_delay_grows_while_lives_are_short, NULL),
		cmocka_unit_test_prestate(the_delay_grows_while_lives_are_short, (void *)"failed"),
		cmocka_unit_test(the_delay_of_what_works_stays),
		cmocka_unit_test(a_long_life_is_started_again_at_once),
		cmocka_unit_test(a_clock_that_is_read_too_early_does_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
