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

static int64_t length(void)
{
	return test.module.trace->length(test.module.state);
}

static void goes_down_and_up_as_in_the_papers(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "staircase", NULL);
	/* 19 levels, each seen twice: 38 steps of 3 minutes (paper 000, Section 6). */
	assert_int_equal(length(), 38 * 180 * NS_PER_S);
	for (int step = 0; step < 19; step++) {
		const int64_t down = step * 180 * NS_PER_S;
		const int64_t up = (37 - step) * 180 * NS_PER_S;
		assert_near(target(down), (19 - step) / 20.0, EXACT);
		assert_near(target(down + 180 * NS_PER_S - 1), (19 - step) / 20.0, EXACT);
		assert_near(target(up), (19 - step) / 20.0, EXACT);
	}
	module_test_end(&test);
}

static void can_go_one_way(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "staircase", "10%,to=40%,step=10%,hold=2s,symmetric=no");
	assert_int_equal(length(), 8 * NS_PER_S);
	assert_near(target(0), 0.1, 0);
	assert_near(target(2 * NS_PER_S - 1), 0.1, 0);
	assert_near(target(2 * NS_PER_S), 0.2, EXACT);
	assert_near(target(4 * NS_PER_S), 0.3, EXACT);
	assert_near(target(6 * NS_PER_S), 0.4, 0);
	/* After its end, and back in time. */
	assert_near(target(8 * NS_PER_S), 0.4, 0);
	assert_near(target(INT64_MAX), 0.4, 0);
	assert_near(target(3 * NS_PER_S), 0.2, EXACT);
	module_test_end(&test);
}

static void ends_where_it_began(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "staircase", "1,to=0,step=1,hold=1s,symmetric");
	/* 1 0 0 1 */
	assert_int_equal(length(), 4 * NS_PER_S);
	assert_near(target(0), 1, 0);
	assert_near(target(1 * NS_PER_S), 0, 0);
	assert_near(target(2 * NS_PER_S), 0, 0);
	assert_near(target(3 * NS_PER_S), 1, 0);
	assert_near(target(4 * NS_PER_S), 1, 0);
	module_test_end(&test);
}

static void may_have_one_level(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "staircase", "30%,to=30%,hold=1s");
	assert_int_equal(length(), 2 * NS_PER_S);
	assert_near(target(0), 0.3, 0);
	assert_near(target(NS_PER_S), 0.3, 0);
	module_test_end(&test);
}

static void longest_fits(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "staircase", "0,to=1,step=0.001,hold=30d");
	assert_int_equal(length(), 2002 * INT64_C(30) * 86400 * NS_PER_S);
	assert_near(target(1000 * INT64_C(30) * 86400 * NS_PER_S), 1, 0);
	module_test_end(&test);
}

static void refuses_a_step_that_does_not_fit(void **state)
{
	(void)state;
	const char *refused = module_test_load(&test, SST_TRACE, "staircase", "90%,to=0,step=20%");
	assert_non_null(refused);
	assert_non_null(strstr(refused, "found 4.5 steps of 0.2 from 0.9 to 0"));
	assert_non_null(module_test_load(&test, SST_TRACE, "staircase", "step=0"));
	assert_non_null(module_test_load(&test, SST_TRACE, "staircase", "hold=0"));
}

/* The ready trace is the module's default written out. */
static void agrees_with_the_ready_trace(void **state)
{
	struct module_test ready;
	(void)state;
	module_test_start(&test, SST_TRACE, "staircase", NULL);
	module_test_start(&ready, SST_TRACE, "file", SHOWSTOPPER_SOURCE "/traces/staircase.trace");
	assert_int_equal(length(), ready.module.trace->length(ready.module.state));
	for (int64_t ns = 0; ns <= length(); ns += 30 * NS_PER_S)
		assert_near(target(ns), ready.module.trace->target(ready.module.state, ns), EXACT);
	module_test_end(&ready);
	module_test_end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(goes_down_and_up_as_in_the_papers),
		cmocka_unit_test(can_go_one_way),
		cmocka_unit_test(ends_where_it_began),
		cmocka_unit_test(may_have_one_level),
		cmocka_unit_test(longest_fits),
		cmocka_unit_test(agrees_with_the_ready_trace),
		cmocka_unit_test(refuses_a_step_that_does_not_fit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
