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

static double next_duty(double duty, double target, double load, double time)
{
	const struct sst_control_input in = {.target = target,
		.load = load,
		.duty = duty,
		.since = {.work = load * time, .capacity = time},
		.live = 1,
		.processors = 2};
	const struct sst_control_output out = step(&in);
	assert_near(out.published, out.duty, 0);
	return out.duty;
}

static void it_steps_towards_the_target(void **state)
{
	(void)state;
	module_test_start(&test, SST_CONTROL, "skeleton", NULL);
	assert_near(next_duty(0.5, 0.8, 0.5, 0.3), 0.53, 1e-12); /* 0.1 per CPU-second */
	assert_near(next_duty(0.5, 0.2, 0.5, 0.3), 0.47, 1e-12);
	assert_near(next_duty(0.5, 0.8, 0.5, 0), 0.5, 0);
	assert_near(next_duty(0.99, 1, 0.5, 5), 1, 0);
	assert_near(next_duty(0.01, 0, 0.5, 5), 0, 0);
	module_test_end(&test);
}

static void small_errors_are_left_alone(void **state)
{
	(void)state;
	module_test_start(&test, SST_CONTROL, "skeleton", "rate=1,band=1/8");
	assert_near(next_duty(0.5, 0.75, 0.625, 0.1), 0.5, 0);
	assert_near(next_duty(0.5, 0.5, 0.625, 0.1), 0.5, 0);
	assert_near(next_duty(0.5, 0.75, 0.6249, 0.1), 0.6, 1e-12);
	module_test_end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_steps_towards_the_target),
		cmocka_unit_test(small_errors_are_left_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
