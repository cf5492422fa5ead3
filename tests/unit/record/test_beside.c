/* SPDX-License-Identifier: MIT */
#include "record/recorder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool is(double found, double expected)
{
	return fabs(found - expected) < 1e-9;
}

/* An interval of a second on a processor in which the machine worked so long, and we did. */
static double interval(struct beside *others, double machine_s, double usage_s)
{
	return beside_add(others, machine_s - usage_s, 1);
}

static void what_is_not_of_the_run(void **state)
{
	(void)state;
	struct beside others = {0};
	struct beside_sums sums = {0};
	assert_true(isnan(beside_mean(&sums)) && isnan(beside_most(&sums)));
	assert_true(is(interval(&others, 0.75, 0.5), 0.25));
	beside_count(&others, &sums);
	assert_true(is(interval(&others, 0.95, 0.05), 0.9));
	/* Not counted: the warm-up, say. */
	assert_true(is(interval(&others, 0.1, 0.1), 0));
	beside_count(&others, &sums);
	assert_true(is(beside_mean(&sums), 0.125) && is(beside_most(&sums), 0.25));
	assert_int_equal(sums.counted, 2);
}

/* Machine in units of 10 ms, our usage in ns: the rows are never negative, and neither they nor the mean are biased. */
static void units_cause_no_bias(void **state)
{
	(void)state;
	struct beside others = {0};
	struct beside_sums sums = {0};
	double sum = 0;
	double machine = 0;
	for (int i = 0; i < 1000; i++) {
		const double before = floor(machine * 100) / 100;
		machine += 0.5037;
		const double shown = beside_add(&others, floor(machine * 100) / 100 - before - 0.5, 1);
		assert_true(shown >= 0 && shown <= 0.02);
		beside_count(&others, &sums);
		sum += shown;
	}
	assert_true(fabs(sum / 1000 - 0.0037) < 5e-5);
	assert_true(fabs(beside_mean(&sums) - 0.0037) < 5e-5);
}

/* What was found late: one row too much, the next too little. The mean is right, and what is carried has a limit. */
static void found_late(void **state)
{
	(void)state;
	struct beside others = {0};
	struct beside_sums sums = {0};
	assert_true(is(interval(&others, 0.5, 0.3), 0.2));
	beside_count(&others, &sums);
	assert_true(is(interval(&others, 0.5, 0.7), 0));
	beside_count(&others, &sums);
	assert_true(is(interval(&others, 0.5, 0.4), 0.1 - 0.04));
	beside_count(&others, &sums);
	assert_true(is(beside_mean(&sums), 0.1 / 3));
	/* Less than nothing in all is nothing. */
	others = (struct beside){0};
	sums = (struct beside_sums){0};
	assert_true(is(interval(&others, 0, 0.01), 0));
	beside_count(&others, &sums);
	assert_true(is(beside_mean(&sums), 0) && is(beside_most(&sums), 0));
}

static void unknown_is_not_a_number(void **state)
{
	(void)state;
	struct beside others = {0};
	struct beside_sums sums = {0};
	assert_true(isnan(interval(&others, 0.5, NAN)));
	beside_count(&others, &sums);
	assert_true(isnan(beside_add(&others, 0, 0)));
	beside_count(&others, &sums);
	assert_true(isnan(beside_mean(&sums)) && sums.counted == 0);
	assert_true(is(interval(&others, 0.5, 0.2), 0.3));
	beside_count(&others, &sums);
	assert_true(is(beside_mean(&sums), 0.3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_of_the_run),
		cmocka_unit_test(units_cause_no_bias),
		cmocka_unit_test(found_late),
		cmocka_unit_test(unknown_is_not_a_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
