/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/relay.h"

#define MS INT64_C(1000000)
#define LIMIT RELAY_LIMIT_NS

static struct relay relay;

static int clear(void **state)
{
	(void)state;
	atomic_store(&relay.claim, 0);
	return 0;
}

static void one_at_a_time(void **state)
{
	(void)state;
	const uint64_t claim = relay_take(&relay, 1, 1000 * MS, LIMIT);
	assert_true(claim != 0);
	assert_true(relay_take(&relay, 2, 1100 * MS, LIMIT) == 0);
	assert_true(relay_holds(&relay, claim));
	relay_give(&relay, claim);
	assert_false(relay_holds(&relay, claim));
	assert_true(relay_take(&relay, 2, 1100 * MS, LIMIT) != 0);
}

static void a_claim_lapses(void **state)
{
	(void)state;
	const uint64_t first = relay_take(&relay, 1, 1000 * MS, LIMIT);
	assert_true(relay_take(&relay, 2, 1250 * MS - 1000, LIMIT) == 0);
	assert_true(relay_holds(&relay, first));
	const uint64_t second = relay_take(&relay, 2, 1250 * MS, LIMIT);
	assert_true(second != 0);
	assert_true(relay_take(&relay, 3, 1251 * MS, LIMIT) == 0);
	/* The late one can't give back what isn't its own. */
	assert_false(relay_holds(&relay, first));
	relay_give(&relay, first);
	assert_true(relay_holds(&relay, second));
}

static void a_late_one_that_claims_again_has_another_claim(void **state)
{
	(void)state;
	const uint64_t first = relay_take(&relay, 1, 1000 * MS, LIMIT);
	const uint64_t again = relay_take(&relay, 1, 2000 * MS, LIMIT);
	assert_true(again != 0 && again != first);
	assert_false(relay_holds(&relay, first));
}

static void only_the_dead_lose_their_claim(void **state)
{
	(void)state;
	const uint64_t claim = relay_take(&relay, 5, 1000 * MS, LIMIT);
	relay_free(&relay, 4);
	assert_true(relay_holds(&relay, claim));
	relay_free(&relay, 5);
	assert_int_equal(atomic_load(&relay.claim), 0);
}

/* The clock of the one who asks was read before that of the holder. */
static void a_claim_from_the_future_is_fresh(void **state)
{
	(void)state;
	relay_take(&relay, 1, 1000 * MS, LIMIT);
	assert_true(relay_age_ns(atomic_load(&relay.claim), 999 * MS) == -MS);
	assert_true(relay_take(&relay, 2, 999 * MS, LIMIT) == 0);
}

static void the_time_wraps(void **state)
{
	(void)state;
	const int64_t wrap = (INT64_C(1) << RELAY_TIME_BITS) * 1000;
	for (int64_t from = wrap - 100 * MS; from < 300 * wrap; from += 99 * wrap) {
		atomic_store(&relay.claim, 0);
		assert_true(relay_take(&relay, 1, from, LIMIT) != 0);
		assert_true(relay_age_ns(atomic_load(&relay.claim), from + 200 * MS) == 200 * MS);
		assert_true(relay_take(&relay, 2, from + 200 * MS, LIMIT) == 0);
		assert_true(relay_take(&relay, 2, from + 251 * MS, LIMIT) != 0);
	}
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup(function, clear)
	const struct CMUnitTest tests[] = {
		TEST(one_at_a_time),
		TEST(a_claim_lapses),
		TEST(a_late_one_that_claims_again_has_another_claim),
		TEST(only_the_dead_lose_their_claim),
		TEST(a_claim_from_the_future_is_fresh),
		TEST(the_time_wraps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
