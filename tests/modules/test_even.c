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

static void everybody_gets_the_same(void **state)
{
	(void)state;
	module_test_start(&test, SST_SPACE, "even", NULL);
	for (unsigned live = 1; live <= 12; live++)
		for (unsigned rank = 0; rank < live; rank++) {
			assert_near(local(0.37, rank, live), 0.37, 0);
			assert_near(local(0, rank, live), 0, 0);
			assert_near(local(1, rank, live), 1, 0);
		}
	module_test_end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everybody_gets_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
