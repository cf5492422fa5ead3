/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/units.h"
#include "control/heartbeat.h"

#define WORKLOADS 12

static struct shared *shared;
static struct overdue overdue;

static int enter(void **state)
{
	(void)state;
	const size_t none[KINDS] = {0};
	shared = shared_create(WORKLOADS, none);
	if (!shared)
		return -1;
	for (unsigned i = 0; i < WORKLOADS; i++)
		shared_set_live(shared, i, true);
	overdue = (struct overdue){.shared = shared, .index = 2};
	return 0;
}

static int leave(void **state)
{
	(void)state;
	shared_destroy(shared);
	return 0;
}

static void who_sleeps_too_long_is_found_once(void **state)
{
	(void)state;
	overdue_sleep(&shared->slot[3], NS_PER_S);
	assert_null(overdue_find(&overdue, NS_PER_S + OVERDUE_NS));
	assert_ptr_equal(overdue_find(&overdue, NS_PER_S + OVERDUE_NS + 1), &shared->slot[3]);
	assert_null(overdue_find(&overdue, 2 * NS_PER_S));
	assert_true(overdue_wake(&shared->slot[3]));
	/* And again, the next time. */
	overdue_sleep(&shared->slot[3], 3 * NS_PER_S);
	assert_ptr_equal(overdue_find(&overdue, 4 * NS_PER_S), &shared->slot[3]);
}

static void who_is_awake_or_in_time_is_left_alone(void **state)
{
	(void)state;
	assert_null(overdue_find(&overdue, NS_PER_S)); /* nobody has slept yet */
	overdue_sleep(&shared->slot[3], NS_PER_S);
	assert_false(overdue_wake(&shared->slot[3]));
	assert_null(overdue_find(&overdue, 9 * NS_PER_S));
	overdue_sleep(&shared->slot[2], NS_PER_S);
	assert_null(overdue_find(&overdue, 9 * NS_PER_S)); /* itself */
}

static void the_next_live_ones_of_the_ring_are_watched(void **state)
{
	(void)state;
	overdue_sleep(&shared->slot[(2 + OVERDUE_WATCHED + 1) % WORKLOADS], NS_PER_S);
	assert_null(overdue_find(&overdue, 9 * NS_PER_S)); /* others watch it */
	shared_set_live(shared, 3, false);
	assert_ptr_equal(overdue_find(&overdue, 9 * NS_PER_S), &shared->slot[(2 + OVERDUE_WATCHED + 1) % WORKLOADS]);
	overdue_sleep(&shared->slot[3], NS_PER_S);
	assert_null(overdue_find(&overdue, 9 * NS_PER_S)); /* has left */
	overdue_sleep(&shared->slot[0], NS_PER_S);
	overdue.index = 11;
	overdue.placed = false;
	assert_ptr_equal(overdue_find(&overdue, 9 * NS_PER_S), &shared->slot[0]); /* round the end */
}

static void all_that_are_late_are_found(void **state)
{
	(void)state;
	for (unsigned i = 3; i < 6; i++)
		overdue_sleep(&shared->slot[i], NS_PER_S);
	for (unsigned i = 3; i < 6; i++)
		assert_ptr_equal(overdue_find(&overdue, 2 * NS_PER_S), &shared->slot[i]);
	assert_null(overdue_find(&overdue, 2 * NS_PER_S));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(who_sleeps_too_long_is_found_once, enter, leave),
		cmocka_unit_test_setup_teardown(who_is_awake_or_in_time_is_left_alone, enter, leave),
		cmocka_unit_test_setup_teardown(the_next_live_ones_of_the_ring_are_watched, enter, leave),
		cmocka_unit_test_setup_teardown(all_that_are_late_are_found, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
