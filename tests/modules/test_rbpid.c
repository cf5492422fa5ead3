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

#define assert_near(found, expected, tolerance) assert_true(module_test_near(found, expected, tolerance))

static struct module_test test;

static struct sst_control_output step(const struct sst_control_input *in)
{
	struct sst_control_output out = {.published = NAN, .duty = NAN};
	test.module.control->step(test.module.state, in, &out);
	return out;
}

/* A step with an error and ΔT CPU-seconds since the last one, alone in the world. */
static struct sst_control_output alone(double target, double load, double time)
{
	return step(&(const struct sst_control_input){
		.target = target, .load = load, .since = {.work = load * time, .capacity = time}, .processors = 2, .live = 1});
}

static void the_integral_begins_at_the_target(void **state)
{
	(void)state;
	module_test_start(&test, SST_CONTROL, "rbpid", NULL);
	/* I0 = L* / ki = 0.5; e = 0.1; nothing has passed: D = 0.1 + 0.5. */
	assert_near(alone(0.5, 0.4, 0).duty, 0.6, 1e-12);
	module_test_end(&test);
	module_test_start(&test, SST_CONTROL, "rbpid", "ke=2,ki=4");
	assert_near(alone(0.5, 0.4, 0).duty, 0.2 + 0.5, 1e-12); /* D at no error is the target, whatever ki is */
	module_test_end(&test);
}

static void sums_by_hand(void **state)
{
	(void)state;
	module_test_start(&test, SST_CONTROL, "rbpid", NULL);
	alone(0.5, 0.5, 0); /* I = 0.5 */
	/* e = 0.1, ΔT = 0.4: I = 0.54, D = 0.64 */
	struct sst_control_output out = alone(0.5, 0.4, 0.4);
	assert_near(out.duty, 0.64, 1e-12);
	assert_near(out.published, 0.64, 1e-12);
	/* e = −0.2, ΔT = 0.2: I = 0.5, D = 0.3 */
	assert_near(alone(0.5, 0.7, 0.2).duty, 0.3, 1e-12);
	/* An edge without a newer sample: the same error, and no time */
	assert_near(alone(0.5, 0.7, 0).duty, 0.3, 1e-12);
	/* e = 0, ΔT = 5: I stays */
	assert_near(alone(0.7, 0.7, 5).duty, 0.5, 1e-12);
	module_test_end(&test);
}

static void gains_are_as_given(void **state)
{
	(void)state;
	module_test_start(&test, SST_CONTROL, "rbpid", "ke=0.5,ki=2");
	alone(0.4, 0.4, 0); /* I = 0.4 / 2 = 0.2 */
	/* e = 0.1, ΔT = 0.3: I = 0.23, D = 0.05 + 0.46 */
	assert_near(alone(0.4, 0.3, 0.3).duty, 0.51, 1e-12);
	module_test_end(&test);
	module_test_start(&test, SST_CONTROL, "rbpid", "ki=0,ke=3");
	assert_near(alone(0.4, 0.3, 1).duty, 0.3, 1e-12); /* proportional alone */
	assert_near(alone(0.4, 0.3, 1).duty, 0.3, 1e-12);
	module_test_end(&test);
}

static void the_integral_does_not_wind_up_above(void **state)
{
	(void)state;
	module_test_start(&test, SST_CONTROL, "rbpid", NULL);
	alone(0.9, 0.5, 0); /* I = 0.9 */
	for (int i = 0; i < 100; i++)
		alone(0.9, 0.5, 1);
	/* I = 2 and not 40.9: D = 0.4 + 2 */
	assert_near(alone(0.9, 0.5, 1).duty, 2.4, 1e-12);
	/* Above the target by 0.1 for 15: I = 0.5, D = 0.4 */
	assert_near(alone(0.9, 1, 15).duty, 0.4, 1e-12);
	module_test_end(&test);
}

static void the_integral_does_not_wind_up_below(void **state)
{
	(void)state;
	module_test_start(&test, SST_CONTROL, "rbpid", NULL);
	alone(0.1, 0.6, 0); /* I = 0.1 */
	for (int i = 0; i < 100; i++)
		alone(0.1, 0.6, 1);
	/* I = -1 and not -49.9: D = -0.5 - 1 */
	assert_near(alone(0.1, 0.6, 1).duty, -1.5, 1e-12);
	/* Below the target by 0.05 for 30: I = 0.5, D = 0.55 */
	assert_near(alone(0.1, 0.05, 30).duty, 0.55, 1e-12);
	module_test_end(&test);
}

/* Many threads: the load swings to both sides of the target for equally long, and D beyond 0 and 1 with it. The integral stays. */
static void swings_through_the_bounds_leave_no_bias(void **state)
{
	(void)state;
	module_test_start(&test, SST_CONTROL, "rbpid", NULL);
	alone(0.5, 0, 0);
	for (int i = 0; i < 100; i++) {
		alone(0.5, 1, 0.2);
		alone(0.5, 0, 0.2);
	}
	assert_near(alone(0.5, 0.5, 0).duty, 0.5, 1e-9);
	module_test_end(&test);
}

static void the_bare_equation_can_be_had(void **state)
{
	(void)state;
	module_test_start(&test, SST_CONTROL, "rbpid", "windup=none");
	alone(0.9, 0.5, 0);
	/* I = 0.9 + 0.4 × 10 */
	assert_near(alone(0.9, 0.5, 10).duty, 0.4 + 4.9, 1e-12);
	assert_near(alone(0.9, 1, 1).duty, -0.1 + 4.8, 1e-12);
	module_test_end(&test);
}

static void the_mean_with_the_peers_is_used_and_the_own_output_published(void **state)
{
	(void)state;
	module_test_start(&test, SST_CONTROL, "rbpid", NULL);
	const double peers[] = {0.2, 1.7};
	const struct sst_control_input in = {
		.target = 0.5, .load = 0.4, .processors = 2, .peers = peers, .peer_count = 2, .live = 3};
	struct sst_control_output out = step(&in);
	assert_near(out.published, 0.6, 1e-12);
	assert_near(out.duty, (0.6 + 0.2 + 1.7) / 3, 1e-12);
	struct sst_control_input fewer = in;
	fewer.peer_count = 1;
	out = step(&fewer);
	assert_near(out.duty, (0.6 + 0.2) / 2, 1e-12);
	fewer.peer_count = 0;
	assert_near(step(&fewer).duty, 0.6, 1e-12);
	/* The peers' outputs don't enter the integral. */
	fewer.load = 0.5;
	assert_near(step(&fewer).published, 0.5, 1e-12);
	module_test_end(&test);
}

static void kappa_is_an_option(void **state)
{
	(void)state;
	module_test_start(&test, SST_CONTROL, "rbpid", NULL);
	assert_int_equal(test.module.control->peers(test.module.state), 2);
	module_test_end(&test);
	module_test_start(&test, SST_CONTROL, "rbpid", "peers=0");
	assert_int_equal(test.module.control->peers(test.module.state), 0);
	module_test_end(&test);
}

static void wrong_options_are_refused(void **state)
{
	(void)state;
	assert_non_null(strstr(module_test_load(&test, SST_CONTROL, "rbpid", "ke=-1"), "option 'ke': '-1' is out of range"));
	assert_non_null(
		strstr(module_test_load(&test, SST_CONTROL, "rbpid", "peers=-1"), "option 'peers': '-1' is out of range"));
	assert_non_null(strstr(module_test_load(&test, SST_CONTROL, "rbpid", "windup=never"), "expected clamp or none"));
	assert_non_null(strstr(module_test_load(&test, SST_CONTROL, "rbpid", "kd=1"), "unknown option 'kd'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_integral_begins_at_the_target),
		cmocka_unit_test(sums_by_hand),
		cmocka_unit_test(gains_are_as_given),
		cmocka_unit_test(the_integral_does_not_wind_up_above),
		cmocka_unit_test(the_integral_does_not_wind_up_below),
		cmocka_unit_test(swings_through_the_bounds_leave_no_bias),
		cmocka_unit_test(the_bare_equation_can_be_had),
		cmocka_unit_test(the_mean_with_the_peers_is_used_and_the_own_output_published),
		cmocka_unit_test(kappa_is_an_option),
		cmocka_unit_test(wrong_options_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
