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

static void workloads_are_filled_from_the_last_one_down(void **state)
{
	(void)state;
	module_test_start(&test, SST_SPACE, "skeleton", NULL);
	assert_near(local(0.5, 0, 3), 0, 1e-12);
	assert_near(local(0.5, 1, 3), 0.5, 1e-12);
	assert_near(local(0.5, 2, 3), 1, 1e-12);
	assert_near(local(0.3, 0, 1), 0.3, 1e-12);
	module_test_end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(workloads_are_filled_from_the_last_one_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
