/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "control_test.h"

static void the_duty_cycle_is_the_target_whatever_the_load(void **state)
{
	(void)state;
	static const double loads[] = {0, 0.3, 1};
	module_test_start(&test, SST_CONTROL, "open", NULL);
	for (size_t i = 0; i < 3; i++) {
		const struct sst_control_input in = {
			.target = 0.35, .load = loads[i], .since = {.capacity = 5}, .duty = 0.9, .live = 2, .processors = 2};
		const struct sst_control_output out = step(&in);
		assert_near(out.duty, 0.35, 0);
		assert_near(out.published, 0.35, 0);
	}
	assert_null(test.module.control->peers); /* and whatever the peers say */
	module_test_end(&test);
}

static void a_duty_cycle_that_is_given_is_kept_whatever_the_target(void **state)
{
	(void)state;
	static const double targets[] = {0, 0.3, 1};
	module_test_start(&test, SST_CONTROL, "open", "duty=3/4");
	for (size_t i = 0; i < 3; i++) {
		const struct sst_control_input in = {
			.target = targets[i], .load = 0.5, .since = {.capacity = 5}, .live = 2, .processors = 2};
		assert_near(step(&in).duty, 0.75, 0);
	}
	module_test_end(&test);
	module_test_start(&test, SST_CONTROL, "open", "duty=0");
	const struct sst_control_input in = {.target = 0.5, .since = {.capacity = 5}, .live = 2, .processors = 2};
	assert_near(step(&in).duty, 0, 0);
	module_test_end(&test);
	assert_non_null(strstr(module_test_load(&test, SST_CONTROL, "open", "ke=1"), "ke"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_duty_cycle_is_the_target_whatever_the_load),
		cmocka_unit_test(a_duty_cycle_that_is_given_is_kept_whatever_the_target),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
