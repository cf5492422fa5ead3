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

/* The paper's equations, alone. */
#define BARE "integral=own,level=0,repay=0"

static void start(const char *options)
{
	module_test_begin(&test, SST_CONTROL, "rbpid", options);
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
	start(BARE);
	/* I0 = L* / ki = 0.5; e = 0.1; nothing has passed: D = 0.1 + 0.5. */
	assert_near(alone(0.5, 0.4, 0).duty, 0.6, 1e-12);
	module_test_end(&test);
	start(BARE ",ke=2,ki=4");
	assert_near(alone(0.5, 0.4, 0).duty, 0.2 + 0.5, 1e-12); /* D at no error is the target, whatever ki is */
	module_test_end(&test);
}

static void sums_by_hand(void **state)
{
	(void)state;
	start(BARE);
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
	start(BARE ",ke=0.5,ki=2");
	alone(0.4, 0.4, 0); /* I = 0.4 / 2 = 0.2 */
	/* e = 0.1, ΔT = 0.3: I = 0.23, D = 0.05 + 0.46 */
	assert_near(alone(0.4, 0.3, 0.3).duty, 0.51, 1e-12);
	module_test_end(&test);
	start(BARE ",ki=0,ke=3");
	assert_near(alone(0.4, 0.3, 1).duty, 0.3, 1e-12); /* proportional alone */
	assert_near(alone(0.4, 0.3, 1).duty, 0.3, 1e-12);
	module_test_end(&test);
}

static void the_integral_does_not_wind_up_above(void **state)
{
	(void)state;
	start(BARE);
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
	start(BARE);
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
	start(BARE);
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
	start(BARE ",windup=none");
	alone(0.9, 0.5, 0);
	/* I = 0.9 + 0.4 × 10 */
	assert_near(alone(0.9, 0.5, 10).duty, 0.4 + 4.9, 1e-12);
	assert_near(alone(0.9, 1, 1).duty, -0.1 + 4.8, 1e-12);
	module_test_end(&test);
}

static void the_mean_with_the_peers_is_used_and_the_own_output_published(void **state)
{
	(void)state;
	start(BARE);
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
	start(BARE);
	assert_int_equal(test.module.control->peers(test.module.state), 2);
	module_test_end(&test);
	start("peers=0");
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

/* ---- Beyond the paper -------------------------------------------------------------------------------------------------- */

/* A step of one of `live` executors that see the same; owed is since control began. */
static struct sst_control_output among(double live, double owed, double time, double surplus)
{
	return step(&(const struct sst_control_input){.target = 0.5,
		.load = 0.5,
		.since = {.work = 0.5 * time, .capacity = time},
		.owed = owed,
		.surplus = surplus,
		.processors = 2,
		.live = (unsigned)live});
}

/* The load at this executor's edges says that there is no error; the samples' owed work says otherwise. */
static void the_common_integral_is_of_the_samples(void **state)
{
	(void)state;
	start("level=0,repay=0");
	assert_near(among(1, 3, 0, 0).duty, 0.5, 1e-12); /* what was owed before is no error */
	assert_near(among(1, 3.1, 0.4, 0).duty, 0.6, 1e-12);
	assert_near(among(1, 2.9, 0.4, 0).duty, 0.4, 1e-12);
	for (int i = 1; i <= 100; i++)
		among(1, 2.9 + i, 1, 0);
	assert_near(among(1, 102.9, 0, 0).duty, 2, 1e-12); /* held: windup=clamp */
	module_test_end(&test);
}

/* Two executors with the same memory: each adds half of what it saw, and both use the sum. */
static void executors_share_one_integral(void **state)
{
	(void)state;
	start("level=0,repay=0");
	struct module_test other = test;
	assert_null(module_test_load(&other, SST_CONTROL, "rbpid", "level=0,repay=0"));
	assert_int_equal(other.module.base->init(other.module.state, &test.env), 0);
	const struct module_test first = test;
	assert_near(among(2, 0, 0, 0).duty, 0.5, 1e-12);
	test.module = other.module;
	assert_near(among(2, 0, 0, 0).duty, 0.5, 1e-12); /* finds the integral, and doesn't set it again */
	assert_near(among(2, 0.2, 0.4, 0).duty, 0.6, 1e-12);
	test.module = first.module;
	assert_near(among(2, 0.2, 0.4, 0).duty, 0.7, 1e-12);
	module_test_end(&other);
	test = first;
	module_test_end(&test);
}

static void who_was_away_finds_the_integral_of_the_others(void **state)
{
	(void)state;
	struct sst_control_input in = {.target = 0.5, .load = 0.5, .owed = 7, .processors = 2, .live = 2, .joins = true};
	start("level=0,repay=0");
	among(1, 0, 0, 0);
	assert_near(among(1, 0.1, 0.4, 0).duty, 0.6, 1e-12);
	test.module.control->resume(test.module.state);
	assert_near(step(&in).duty, 0.6, 1e-12); /* what was owed meanwhile is in it already */
	/* Where there are no others, it begins anew. */
	test.module.control->resume(test.module.state);
	in.live = 1;
	assert_near(step(&in).duty, 0.5, 1e-12);
	module_test_end(&test);
}

/* Beyond the paper's twelve processors CPU-seconds come faster, and the gain per second stays. */
static void many_processors_do_not_raise_the_gain(void **state)
{
	(void)state;
	static const double processors[] = {2, 12, 120};
	static const double expected[] = {0.6, 0.6, 0.51};
	for (int i = 0; i < 3; i++) {
		struct sst_control_input in = {.target = 0.5, .load = 0.5, .processors = processors[i], .live = 1};
		start("level=0,repay=0");
		step(&in);
		in.owed = 0.1;
		assert_near(step(&in).duty, expected[i], 1e-12);
		module_test_end(&test);
	}
}

static void who_is_behind_catches_up(void **state)
{
	(void)state;
	start("integral=own,repay=0,level=2s,peers=0");
	/* The second of four: the mean is 0 when it comes. It had 0.1 s, and the mean a quarter of that: it is ahead by 0.075. */
	assert_near(among(4, 0, 0, 0).duty, 0.5, 1e-12);
	assert_near(among(4, 0, 0, 0.1).duty, 0.5 - 0.1 / 2, 1e-12);
	assert_near(among(4, 0, 0, 0).published, 0.5, 1e-12); /* nobody else's business */
	const double ahead = 0.5 - among(4, 0, 0, 0).duty;
	assert_true(ahead > 0.03 && ahead < 0.05);
	/* Never more than a quarter, however far. */
	assert_near(among(4, 0, 0, 1000).duty, 0.25, 1e-12);
	/* The mean goes to those that are there: nobody is ahead of himself for ever. */
	for (int i = 0; i < 1000; i++)
		among(4, 0, 0, 0);
	assert_near(among(4, 0, 0, 0).duty, 0.5, 1e-6);
	module_test_end(&test);
}

static void what_is_owed_raises_the_target(void **state)
{
	(void)state;
	start("ki=0,level=0,repay=1s");
	assert_near(among(1, 0, 0, 0).duty, 0, 1e-12);
	/* 0.02 CPU-seconds of two processors within one second: 0.01. */
	assert_near(among(1, 0.02, 0, 0).duty, 0.01, 1e-12);
	assert_near(among(1, -0.02, 0, 0).duty, -0.01, 1e-12);
	/* More than 0.05 is forgiven … */
	assert_near(among(1, 10, 0, 0).duty, 0.05, 1e-12);
	/* … so that it has been repaid when a tenth has been. */
	assert_near(among(1, 9.9, 0, 0).duty, 0, 1e-12);
	module_test_end(&test);
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
		cmocka_unit_test(the_common_integral_is_of_the_samples),
		cmocka_unit_test(executors_share_one_integral),
		cmocka_unit_test(who_was_away_finds_the_integral_of_the_others),
		cmocka_unit_test(many_processors_do_not_raise_the_gain),
		cmocka_unit_test(who_is_behind_catches_up),
		cmocka_unit_test(what_is_owed_raises_the_target),
		cmocka_unit_test(kappa_is_an_option),
		cmocka_unit_test(wrong_options_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
