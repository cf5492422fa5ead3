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

static void runs_begin_one_nth_of_an_epoch_apart(void **state)
{
	(void)state;
	begin("skeleton", "100m", 1000 * NS_PER_MS);
	in.live = 4;
	in.rank = 1; /* 25 ms after the common origin */
	assert_answer(next(0.3, 0), false, 1025 * NS_PER_MS);
	assert_answer(next(0.3, 0), true, 1055 * NS_PER_MS);
	assert_answer(next(0.3, 0), false, 1125 * NS_PER_MS);
	assert_answer(next(0.3, 0), true, 1155 * NS_PER_MS);
	/* A late question doesn't move the next edge. */
	assert_answer(next(0.3, 20 * NS_PER_MS), false, 1225 * NS_PER_MS);
	assert_answer(next(0.3, 20 * NS_PER_MS), true, 1255 * NS_PER_MS);
	/* Another place, when somebody has ended: 50 ms after the origin. */
	in.live = 2;
	assert_answer(next(0.3, 0), true, 1280 * NS_PER_MS);
	module_test_end(&test);
}

static void all_or_nothing(void **state)
{
	(void)state;
	begin("skeleton", "100m", 0);
	assert_answer(next(0, 0), false, 100 * NS_PER_MS);
	assert_answer(next(1, 0), true, 200 * NS_PER_MS);
	assert_answer(next(1, 30 * NS_PER_MS), true, 300 * NS_PER_MS);
	assert_answer(next(0, 0), false, 400 * NS_PER_MS);
	/* Before the origin there are epochs, too. */
	in.origin_ns = 1000 * NS_PER_MS;
	in.live = 2;
	in.rank = 1;
	assert_answer(next(0.5, 0), false, 450 * NS_PER_MS);
	assert_answer(next(0.5, 0), true, 500 * NS_PER_MS);
	module_test_end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_begin_one_nth_of_an_epoch_apart),
		cmocka_unit_test(all_or_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
