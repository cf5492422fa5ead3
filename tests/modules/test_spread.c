/* SPDX-License-Identifier: MIT */
/* The dithering module `spread`, with an epoch of 100 ms that begins at 1 s. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "module_test.h"

#define MS NS_PER_MS
#define ORIGIN NS_PER_S

static void start(struct module_test *test, const char *options)
{
	module_test_begin(test, SST_DITHERING, "spread", options);
}

static struct sst_dithering_output ask(
	struct module_test *test, int64_t at_ms, unsigned rank, unsigned live, double duty, bool running)
{
	const int64_t at = ORIGIN + at_ms * MS;
	const struct sst_dithering_input in = {
		.now_ns = at, .due_ns = at, .origin_ns = ORIGIN, .rank = rank, .live = live, .duty = duty, .running = running};
	struct sst_dithering_output out = {0};
	test->module.dithering->next(test->module.state, &in, &out);
	return out;
}

static void expect(struct sst_dithering_output out, bool run, int64_t until_ms)
{
	assert_int_equal(out.run, run);
	assert_int_equal(out.until_ns, ORIGIN + until_ms * MS);
}

/* Place 0 runs from 0 to 50 ms of each epoch, place 1 of 2 from 50 to 100. */
static void runs_alternate(void **state)
{
	(void)state;
	struct module_test test;
	start(&test, "quantum=100m");
	expect(ask(&test, 0, 0, 2, 0.5, false), true, 50);
	expect(ask(&test, 50, 0, 2, 0.5, true), false, 100);
	expect(ask(&test, 0, 1, 2, 0.5, false), false, 50);
	expect(ask(&test, 50, 1, 2, 0.5, false), true, 100);
	expect(ask(&test, 730, 0, 2, 0.5, false), true, 750);
	module_test_end(&test);
}

static void full_and_empty_have_no_edges_within_an_epoch(void **state)
{
	(void)state;
	struct module_test test;
	start(&test, "quantum=100m");
	expect(ask(&test, 0, 0, 1, 1, false), true, 100);
	expect(ask(&test, 100, 0, 1, 1, true), true, 200);
	expect(ask(&test, 200, 0, 1, 0, true), false, 300);
	module_test_end(&test);
}

/* A duty cycle that has grown meanwhile prolongs the run; by less than a millisecond it doesn't. */
static void a_run_may_be_prolonged(void **state)
{
	(void)state;
	struct module_test test;
	start(&test, "quantum=100m");
	expect(ask(&test, 0, 0, 1, 0.3, false), true, 30);
	expect(ask(&test, 30, 0, 1, 0.4, true), true, 40);
	expect(ask(&test, 40, 0, 1, 0.405, true), false, 100);
	module_test_end(&test);
}

/*
 * 1 % of 100 ms is 1 ms: the epoch is doubled three times, to 800 ms, for a run of 8 ms, and the stop is interrupted for a look each
 * 100. At 1.5 %, 12 ms are not too long yet (three times `least`); at 3 % they would be 24, and 200 ms will do.
 */
static void short_runs_make_long_epochs(void **state)
{
	(void)state;
	struct module_test test;
	start(&test, "quantum=100m,least=5m");
	expect(ask(&test, 0, 0, 1, 0.01, false), true, 8);
	expect(ask(&test, 8, 0, 1, 0.01, true), false, 100);
	expect(ask(&test, 200, 0, 1, 0.01, false), false, 300);
	expect(ask(&test, 730, 0, 1, 0.01, false), false, 800);
	expect(ask(&test, 800, 0, 1, 0.015, false), true, 812);
	expect(ask(&test, 1600, 0, 1, 0.03, false), true, 1606);
	module_test_end(&test);
}

/*
 * Sixteen of them keep 800 ms when the duty cycle of a moment is 3 %. When the mean of the last eight has been above 1.875 % for 187 ms, one
 * of them changes to 200, which holds for all from 3200 on: there epochs of both lengths begin, when all have been asked once more.
 */
static void many_change_the_epoch_slowly_and_at_the_same_time(void **state)
{
	(void)state;
	struct module_test test;
	struct module_test other;
	start(&test, "quantum=100m,least=5m");
	module_test_join(&other, &test, "quantum=100m,least=5m");
	expect(ask(&test, 0, 0, 16, 0.01, false), true, 8);
	ask(&other, 0, 8, 16, 0.01, false);
	expect(ask(&test, 1600, 0, 16, 0.01, false), true, 1608);
	expect(ask(&test, 1700, 0, 16, 0.03, false), false, 1800);
	for (int64_t i = 0; i < 40; i++)
		expect(ask(&test, 1701 + i, 0, 16, 0.03, false), false, 1800);
	expect(ask(&test, 1850, 0, 16, 0.03, false), false, 1900);
	expect(ask(&test, 1900, 0, 16, 0.03, false), false, 2000);
	expect(ask(&test, 2400, 0, 16, 0.03, false), true, 2424);
	/* The other one's run of the old epoch is at 2800; of the new ones, at 3300. */
	for (int64_t i = 0; i < 8; i++)
		expect(ask(&other, 2500 + i, 8, 16, 0.03, false), false, 2600);
	expect(ask(&other, 2800, 8, 16, 0.03, false), true, 2824);
	expect(ask(&other, 3101, 8, 16, 0.03, false), false, 3200);
	expect(ask(&test, 3150, 0, 16, 0.03, false), false, 3200);
	expect(ask(&test, 3200, 0, 16, 0.03, false), true, 3206);
	expect(ask(&other, 3200, 8, 16, 0.03, false), false, 3300);
	expect(ask(&other, 3300, 8, 16, 0.03, false), true, 3306);
	module_test_leave(&other);
	module_test_end(&test);
}

/* In the beginning the duty cycle is a guess, and eight or more that hold on to it could do much harm: ten of them ask again each 10 ms. */
static void many_look_often_in_the_beginning(void **state)
{
	(void)state;
	struct module_test test;
	struct module_test other;
	start(&test, "quantum=100m");
	expect(ask(&test, 0, 0, 10, 0.5, false), true, 10);
	expect(ask(&test, 10, 0, 10, 0.05, true), false, 20);
	expect(ask(&test, 20, 0, 10, 0.25, false), true, 25);
	expect(ask(&test, 295, 0, 10, 0.5, false), false, 300);
	expect(ask(&test, 300, 0, 10, 0.5, false), true, 350);
	start(&other, "quantum=100m");
	expect(ask(&other, 0, 0, 7, 0.5, false), true, 50);
	module_test_end(&other);
	module_test_end(&test);
}

/* A duty cycle that rises in a long epoch makes a run that would last for long: it is looked at as often as a stop. */
static void long_runs_are_looked_at(void **state)
{
	(void)state;
	struct module_test test;
	start(&test, "quantum=100m,least=5m");
	expect(ask(&test, 0, 0, 16, 0.01, false), true, 8);
	expect(ask(&test, 800, 0, 16, 0.01, true), true, 808);
	expect(ask(&test, 808, 0, 16, 0.5, true), true, 900);
	module_test_end(&test);
}

/* All together look once in 8 ms: 60 of them each 480 ms, which is 400 in epochs of 100 ms; each looks once a second, however many they are. */
static void many_look_less_often(void **state)
{
	(void)state;
	struct module_test test;
	start(&test, "quantum=100m,least=5m");
	expect(ask(&test, 0, 0, 60, 0.01, true), true, 8);
	expect(ask(&test, 808, 0, 60, 0.01, true), false, 1200);
	expect(ask(&test, 900, 0, 1000, 0.001, false), false, 1600);
	module_test_end(&test);
}

/*
 * The epoch grows from 100 to 200 ms, as another executor wants it, while place 1 of 4 keeps a stop of the old one: its run, now from 50 to 62 ms, has
 * been missed when it asks at 125, and is given at once. At 225 it is not missed, but done.
 */
static void a_run_that_a_change_of_the_epoch_skipped_is_given_at_once(void **state)
{
	(void)state;
	struct module_test test;
	struct module_test other;
	start(&test, "quantum=100m,least=5m");
	module_test_join(&other, &test, "quantum=100m,least=5m");
	expect(ask(&test, 25, 1, 4, 0.06, false), true, 31);
	expect(ask(&test, 31, 1, 4, 0.06, true), false, 125);
	expect(ask(&other, 50, 2, 4, 0.04, false), false, 100);
	expect(ask(&test, 125, 1, 4, 0.06, false), true, 137);
	expect(ask(&test, 137, 1, 4, 0.06, true), false, 150);
	expect(ask(&test, 225, 1, 4, 0.06, false), false, 250);
	module_test_leave(&other);
	module_test_end(&test);
}

/* From place 3 of 4 to place 0 of 3 within a stop: the new place's run began at 100 ms and is given when it is asked for. */
static void a_run_that_a_change_of_the_place_skipped_is_given_at_once(void **state)
{
	(void)state;
	struct module_test test;
	start(&test, "quantum=100m");
	expect(ask(&test, 85, 3, 4, 0.1, true), false, 175);
	expect(ask(&test, 175, 0, 3, 0.1, false), true, 185);
	expect(ask(&test, 185, 0, 3, 0.1, true), false, 200);
	module_test_end(&test);
}

static void executors_agree_on_the_epoch(void **state)
{
	(void)state;
	struct module_test first;
	struct module_test second;
	start(&first, "quantum=100m,least=5m");
	module_test_join(&second, &first, "quantum=100m,least=5m");
	/* 1 %: 8 ms of 800. 1.5 %: alone, 6 ms of 400 would do; agreed are 12 of 800. */
	expect(ask(&first, 0, 0, 1, 0.01, false), true, 8);
	expect(ask(&second, 0, 0, 1, 0.015, false), true, 12);
	module_test_leave(&second);
	module_test_end(&first);
}

/* Of eight workloads, whose edges take so long: the length of the epoch that they get. */
static void expect_length(struct module_test *test, unsigned live, int64_t edge_us, int64_t length_ms)
{
	const struct sst_dithering_input in = {.now_ns = ORIGIN,
		.due_ns = ORIGIN,
		.origin_ns = ORIGIN,
		.live = live,
		.duty = 0.5,
		.edge_ns = edge_us * NS_PER_US};
	struct sst_dithering_output out;
	start(test, "quantum=100m,least=0");
	test->module.dithering->next(test->module.state, &in, &out);
	assert_true(out.run);
	/* A run of half an epoch, cut into looks of 100 ms at most; the next question is no later than its end. */
	struct sst_dithering_input at = in;
	while (out.run) {
		at.now_ns = at.due_ns = out.until_ns;
		at.running = true;
		test->module.dithering->next(test->module.state, &at, &out);
	}
	assert_int_equal(at.now_ns, ORIGIN + length_ms * MS / 2);
	module_test_end(test);
}

static void dear_edges_of_many_make_long_epochs(void **state)
{
	(void)state;
	struct module_test test;
	expect_length(&test, 8, 0, 100);
	expect_length(&test, 8, 29, 100);
	expect_length(&test, 8, 31, 200);
	expect_length(&test, 8, 61, 400);
	/* No longer than that, however dear they are … */
	expect_length(&test, 8, 5000, 400);
	/* … nor where there are few. */
	expect_length(&test, 7, 5000, 100);
}

/* Answered 3 ms late, the run ends when it was to end. */
static void delays_do_not_add_up(void **state)
{
	(void)state;
	struct module_test test;
	start(&test, "quantum=100m");
	const struct sst_dithering_input late = {
		.now_ns = ORIGIN + 103 * MS, .due_ns = ORIGIN + 100 * MS, .origin_ns = ORIGIN, .live = 1, .duty = 0.5};
	struct sst_dithering_output out;
	test.module.dithering->next(test.module.state, &late, &out);
	expect(out, true, 150);
	module_test_end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_alternate),
		cmocka_unit_test(full_and_empty_have_no_edges_within_an_epoch),
		cmocka_unit_test(a_run_may_be_prolonged),
		cmocka_unit_test(short_runs_make_long_epochs),
		cmocka_unit_test(many_change_the_epoch_slowly_and_at_the_same_time),
		cmocka_unit_test(many_look_often_in_the_beginning),
		cmocka_unit_test(long_runs_are_looked_at),
		cmocka_unit_test(many_look_less_often),
		cmocka_unit_test(a_run_that_a_change_of_the_epoch_skipped_is_given_at_once),
		cmocka_unit_test(a_run_that_a_change_of_the_place_skipped_is_given_at_once),
		cmocka_unit_test(executors_agree_on_the_epoch),
		cmocka_unit_test(dear_edges_of_many_make_long_epochs),
		cmocka_unit_test(delays_do_not_add_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
