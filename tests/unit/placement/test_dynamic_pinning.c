/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "placement/pinning.h"

static struct dynamic_pinning dynamic;
static struct pinning_course course;

static void take(const char *text)
{
	char error[OPTION_ERROR_MAX];
	if (dynamic_pinning_parse(text, &dynamic, error) != 0)
		fail_msg("'%s': %s", text ? text : "", error);
	course = (struct pinning_course){.settings = &dynamic};
}

static void refuse(const char *text, const char *reason)
{
	char error[OPTION_ERROR_MAX];
	assert_int_equal(dynamic_pinning_parse(text, &dynamic, error), -1);
	if (!strstr(error, reason))
		fail_msg("'%s': found '%s', expected '%s'", text, error, reason);
}

static bool step(double load, double time_s)
{
	return dynamic_pinning_step(&course, load, (int64_t)(time_s * (double)NS_PER_S));
}

static void settings(void **state)
{
	(void)state;
	take(NULL);
	assert_int_equal(dynamic.below, PIN_PER_THREAD);
	assert_int_equal(dynamic.above, PIN_PER_CHIP);
	assert_true(fabs(dynamic.threshold - 0.5) < 1e-12 && fabs(dynamic.hysteresis - 0.05) < 1e-12);
	assert_int_equal(dynamic.dwell_ns, 5 * NS_PER_S);
	assert_int_equal(dynamic_pinning_scheme(&course), PIN_PER_THREAD);
	take("below=neutral,above=spread,threshold=1/4,hysteresis=0,dwell=0");
	assert_int_equal(dynamic.below, PIN_NEUTRAL);
	assert_int_equal(dynamic.above, PIN_SPREAD);
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);
	assert_non_null(to);
	dynamic_pinning_print(&dynamic, to);
	fclose(to);
	assert_string_equal(text, "below=neutral,above=spread,threshold=0.25,hysteresis=0,dwell=0s");
	free(text);
	refuse("above=per-thread", "below and above are both per-thread: expected two schemes");
	refuse("below=dynamic", "expected neutral, per-chip, per-core, per-thread, packed or spread");
	refuse("threshold=5%", "expected what stays between 0 and 1");
	refuse("threshold=95%", "expected what stays between 0 and 1");
	refuse("threshold=nan", "option 'threshold'");
	refuse("dwell=2d", "option 'dwell'");
	refuse("x=1", "unknown option 'x'");
}

static void changes_have_a_threshold_and_a_hysteresis(void **state)
{
	(void)state;
	take("threshold=50%,hysteresis=10%,dwell=0");
	assert_false(step(0.1, 1));
	assert_false(step(0.59, 2));
	assert_true(step(0.61, 3));
	assert_int_equal(dynamic_pinning_scheme(&course), PIN_PER_CHIP);
	assert_false(step(0.9, 4));
	assert_false(step(0.41, 5));
	assert_false(step(NAN, 6));
	assert_true(step(0.39, 7));
	assert_int_equal(dynamic_pinning_scheme(&course), PIN_PER_THREAD);
	assert_false(step(0.45, 8));
	assert_false(step(NAN, 9));
}

static void schemes_last(void **state)
{
	(void)state;
	take("dwell=5s");
	course.since_ns = 100 * NS_PER_S;
	assert_false(step(0.9, 101));
	assert_false(step(0.9, 104.9));
	assert_true(step(0.9, 105));
	assert_false(step(0.1, 109.9));
	assert_true(step(0.1, 110.5));
	assert_false(step(0.9, 115));
	assert_true(step(0.9, 115.5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(settings),
		cmocka_unit_test(changes_have_a_threshold_and_a_hysteresis),
		cmocka_unit_test(schemes_last),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
