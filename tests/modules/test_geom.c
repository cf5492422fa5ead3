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

/* The paper's equation, alone. */
#define BARE "level=0,repay=0"

static void start(const char *options)
{
	module_test_begin(&test, SST_CONTROL, "geom", options);
}

static struct sst_control_output alone(double target, double load)
{
	return step(&(const struct sst_control_input){.target = target, .load = load, .processors = 2, .live = 1});
}

static void the_duty_cycle_moves_by_the_ratio(void **state)
{
	(void)state;
	start(BARE);
	/* It begins at the target: D = 0.4, and then D ← D·L* / L. */
	assert_near(alone(0.4, 0.8).duty, 0.2, 1e-12);
	assert_near(alone(0.4, 0.5).duty, 0.16, 1e-12);
	assert_near(alone(0.4, 0.4).duty, 0.16, 1e-12);
	assert_near(alone(0.4, 0.1).duty, 0.64, 1e-12);
	assert_near(alone(0.4, 0.1).duty, 1, 0);       /* 2.56: held */
	assert_near(alone(0.4, 0.8).duty, 0.5, 1e-12); /* from 1 and not from 2.56 */
	module_test_end(&test);
}

static void load_and_duty_cycle_are_held_at_a_thousandth(void **state)
{
	(void)state;
	start(BARE);
	/* L = 0 counts as 0.001: 0.0005·0.0005 / 0.001 would be below, so D stays at 0.001. */
	assert_near(alone(0, 0).duty, 0.001, 0);
	assert_near(alone(0, 0.5).duty, 0.001, 0);
	/* And from there it can grow again: 0.001·0.5 / 0.001 */
	assert_near(alone(0.5, 0).duty, 0.5, 1e-12);
	assert_near(alone(0.5, 0.0001).duty, 1, 0); /* 0.5·0.5 / 0.001, held at 1 */
	module_test_end(&test);
}

static void the_mean_with_the_peers_is_the_next_duty_cycle(void **state)
{
	(void)state;
	start(BARE);
	const double peers[] = {0.8, 0.5, 0.7};
	const struct sst_control_input in = {
		.target = 0.4, .load = 0.8, .peers = peers, .peer_count = 3, .live = 4, .processors = 2};
	struct sst_control_output out = step(&in);
	assert_near(out.published, 0.2, 1e-12); /* 0.4·0.4 / 0.8 */
	assert_near(out.duty, 0.55, 1e-12);     /* (0.2 + 0.8 + 0.5 + 0.7) / 4 */
	out = step(&in);
	assert_near(out.published, 0.275, 1e-12); /* 0.55·0.4 / 0.8 */
	assert_near(out.duty, 0.56875, 1e-12);    /* (0.275 + 2) / 4 */
	module_test_end(&test);
}

/* Ours: a target that is missed by the same all the time is raised by as much in the end, with nothing owed any more. */
static void what_is_always_owed_is_learnt(void **state)
{
	(void)state;
	start("level=0,repay=1s");
	struct sst_control_input in = {.target = 0.4, .load = 0.4, .processors = 2, .live = 1};
	assert_near(step(&in).duty, 0.4, 1e-12);
	in.owed = 0.04; /* 0.02 of two processors for a second */
	in.load = 0.42;
	assert_near(step(&in).duty, 0.4, 1e-12);
	in.since.capacity = 0.2;
	for (int i = 0; i < 1000; i++)
		step(&in);
	/* All that is learnt at most, and what is owed: 0.4 + 0.05 + 0.02. */
	const double before = step(&in).duty;
	assert_near(before, 1, 0);
	in.load = 0.47;
	assert_near(step(&in).duty, 1, 1e-9);
	in.owed = 0;
	in.load = 0.9;
	assert_near(step(&in).duty, 0.45 / 0.9, 1e-6);
	module_test_end(&test);
}

static void who_was_away_finds_what_is_owed(void **state)
{
	(void)state;
	struct sst_control_input in = {.target = 0.4, .load = 0.4, .processors = 2, .live = 2};
	start("level=0,repay=1s");
	assert_near(step(&in).duty, 0.4, 1e-12);
	test.module.control->resume(test.module.state);
	in.owed = 0.04; /* 0.02 of two processors for a second */
	in.joins = true;
	assert_near(step(&in).duty, 0.42, 1e-12);
	/* Where there are no others, it begins anew, and that is forgiven. */
	test.module.control->resume(test.module.state);
	in.live = 1;
	assert_near(step(&in).duty, 0.42, 1e-12);
	module_test_end(&test);
}

static void who_is_behind_catches_up(void **state)
{
	(void)state;
	start("repay=0,level=2s");
	struct sst_control_input in = {.target = 0.4, .load = 0.4, .processors = 2, .live = 2};
	assert_near(step(&in).duty, 0.4, 1e-12);
	in.surplus = 0.1;
	struct sst_control_output out = step(&in);
	assert_near(out.duty, 0.4 - 0.05, 1e-12);
	assert_near(out.published, 0.4, 1e-12);
	module_test_end(&test);
}

static void kappa_is_an_option(void **state)
{
	(void)state;
	start(BARE);
	assert_int_equal(test.module.control->peers(test.module.state), 3);
	module_test_end(&test);
	start("1");
	assert_int_equal(test.module.control->peers(test.module.state), 1);
	module_test_end(&test);
	assert_non_null(strstr(module_test_load(&test, SST_CONTROL, "geom", "peers=1001"), "from 0 to 1000"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_duty_cycle_moves_by_the_ratio),
		cmocka_unit_test(load_and_duty_cycle_are_held_at_a_thousandth),
		cmocka_unit_test(the_mean_with_the_peers_is_the_next_duty_cycle),
		cmocka_unit_test(what_is_always_owed_is_learnt),
		cmocka_unit_test(who_was_away_finds_what_is_owed),
		cmocka_unit_test(who_is_behind_catches_up),
		cmocka_unit_test(kappa_is_an_option),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
