/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cpus.h"
#include "processes/affinity.h"

static void what_is_set_is_found(void **state)
{
	(void)state;
	struct sst_cpus *all = linux_affinity_get();
	assert_non_null(all);
	assert_true(all->count > 0 && (long)all->count <= sysconf(_SC_NPROCESSORS_CONF));
	for (size_t i = 0; i < all->count; i++) {
		const struct sst_cpus one = {1, &all->cpu[i]};
		assert_int_equal(linux_affinity_set(0, &one), 0);
		assert_int_equal(sched_getcpu(), all->cpu[i]);
		struct sst_cpus *found = linux_affinity_get();
		assert_non_null(found);
		assert_int_equal(found->count, 1);
		assert_int_equal(found->cpu[0], all->cpu[i]);
		free(found);
	}
	assert_int_equal(linux_affinity_set(0, all), 0);
	struct sst_cpus *again = linux_affinity_get();
	assert_non_null(again);
	assert_int_equal(again->count, all->count);
	free(again);
	free(all);
}

static void what_cannot_be_had_is_refused(void **state)
{
	(void)state;
	const struct sst_cpus absent = {1, (const unsigned[]){CPUS_LIMIT - 1}};
	errno = 0;
	assert_int_equal(linux_affinity_set(0, &absent), -1);
	assert_int_equal(errno, EINVAL);
}

static void a_mask_is_compared_whole(void **state)
{
	(void)state;
	struct sst_cpus *all = linux_affinity_get();
	assert_non_null(all);
	assert_true(linux_affinity_is(0, all));
	const struct sst_cpus one = {1, all->cpu};
	const struct sst_cpus absent = {1, (const unsigned[]){CPUS_LIMIT - 1}};
	assert_int_equal(linux_affinity_is(0, &one), all->count == 1);
	assert_int_equal(linux_affinity_set(0, &one), 0);
	assert_true(linux_affinity_is(0, &one));
	assert_int_equal(linux_affinity_is(0, all), all->count == 1);
	assert_false(linux_affinity_is(0, &absent));
	/* Nor is it that of a thread that isn't there. */
	assert_false(linux_affinity_is(INT32_MAX, &one));
	assert_int_equal(linux_affinity_set(0, all), 0);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_set_is_found),
		cmocka_unit_test(what_cannot_be_had_is_refused),
		cmocka_unit_test(a_mask_is_compared_whole),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
