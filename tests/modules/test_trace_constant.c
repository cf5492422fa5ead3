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

static void holds_its_load(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "constant", "1/3");
	assert_near(target(0), 1.0 / 3, 0);
	assert_near(target(3600 * NS_PER_S), 1.0 / 3, 0);
	assert_near(target(INT64_MAX), 1.0 / 3, 0);
	assert_null(test.module.trace->length);
	module_test_end(&test);
}

static void takes_the_ends(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "constant", "load=0");
	assert_near(target(0), 0, 0);
	module_test_end(&test);
	module_test_start(&test, SST_TRACE, "constant", "100%");
	assert_near(target(0), 1, 0);
	module_test_end(&test);
}

static void says_that_a_load_is_needed(void **state)
{
	(void)state;
	const char *refused = module_test_load(&test, SST_TRACE, "constant", NULL);
	assert_non_null(refused);
	assert_non_null(strstr(refused, "-l is missing: give a load, such as -l 40%, or a trace's file, such as -T day.trace"));
}

static void refuses_other_loads(void **state)
{
	(void)state;
	assert_non_null(module_test_load(&test, SST_TRACE, "constant", "101%"));
	assert_non_null(module_test_load(&test, SST_TRACE, "constant", "-0.1"));
	assert_non_null(module_test_load(&test, SST_TRACE, "constant", "much"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(holds_its_load),
		cmocka_unit_test(takes_the_ends),
		cmocka_unit_test(says_that_a_load_is_needed),
		cmocka_unit_test(refuses_other_loads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
