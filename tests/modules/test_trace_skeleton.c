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

static double target(int64_t since_ns)
{
	return test.module.trace->target(test.module.state, since_ns);
}

static void goes_in_a_straight_line(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "skeleton", "20%,to=60%,time=4s");
	assert_int_equal(test.module.trace->length(test.module.state), 4 * NS_PER_S);
	assert_near(target(0), 0.2, 0);
	assert_near(target(1 * NS_PER_S), 0.3, 1e-12);
	assert_near(target(3 * NS_PER_S), 0.5, 1e-12);
	assert_near(target(4 * NS_PER_S), 0.6, 0);
	assert_near(target(INT64_MAX), 0.6, 0);
	assert_near(target(2 * NS_PER_S), 0.4, 1e-12);
	module_test_end(&test);
}

static void refuses_a_line_that_goes_nowhere(void **state)
{
	(void)state;
	const char *refused = module_test_load(&test, SST_TRACE, "skeleton", "50%,to=1/2");
	assert_non_null(refused);
	assert_non_null(strstr(refused, "found 0.5 for both from and to, expected two loads (or -t constant)"));
	assert_non_null(module_test_load(&test, SST_TRACE, "skeleton", "time=0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_in_a_straight_line),
		cmocka_unit_test(refuses_a_line_that_goes_nowhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
