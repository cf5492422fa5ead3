/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/lease.h"

#define MS INT64_C(1000000)
#define LIMIT LEASE_LIMIT_NS

static struct lease lease;

static int clear(void **state)
{
	(void)state;
	atomic_store(&lease.claim, 0);
	return 0;
}

static void one_at_a_time(void **state)
{
	(void)state;
	const uint64_t claim = lease_take(&lease, 1, 1000 * MS, LIMIT);
	assert_true(claim != 0);
	assert_true(lease_take(&lease, 2, 1100 * MS, LIMIT) == 0);
	assert_true(lease_holds(&lease, claim));
	lease_give(&lease, claim);
	assert_false(lease_holds(&lease, claim));
	assert_true(lease_take(&lease, 2, 1100 * MS, LIMIT) != 0);
}

static void a_claim_lapses(void **state)
{
	(void)state;
	const uint64_t first = lease_take(&lease, 1, 1000 * MS, LIMIT);
	assert_true(lease_take(&lease, 2, 1250 * MS - 1000, LIMIT) == 0);
	assert_true(lease_holds(&lease, first));
	const uint64_t second = lease_take(&lease, 2, 1250 * MS, LIMIT);
	assert_true(second != 0);
	assert_true(lease_take(&lease, 3, 1251 * MS, LIMIT) == 0);
	/* The late one can't give back what isn't its own. */
	assert_false(lease_holds(&lease, first));
	lease_give(&lease, first);
	assert_true(lease_holds(&lease, second));
}

static void a_late_one_that_claims_again_has_another_claim(void **state)
{
	(void)state;
	const uint64_t first = lease_take(&lease, 1, 1000 * MS, LIMIT);
	const uint64_t again = lease_take(&lease, 1, 2000 * MS, LIMIT);
	assert_true(again != 0 && again != first);
	assert_false(lease_holds(&lease, first));
}

static void only_the_dead_lose_their_claim(void **state)
{
	(void)state;
	const uint64_t claim = lease_take(&lease, 5, 1000 * MS, LIMIT);
	lease_free(&lease, 4);
	assert_true(lease_holds(&lease, claim));
	lease_free(&lease, 5);
	assert_int_equal(atomic_load(&lease.claim), 0);
}

/* The clock of the one who asks was read before that of the holder. */
static void a_claim_from_the_future_is_fresh(void **state)
{
	(void)state;
	lease_take(&lease, 1, 1000 * MS, LIMIT);
	assert_true(lease_age_ns(atomic_load(&lease.claim), 999 * MS) == -MS);
	assert_true(lease_take(&lease, 2, 999 * MS, LIMIT) == 0);
}

static void the_time_wraps(void **state)
{
	(void)state;
	const int64_t wrap = (INT64_C(1) << LEASE_TIME_BITS) * 1000;
	for (int64_t from = wrap - 100 * MS; from < 300 * wrap; from += 99 * wrap) {
		atomic_store(&lease.claim, 0);
		assert_true(lease_take(&lease, 1, from, LIMIT) != 0);
		assert_true(lease_age_ns(atomic_load(&lease.claim), from + 200 * MS) == 200 * MS);
		assert_true(lease_take(&lease, 2, from + 200 * MS, LIMIT) == 0);
		assert_true(lease_take(&lease, 2, from + 251 * MS, LIMIT) != 0);
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
