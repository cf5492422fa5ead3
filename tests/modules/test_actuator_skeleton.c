/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "module_test.h"

static struct module_test test;

static bool runs(bool run, double duty)
{
	const struct sst_actuator_input in = {.run = run, .duty = duty};
	return test.module.actuator->runs(test.module.state, &in);
}

static void nearly_full_workloads_are_not_stopped(void **state)
{
	(void)state;
	module_test_start(&test, SST_ACTUATOR, "skeleton", "90%");
	assert_int_equal(test.module.actuator->hand, SST_HAND_SIGNALS);
	assert_false(runs(false, 0.89));
	assert_true(runs(true, 0.89));
	assert_true(runs(false, 0.9));
	assert_true(runs(true, 1));
	module_test_end(&test);
}

static void signals_do_as_they_are_told(void **state)
{
	(void)state;
	module_test_start(&test, SST_ACTUATOR, "signals", NULL);
	assert_int_equal(test.module.actuator->hand, SST_HAND_SIGNALS);
	assert_false(runs(false, 1));
	assert_true(runs(true, 0));
	module_test_end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nearly_full_workloads_are_not_stopped),
		cmocka_unit_test(signals_do_as_they_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
