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

static void starts_high_and_alternates(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "square", "20%,high=80%,period=10s,share=30%");
	assert_near(target(0), 0.8, 0);
	assert_near(target(3 * NS_PER_S - 1), 0.8, 0);
	assert_near(target(3 * NS_PER_S), 0.2, 0);
	assert_near(target(10 * NS_PER_S - 1), 0.2, 0);
	assert_near(target(10 * NS_PER_S), 0.8, 0);
	assert_near(target(12345672 * NS_PER_S), 0.8, 0); /* 2 s into a period */
	assert_near(target(12345673 * NS_PER_S), 0.2, 0);
	assert_null(test.module.trace->length);
	module_test_end(&test);
}

static void starts_at_its_phase(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "square", "0,high=1,period=8s,phase=1/4"); /* high for 2 s more */
	assert_near(target(2 * NS_PER_S - 1), 1, 0);
	assert_near(target(2 * NS_PER_S), 0, 0);
	assert_near(target(6 * NS_PER_S - 1), 0, 0);
	assert_near(target(6 * NS_PER_S), 1, 0);
	module_test_end(&test);
	module_test_start(&test, SST_TRACE, "square", "0,high=1,period=8s,phase=1"); /* a whole period is none */
	assert_near(target(0), 1, 0);
	assert_near(target(4 * NS_PER_S), 0, 0);
	assert_true(target(INT64_MAX) >= 0);
	module_test_end(&test);
}

static void can_stay_on_one_side(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "square", "share=0");
	for (int64_t s = 0; s < 120; s++)
		assert_near(target(s * NS_PER_S), 0.1, 0);
	module_test_end(&test);
	module_test_start(&test, SST_TRACE, "square", "share=1");
	for (int64_t s = 0; s < 120; s++)
		assert_near(target(s * NS_PER_S), 0.9, 0);
	module_test_end(&test);
}

static void refuses_low_above_high(void **state)
{
	(void)state;
	const char *refused = module_test_load(&test, SST_TRACE, "square", "low=60%,high=50%");
	assert_non_null(refused);
	assert_non_null(strstr(refused, "low=0.6 above high=0.5"));
	assert_non_null(module_test_load(&test, SST_TRACE, "square", "period=0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_high_and_alternates),
		cmocka_unit_test(starts_at_its_phase),
		cmocka_unit_test(can_stay_on_one_side),
		cmocka_unit_test(refuses_low_above_high),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
