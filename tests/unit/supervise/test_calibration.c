/* SPDX-License-Identifier: MIT */
/* When a feedback module that measures what a load of 1 is does so. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/units.h"
#include "control/shared.h"
#include "supervise/master_state.h"

#define LENGTH_NS (20 * NS_PER_S)

static int64_t length_ns;
static unsigned steps[3];
static struct shared shared;
static struct master master;
static const struct config config = {.quiet = true};

static int64_t calibration(const void *state)
{
	(void)state;
	return length_ns;
}

static int calibrate(void *state, const struct sst_env *env, enum sst_calibration step)
{
	(void)state;
	(void)env;
	steps[step]++;
	return 0;
}

static const struct sst_feedback feedback = {.calibration = calibration, .calibrate = calibrate};

/* Control begins so long from now. */
static void begin(int64_t from_now_ns)
{
	length_ns = LENGTH_NS;
	memset(steps, 0, sizeof steps);
	master = (struct master){.config = &config, .run = {.config = &config, .shared = &shared}};
	master.run.module[SST_FEEDBACK].feedback = &feedback;
	atomic_store(&shared.origin_ns, clock_now() + from_now_ns);
}

static void expect_steps(unsigned begun, unsigned went_on, unsigned over)
{
	assert_int_equal(steps[SST_CALIBRATION_BEGINS], begun);
	assert_int_equal(steps[SST_CALIBRATION_GOES_ON], went_on);
	assert_int_equal(steps[SST_CALIBRATION_IS_OVER], over);
}

static void it_begins_before_control_and_goes_on_step_by_step(void **state)
{
	(void)state;
	begin(0);
	const int64_t origin_ns = run_origin(&master.run);
	assert_int_equal(calibration_next(&master), origin_ns - LENGTH_NS);
	master.calibrated_ns = origin_ns - LENGTH_NS + 3;
	assert_int_equal(calibration_next(&master), origin_ns - LENGTH_NS + 3 + SST_CALIBRATION_STEP_NS);
	master.calibrated_ns = origin_ns - 2;
	assert_int_equal(calibration_next(&master), origin_ns);
	master.calibrated = true;
	assert_int_equal(calibration_next(&master), INT64_MAX);
	begin(0);
	length_ns = 0;
	assert_int_equal(calibration_next(&master), INT64_MAX);
}

static void a_step_is_done_when_it_is_due(void **state)
{
	(void)state;
	begin(LENGTH_NS + 600 * NS_PER_S);
	assert_true(calibration_step(&master));
	expect_steps(0, 0, 0);
	begin(LENGTH_NS - NS_PER_S);
	assert_true(calibration_step(&master));
	expect_steps(1, 0, 0);
	assert_false(master.calibrated);
	master.calibrated_ns += 600 * NS_PER_S;
	assert_true(calibration_step(&master));
	expect_steps(1, 0, 0);
	master.calibrated_ns -= 1200 * NS_PER_S;
	assert_true(calibration_step(&master));
	expect_steps(1, 1, 0);
	assert_in_range(master.calibrated_ns, clock_now() - 60 * NS_PER_S, clock_now());
	atomic_store(&shared.origin_ns, clock_now() - 1);
	master.calibrated_ns -= NS_PER_S;
	assert_true(calibration_step(&master));
	expect_steps(1, 1, 1);
	assert_true(master.calibrated);
	assert_true(calibration_step(&master));
	expect_steps(1, 1, 1);
}

/* After a pause; what is over is not begun again. */
static void it_can_begin_anew(void **state)
{
	(void)state;
	begin(NS_PER_S);
	const int64_t origin_ns = run_origin(&master.run);
	calibration_begin_anew(&master);
	assert_int_equal(run_origin(&master.run), origin_ns);
	assert_true(calibration_step(&master));
	calibration_begin_anew(&master);
	assert_true(run_origin(&master.run) > origin_ns);
	assert_int_equal(calibration_next(&master), run_origin(&master.run) - LENGTH_NS);
	assert_true(calibration_step(&master));
	expect_steps(2, 0, 0);
	master.calibrated = true;
	const int64_t later_ns = run_origin(&master.run);
	calibration_begin_anew(&master);
	assert_int_equal(run_origin(&master.run), later_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_begins_before_control_and_goes_on_step_by_step),
		cmocka_unit_test(a_step_is_done_when_it_is_due),
		cmocka_unit_test(it_can_begin_anew),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
