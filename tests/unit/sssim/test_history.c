/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "sssim/history.h"

static struct sim_history history;
static int64_t work_ns;

static void begin(unsigned processors)
{
	history = (struct sim_history){.processors = processors};
	work_ns = 77;
	assert_int_equal(sim_history_add(&history, work_ns, NAN), 0);
}

/* So many steps of one load. */
static void go_on(size_t steps, double load, double target)
{
	for (size_t i = 0; i < steps; i++) {
		work_ns += (int64_t)(load * history.processors * (double)SIM_HISTORY_STEP_NS);
		assert_int_equal(sim_history_add(&history, work_ns, target), 0);
	}
}

static int end(void **state)
{
	(void)state;
	sim_history_free(&history);
	return 0;
}

static bool near(double found, double expected)
{
	return fabs(found - expected) < 1e-6;
}

static void windows_are_compared_with_the_target(void **state)
{
	(void)state;
	begin(4);
	go_on(25, 0.5, 0.25);
	go_on(25, 0.25, 0.25); /* +12.5 pp in this window */
	go_on(50, 0.2, 0.25);  /* -5 pp */
	go_on(49, 1, 0.25);    /* no whole window */
	const struct accuracy accuracy = sim_history_accuracy(&history, 500 * NS_PER_MS);
	assert_int_equal(accuracy.samples, 2);
	assert_true(near(accuracy_mean_error_pp(&accuracy), 3.75));
	assert_true(near(accuracy_mse_pp2(&accuracy), (12.5 * 12.5 + 25) / 2));
	assert_true(near(accuracy_mean_load(&accuracy), 0.2875));
}

static void times_above_the_target_are_counted(void **state)
{
	(void)state;
	begin(2);
	go_on(100, 0.3, 0.3);
	go_on(10, 0.5, 0.3); /* 8 pp in the windows of 250 ms that have all of it */
	go_on(100, 0.3, 0.3);
	go_on(10, 0.1, 0.3); /* below is not above */
	go_on(100, 0.3, 0.3);
	go_on(60, 1, 0.3); /* lasts: twice half a second */
	go_on(100, 0.3, 0.3);
	go_on(60, 1, NAN);
	assert_int_equal(sim_history_times_above(&history, 250 * NS_PER_MS, 0.05), 3);
	assert_int_equal(sim_history_times_above(&history, 250 * NS_PER_MS, 0.09), 2);
}

static void free_windows_do_not_count(void **state)
{
	(void)state;
	begin(1);
	go_on(60, 1, NAN);
	go_on(140, 0.5, 0.5);
	const struct accuracy accuracy = sim_history_accuracy(&history, 500 * NS_PER_MS);
	assert_int_equal(accuracy.samples, 2);
	assert_true(near(accuracy_mean_error_pp(&accuracy), 0));
}

static void the_worst_window_may_begin_anywhere(void **state)
{
	(void)state;
	begin(2);
	go_on(25, 0.5, 0.5);
	go_on(50, 0.6, 0.5);
	go_on(25, 0.5, 0.5);
	assert_true(near(sim_history_worst(&history, 500 * NS_PER_MS, 0), 0.1));
	assert_true(near(sim_history_worst(&history, 500 * NS_PER_MS, 50), 0.05));
	assert_true(isnan(sim_history_worst(&history, 500 * NS_PER_MS, 51)));
}

static void settling_is_the_end_of_the_last_window_outside(void **state)
{
	(void)state;
	begin(1);
	/* 0.2 too high for 200 ms: within 0.05 are windows that see at most 125 ms of it, so those from 75 ms on; in steps, 80 ms. */
	go_on(20, 0.7, 0.5);
	go_on(80, 0.5, 0.5);
	assert_true(near(sim_history_settling(&history, 500 * NS_PER_MS, 0.05), 0.08));
	/* A step that is followed at once, and one that never is. */
	go_on(100, 0.9, 0.9);
	assert_true(near(sim_history_settling(&history, 500 * NS_PER_MS, 0.05), 0.08));
	go_on(100, 0.9, 0.1);
	assert_true(isinf(sim_history_settling(&history, 500 * NS_PER_MS, 0.05)));
}

static void a_slope_is_no_step(void **state)
{
	(void)state;
	begin(1);
	for (int i = 0; i < 100; i++)
		go_on(1, 0.3, 0.3 + i * 0.001);
	/* The target runs away from the load; the first window is 0.0245 below it, the last one 0.0745. */
	assert_true(isinf(sim_history_settling(&history, 500 * NS_PER_MS, 0.05)));
	assert_true(near(sim_history_settling(&history, 500 * NS_PER_MS, 0.08), 0));
}

static void too_little_says_nothing(void **state)
{
	(void)state;
	begin(1);
	go_on(49, 0.5, 0.5);
	assert_true(isnan(sim_history_settling(&history, 500 * NS_PER_MS, 0.05)));
	assert_int_equal(sim_history_accuracy(&history, 500 * NS_PER_MS).samples, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(windows_are_compared_with_the_target, end),
		cmocka_unit_test_teardown(times_above_the_target_are_counted, end),
		cmocka_unit_test_teardown(free_windows_do_not_count, end),
		cmocka_unit_test_teardown(the_worst_window_may_begin_anywhere, end),
		cmocka_unit_test_teardown(settling_is_the_end_of_the_last_window_outside, end),
		cmocka_unit_test_teardown(a_slope_is_no_step, end),
		cmocka_unit_test_teardown(too_little_says_nothing, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
