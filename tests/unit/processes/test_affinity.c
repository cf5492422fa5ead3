/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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

static bool has(const struct linux_mask *mask, size_t cpu)
{
	return CPU_ISSET_S(cpu, mask->size, mask->set);
}

/* Who may use all that there is may use what comes later, too; who may use one processor may use that alone. Looking changes neither. */
static void a_mask_of_all_is_one_without_bounds(void **state)
{
	(void)state;
	struct linux_mask mask = {0};
	struct sst_cpus *all = linux_affinity_get();
	assert_non_null(all);
	const struct sst_cpus one = {1, all->cpu};
	assert_int_equal(linux_affinity_set(0, &one), 0);
	assert_int_equal(linux_mask_take(&mask), 0);
	assert_true(has(&mask, all->cpu[0]));
	/* On a machine with one processor it is all. */
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		assert_int_equal(CPU_COUNT_S(mask.size, mask.set), 1);
	assert_true(linux_affinity_is(0, &one));
	linux_mask_free(&mask);
	const struct linux_mask most = {CPU_ALLOC(8 * sizeof(cpu_set_t)), sizeof(cpu_set_t)};
	assert_non_null(most.set);
	memset(most.set, 0xff, most.size);
	assert_int_equal(linux_mask_give(&most), 0);
	assert_int_equal(linux_mask_take(&mask), 0);
	assert_int_equal(CPU_COUNT_S(mask.size, mask.set), 8 * mask.size);
	linux_mask_free(&mask);
	CPU_FREE(most.set);
	assert_int_equal(linux_affinity_set(0, all), 0);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_set_is_found),
		cmocka_unit_test(what_cannot_be_had_is_refused),
		cmocka_unit_test(a_mask_is_compared_whole),
		cmocka_unit_test(a_mask_of_all_is_one_without_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
