/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/units.h"
#include "control/heartbeat.h"

#define STEP (100 * NS_PER_MS)
#define BEGIN (1000 * NS_PER_S)

static struct heartbeat *heart;
static struct heartbeat_watch watch;
static int64_t now;

static int enter(void **state)
{
	(void)state;
	heart = heartbeat_new();
	now = BEGIN;
	watch = (struct heartbeat_watch){.seen_ns = now};
	return heart ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	heartbeat_free(heart);
	return 0;
}

/* Looks every 100 ms for as long as it takes, at most so long; returns after how long it had stopped, or -1. */
static int64_t silent_for(int64_t most_ns)
{
	const int64_t begin = now;
	while (now - begin < most_ns) {
		now += STEP;
		if (heartbeat_has_stopped(&watch, heart, now))
			return now - begin;
	}
	return -1;
}

static void who_is_expected_by_nobody_may_be_silent(void **state)
{
	(void)state;
	assert_int_equal(silent_for(60 * NS_PER_S), -1);
	atomic_store(&heart->end_ns, now + 600 * NS_PER_S);
	assert_int_equal(silent_for(60 * NS_PER_S), -1);
}

static void who_was_asked_has_a_second(void **state)
{
	(void)state;
	assert_int_equal(silent_for(5 * NS_PER_S), -1);
	heartbeat_ask(&watch);
	assert_int_equal(silent_for(60 * NS_PER_S), NS_PER_S);
}

static void asking_again_gives_no_more_time(void **state)
{
	(void)state;
	heartbeat_ask(&watch);
	assert_int_equal(silent_for(800 * NS_PER_MS), -1);
	heartbeat_ask(&watch);
	assert_int_equal(silent_for(60 * NS_PER_S), 200 * NS_PER_MS);
}

static void beyond_the_end_there_are_three(void **state)
{
	(void)state;
	atomic_store(&heart->end_ns, now + 2 * NS_PER_S);
	assert_int_equal(silent_for(60 * NS_PER_S), 5 * NS_PER_S - STEP);
}

static void in_the_start_there_are_three(void **state)
{
	(void)state;
	atomic_store(&heart->starting, true);
	assert_int_equal(silent_for(60 * NS_PER_S), 3 * NS_PER_S);
}

static void who_beats_may_take_as_long_as_it_likes(void **state)
{
	(void)state;
	heartbeat_ask(&watch);
	atomic_store(&heart->end_ns, now);
	for (int i = 0; i < 1000; i++) {
		heartbeat_beat(heart);
		assert_int_equal(silent_for(900 * NS_PER_MS), -1);
	}
}

/* The whole machine, or all of a container, was frozen: one look comes late, and that is all. */
static void a_pause_of_all_is_no_silence(void **state)
{
	(void)state;
	heartbeat_ask(&watch);
	assert_int_equal(silent_for(500 * NS_PER_MS), -1);
	now += 3600 * NS_PER_S;
	assert_false(heartbeat_has_stopped(&watch, heart, now));
	heartbeat_forget(&watch, now);
	assert_int_equal(silent_for(900 * NS_PER_MS), -1);
}

static void looks_are_made_when_they_count(void **state)
{
	(void)state;
	assert_int_equal(heartbeat_next_look(&watch, heart, now), NS_PER_S);
	atomic_store(&heart->end_ns, now + 300 * NS_PER_MS);
	assert_int_equal(heartbeat_next_look(&watch, heart, now), 300 * NS_PER_MS);
	assert_int_equal(heartbeat_next_look(&watch, heart, now + NS_PER_S), STEP);
	atomic_store(&heart->end_ns, 0);
	heartbeat_ask(&watch);
	assert_int_equal(heartbeat_next_look(&watch, heart, now), STEP);
}

static void executors_wait_a_second_for_the_order(void **state)
{
	(void)state;
	assert_false(heartbeat_is_over(heart, now));
	atomic_store(&heart->end_ns, now);
	assert_false(heartbeat_is_over(heart, now + NS_PER_S - 1));
	assert_true(heartbeat_is_over(heart, now + NS_PER_S));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(who_is_expected_by_nobody_may_be_silent, enter, leave),
		cmocka_unit_test_setup_teardown(who_was_asked_has_a_second, enter, leave),
		cmocka_unit_test_setup_teardown(asking_again_gives_no_more_time, enter, leave),
		cmocka_unit_test_setup_teardown(beyond_the_end_there_are_three, enter, leave),
		cmocka_unit_test_setup_teardown(in_the_start_there_are_three, enter, leave),
		cmocka_unit_test_setup_teardown(who_beats_may_take_as_long_as_it_likes, enter, leave),
		cmocka_unit_test_setup_teardown(a_pause_of_all_is_no_silence, enter, leave),
		cmocka_unit_test_setup_teardown(looks_are_made_when_they_count, enter, leave),
		cmocka_unit_test_setup_teardown(executors_wait_a_second_for_the_order, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
