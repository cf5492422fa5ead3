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

#define EXACT 1e-12

static void follows_the_formula(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "sine", "50%,amplitude=40%,period=12s");
	assert_near(target(0), 0.5, EXACT);
	assert_near(target(1 * NS_PER_S), 0.7, EXACT);                 /* sin 30° = 1/2 */
	assert_near(target(2 * NS_PER_S), 0.84641016151377546, EXACT); /* sin 60° = √3/2 */
	assert_near(target(3 * NS_PER_S), 0.9, EXACT);
	assert_near(target(6 * NS_PER_S), 0.5, EXACT);
	assert_near(target(7 * NS_PER_S), 0.3, EXACT);
	assert_near(target(9 * NS_PER_S), 0.1, EXACT);
	module_test_end(&test);
}

static void repeats_exactly(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "sine", "period=7s");
	const double load = target(3 * NS_PER_S);
	assert_near(target((7000000 + 3) * NS_PER_S), load, 0);
	assert_null(test.module.trace->length);
	module_test_end(&test);
}

static void starts_at_its_phase(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "sine", "amplitude=25%,period=4s,phase=1/4");
	assert_near(target(0), 0.75, EXACT);
	assert_near(target(2 * NS_PER_S), 0.25, EXACT);
	module_test_end(&test);
	module_test_start(&test, SST_TRACE, "sine", "amplitude=25%,period=4s,phase=3/4");
	assert_near(target(0), 0.25, EXACT);
	module_test_end(&test);
}

static void stays_between_0_and_1(void **state)
{
	(void)state;
	/* 2/3 + 1/3 and thirds of a period need rounding. */
	module_test_start(&test, SST_TRACE, "sine", "2/3,amplitude=1/3,period=3s");
	for (int64_t ns = 0; ns < 3 * NS_PER_S; ns += 1234567) {
		assert_true(target(ns) >= 1.0 / 3 - EXACT);
		assert_true(target(ns) <= 1);
	}
	module_test_end(&test);
	module_test_start(&test, SST_TRACE, "sine", "50%,amplitude=50%,period=1m");
	for (int64_t ns = 0; ns < NS_PER_MS; ns += 250000 / 8) {
		assert_true(target(ns) >= 0);
		assert_true(target(ns) <= 1);
	}
	assert_true(target(INT64_MAX) >= 0);
	module_test_end(&test);
}

static void refuses_loads_beyond_0_and_1(void **state)
{
	(void)state;
	const char *refused = module_test_load(&test, SST_TRACE, "sine", "mean=80%,amplitude=30%");
	assert_non_null(refused);
	assert_non_null(strstr(refused, "from 0.5 to 1.1"));
	refused = module_test_load(&test, SST_TRACE, "sine", "mean=20%,amplitude=30%");
	assert_non_null(refused);
	assert_non_null(strstr(refused, "from -0.1 to 0.5"));
	assert_non_null(module_test_load(&test, SST_TRACE, "sine", "period=0"));
}

/* The ready trace has the module's default in straight lines of 15 degrees: off by at most 0.4 (1 - cos 7.5°) and four digits. */
static void agrees_with_the_ready_trace(void **state)
{
	struct module_test ready;
	(void)state;
	module_test_start(&test, SST_TRACE, "sine", NULL);
	module_test_start(&ready, SST_TRACE, "file", SHOWSTOPPER_SOURCE "/traces/sine.trace,loop");
	for (int64_t ns = 0; ns <= 120 * NS_PER_S; ns += NS_PER_S / 10)
		assert_near(target(ns), ready.module.trace->target(ready.module.state, ns), 0.0035);
	module_test_end(&ready);
	module_test_end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_the_formula),
		cmocka_unit_test(repeats_exactly),
		cmocka_unit_test(starts_at_its_phase),
		cmocka_unit_test(stays_between_0_and_1),
		cmocka_unit_test(agrees_with_the_ready_trace),
		cmocka_unit_test(refuses_loads_beyond_0_and_1),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
