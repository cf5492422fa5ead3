/* SPDX-License-Identifier: MIT */
#include "record/summary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/units.h"

/* How many of so many samples of 500 ms notice something; the last one is in *found. */
static int count(struct absence *absence, int samples, double alive, double load, struct absence_found *found)
{
	const struct record record = {.length_ns = 500 * NS_PER_MS, .target = 0.4, .load = load, .alive = alive};
	int noticed = 0;
	for (int i = 0; i < samples; i++)
		noticed += absence_add(absence, &record, found);
	return noticed;
}

static void who_is_there_is_not_missed(void **state)
{
	(void)state;
	struct absence absence = {0};
	struct absence_found found;
	assert_int_equal(count(&absence, 100, 1, 0.2, &found), 0);
	assert_int_equal(count(&absence, 100, 0.96, 0.2, &found), 0);
	assert_int_equal(count(&absence, 100, 0.2, 0.4, &found), 0);
	assert_int_equal(count(&absence, 100, 0.2, 0.5, &found), 0);
}

/* Not before 5 s, and only once. */
static void who_is_gone_is_missed_once(void **state)
{
	(void)state;
	struct absence absence = {0};
	struct absence_found found;
	assert_int_equal(count(&absence, 9, 0.25, 0.1, &found), 0);
	assert_int_equal(count(&absence, 1, 0.25, 0.1, &found), 1);
	assert_true(fabs(found.seconds - 5) < 1e-9 && fabs(found.gone - 0.75) < 1e-9 && fabs(found.missing_pp - 30) < 1e-9);
	assert_int_equal(count(&absence, 100, 0, 0, &found), 0);
}

/* What was long ago doesn't make up for it: each look begins anew. */
static void only_the_last_seconds_count(void **state)
{
	(void)state;
	struct absence absence = {0};
	struct absence_found found;
	assert_int_equal(count(&absence, 1000, 1, 0.4, &found), 0);
	assert_int_equal(count(&absence, 5, 1, 0.4, &found), 0);
	assert_int_equal(count(&absence, 5, 0, 0, &found), 1);
	assert_true(fabs(found.gone - 0.5) < 1e-9 && fabs(found.missing_pp - 20) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_is_there_is_not_missed),
		cmocka_unit_test(who_is_gone_is_missed_once),
		cmocka_unit_test(only_the_last_seconds_count),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
