/* SPDX-License-Identifier: MIT */
/* The actuator module `quota`, with values worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "module_test.h"

static struct module_test test;

static void expect(double duty, double width, int64_t quota_us, int64_t period_ms)
{
	const struct sst_actuator_input in = {.run = true, .duty = duty, .width = width};
	const struct sst_bandwidth limit = test.module.actuator->limit(test.module.state, &in);
	assert_int_equal((limit.quota_ns + 1) / NS_PER_US, quota_us);
	assert_int_equal(limit.period_ns, period_ms * NS_PER_MS);
}

static void a_duty_cycle_is_a_share_of_the_width(void **state)
{
	(void)state;
	module_test_start(&test, SST_ACTUATOR, "quota", "20m");
	assert_int_equal(test.module.actuator->hand, SST_HAND_QUOTA);
	expect(0.5, 1, 10000, 20);
	expect(0.5, 8, 80000, 20);
	expect(0.25, 1.5, 7500, 20);
	expect(1, 2, 0, 20);
	module_test_end(&test);
}

/* The kernel takes no quota below 1 ms and no period above 1 s. */
static void small_shares_have_long_periods(void **state)
{
	(void)state;
	module_test_start(&test, SST_ACTUATOR, "quota", "20m");
	expect(0.05, 1, 1000, 20);
	expect(0.04, 1, 1600, 40);
	expect(0.0011, 1, 1100, 1000);
	expect(0.0001, 1, 1000, 1000);
	expect(0, 1, 1000, 1000);
	module_test_end(&test);
}

static void its_options_count(void **state)
{
	(void)state;
	module_test_start(&test, SST_ACTUATOR, "quota", "period=100m,interval=1s,version=1");
	expect(0.5, 1, 50000, 100);
	assert_int_equal(test.module.actuator->interval(test.module.state), NS_PER_S);
	assert_int_equal(test.module.actuator->version(test.module.state), 1);
	module_test_end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_duty_cycle_is_a_share_of_the_width),
		cmocka_unit_test(small_shares_have_long_periods),
		cmocka_unit_test(its_options_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
