/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "supervise/respawn.h"

static void the_delay_grows_while_lives_are_short(void **state)
{
	(void)state;
	static const int64_t expected_ms[] = {100, 200, 400, 800, 1000, 1000, 1000};
	int64_t delay = 0;
	for (size_t i = 0; i < sizeof expected_ms / sizeof *expected_ms; i++) {
		delay = respawn_delay(delay, 0);
		assert_int_equal(delay, expected_ms[i] * NS_PER_MS);
	}
	assert_int_equal(respawn_delay(delay, 999 * NS_PER_MS), NS_PER_S);
}

static void a_long_life_is_started_again_at_once(void **state)
{
	(void)state;
	/* The delay counts from the start: it is over. */
	assert_int_equal(respawn_delay(NS_PER_S, NS_PER_S), 100 * NS_PER_MS);
	assert_int_equal(respawn_delay(0, 3600 * NS_PER_S), 100 * NS_PER_MS);
	assert_int_equal(respawn_delay(100 * NS_PER_MS, INT64_MAX), 100 * NS_PER_MS);
	/* … and begins anew. */
	assert_int_equal(respawn_delay(100 * NS_PER_MS, 0), 200 * NS_PER_MS);
}

static void a_clock_that_is_read_too_early_does_no_harm(void **state)
{
	(void)state;
	assert_int_equal(respawn_delay(0, -1), 100 * NS_PER_MS);
	assert_int_equal(respawn_delay(-1, -1), 100 * NS_PER_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_delay_grows_while_lives_are_short),
		cmocka_unit_test(a_long_life_is_started_again_at_once),
		cmocka_unit_test(a_clock_that_is_read_too_early_does_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
