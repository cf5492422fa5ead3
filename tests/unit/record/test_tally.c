/* SPDX-License-Identifier: MIT */
#include "record/summary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/units.h"

#define ORIGIN (100 * NS_PER_S)

static bool is(double found, double expected)
{
	return fabs(found - expected) < 1e-9;
}

/* A sample of 500 ms that ends so many ms after control began. */
static struct record sample(int64_t end_ms, double target, double load)
{
	return (struct record){.end_ns = ORIGIN + end_ms * NS_PER_MS,
		.length_ns = 500 * NS_PER_MS,
		.target = target,
		.load = load,
		.others = NAN,
		.free = NAN,
		.alive = 1,
		.machine = {.work = load, .capacity = 1}};
}

static void without_samples(void **state)
{
	(void)state;
	const struct tally tally = {0};
	assert_true(isnan(tally_worst_error_pp(&tally)) && isnan(tally_alive(&tally)));
	assert_true(isnan(tally_free_mean(&tally)) && isnan(tally_free_most(&tally)));
	assert_true(is(tally_bound_mean(&tally.saturated).weight_ns, 0));
}

static void the_worst_of_either_sign(void **state)
{
	(void)state;
	struct tally tally = {0};
	const struct record records[] = {sample(500, 0.5, 0.55), sample(1000, 0.6, 0.4), sample(1500, 0.1, 0.25)};
	for (size_t i = 0; i < 3; i++)
		tally_add(&tally, &records[i], ORIGIN);
	assert_true(is(tally_worst_error_pp(&tally), -20));
	assert_true(is(tally.worst_target, 0.6) && is(tally.worst_load, 0.4) && is(tally.worst_s, 1));
	assert_true(is(tally.highest_target, 0.6));
}

static void free_load_where_it_is_known(void **state)
{
	(void)state;
	struct tally tally = {0};
	struct record record = sample(500, 0.5, 0.5);
	record.free = 0.25;
	tally_add(&tally, &record, ORIGIN);
	record.free = NAN;
	tally_add(&tally, &record, ORIGIN);
	record.free = 0.5;
	record.machine.capacity = 3;
	tally_add(&tally, &record, ORIGIN);
	assert_true(is(tally_free_mean(&tally), 0.4375) && is(tally_free_most(&tally), 0.5));
}

static void who_was_there(void **state)
{
	(void)state;
	struct tally tally = {0};
	struct record record = sample(500, 0.5, 0.5);
	tally_add(&tally, &record, ORIGIN);
	record.alive = 0;
	record.length_ns *= 3;
	tally_add(&tally, &record, ORIGIN);
	assert_true(is(tally_alive(&tally), 0.25));
}

/* Each sample counts as far as it was at the bound. */
static void at_the_bounds(void **state)
{
	(void)state;
	struct tally tally = {0};
	struct record record = sample(500, 0.9, 0.6);
	record.others = 0.1;
	record.saturated = 1;
	tally_add(&tally, &record, ORIGIN);
	record.load = 0.8;
	record.free = 0.4;
	record.saturated = 0.25;
	record.starved = 0.5;
	tally_add(&tally, &record, ORIGIN);
	record.others = NAN;
	record.load = 1;
	record.saturated = record.starved = 1;
	tally_add(&tally, &record, ORIGIN);
	const struct tally_bound saturated = tally_bound_mean(&tally.saturated);
	assert_true(is(saturated.load, 0.64) && is(saturated.free, 0.08) && is(saturated.others, 0.1));
	const struct tally_bound starved = tally_bound_mean(&tally.starved);
	assert_true(is(starved.load, 0.8) && is(starved.free, 0.4) && is(starved.weight_ns, 250.0 * NS_PER_MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_samples),
		cmocka_unit_test(the_worst_of_either_sign),
		cmocka_unit_test(free_load_where_it_is_known),
		cmocka_unit_test(who_was_there),
		cmocka_unit_test(at_the_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
