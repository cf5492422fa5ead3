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
static double interval(struct background *background, double machine_s, double usage_s)
{
	background_start(background, 100);
	return background_end(background, &(struct sst_sample){machine_s, 1}, 100 + usage_s);
}

static void what_is_not_of_the_run(void **state)
{
	(void)state;
	struct background background = {0};
	struct background_sums sums = {0};
	assert_true(isnan(background_mean(&sums)) && isnan(background_most(&sums)));
	assert_true(is(interval(&background, 0.75, 0.5), 0.25));
	background_count(&background, &sums);
	assert_true(is(interval(&background, 0.95, 0.05), 0.9));
	/* Not counted: the warm-up, say. */
	assert_true(is(interval(&background, 0.1, 0.1), 0));
	background_count(&background, &sums);
	assert_true(is(background_mean(&sums), 0.125) && is(background_most(&sums), 0.25));
	assert_int_equal(sums.counted, 2);
}

/* Machine in units of 10 ms, our usage in ns: the rows are never negative, and neither they nor the mean are biased. */
static void units_cause_no_bias(void **state)
{
	(void)state;
	struct background background = {0};
	struct background_sums sums = {0};
	double sum = 0;
	double machine = 0;
	double usage = 0;
	for (int i = 0; i < 1000; i++) {
		const double before = floor(machine * 100) / 100;
		machine += 0.5037;
		usage += 0.5;
		background_start(&background, usage - 0.5);
		const double shown =
			background_end(&background, &(struct sst_sample){floor(machine * 100) / 100 - before, 1}, usage);
		assert_true(shown >= 0 && shown <= 0.02);
		background_count(&background, &sums);
		sum += shown;
	}
	assert_true(fabs(sum / 1000 - 0.0037) < 5e-5);
	assert_true(fabs(background_mean(&sums) - 0.0037) < 5e-5);
}

/* What was found late: one row too much, the next too little. The mean is right, and what is carried has a limit. */
static void found_late(void **state)
{
	(void)state;
	struct background background = {0};
	struct background_sums sums = {0};
	assert_true(is(interval(&background, 0.5, 0.3), 0.2));
	background_count(&background, &sums);
	assert_true(is(interval(&background, 0.5, 0.7), 0));
	background_count(&background, &sums);
	assert_true(is(interval(&background, 0.5, 0.4), 0.1 - 0.04));
	background_count(&background, &sums);
	assert_true(is(background_mean(&sums), 0.1 / 3));
	/* Less than nothing in all is nothing. */
	background = (struct background){0};
	sums = (struct background_sums){0};
	assert_true(is(interval(&background, 0, 0.01), 0));
	background_count(&background, &sums);
	assert_true(is(background_mean(&sums), 0) && is(background_most(&sums), 0));
}

static void unknown_is_not_a_number(void **state)
{
	(void)state;
	struct background background = {0};
	struct background_sums sums = {0};
	assert_true(isnan(interval(&background, 0.5, NAN)));
	background_count(&background, &sums);
	background_start(&background, NAN);
	assert_true(isnan(background_end(&background, &(struct sst_sample){0.5, 1}, 5)));
	background_count(&background, &sums);
	background_start(&background, 5);
	assert_true(isnan(background_end(&background, &(struct sst_sample){0}, 5)));
	background_count(&background, &sums);
	assert_true(isnan(background_mean(&sums)) && sums.counted == 0);
	assert_true(is(interval(&background, 0.5, 0.2), 0.3));
	background_count(&background, &sums);
	assert_true(is(background_mean(&sums), 0.3));
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
