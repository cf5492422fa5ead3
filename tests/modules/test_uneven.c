/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "module_test.h"

static struct module_test test;

static double local(double duty, unsigned rank, unsigned live)
{
	return test.module.space->local(test.module.state, duty, rank, live);
}

static void workloads_are_filled_one_after_another(void **state)
{
	(void)state;
	module_test_start(&test, SST_SPACE, "uneven", NULL);
	/* 50 % over three are 1.5 workloads: 100, 50, 0. */
	assert_near(local(0.5, 0, 3), 1, 1e-12);
	assert_near(local(0.5, 1, 3), 0.5, 1e-12);
	assert_near(local(0.5, 2, 3), 0, 1e-12);
	/* 30 % over four are 1.2. */
	assert_near(local(0.3, 0, 4), 1, 1e-12);
	assert_near(local(0.3, 1, 4), 0.2, 1e-12);
	assert_near(local(0.3, 2, 4), 0, 1e-12);
	assert_near(local(0.3, 3, 4), 0, 1e-12);
	/* 10 % over two are 0.2. */
	assert_near(local(0.1, 0, 2), 0.2, 1e-12);
	assert_near(local(0.1, 1, 2), 0, 0);
	assert_near(local(0.42, 0, 1), 0.42, 1e-12);
	module_test_end(&test);
}

static void all_or_nothing(void **state)
{
	(void)state;
	module_test_start(&test, SST_SPACE, "uneven", NULL);
	for (unsigned rank = 0; rank < 7; rank++) {
		assert_near(local(1, rank, 7), 1, 0);
		assert_near(local(0, rank, 7), 0, 0);
	}
	module_test_end(&test);
}

static void when_one_ends_the_ranks_close_up(void **state)
{
	(void)state;
	module_test_start(&test, SST_SPACE, "uneven", NULL);
	/* Of three at 50 % the first ends: who had 50 % is now first of two, and gets 100. */
	assert_near(local(0.5, 0, 2), 1, 1e-12);
	assert_near(local(0.5, 1, 2), 0, 1e-12);
	module_test_end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workloads_are_filled_one_after_another),
		cmocka_unit_test(all_or_nothing),
		cmocka_unit_test(when_one_ends_the_ranks_close_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
