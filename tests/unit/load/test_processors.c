/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "load/processors.h"

static void affinity_is_respected(void **state)
{
	(void)state;
	cpu_set_t before;
	cpu_set_t one;
	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	const unsigned usable = linux_processors_usable();
	assert_in_range(usable, 1, (unsigned)CPU_COUNT(&before));
	int first = 0;
	while (!CPU_ISSET(first, &before))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(linux_processors_usable(), 1);
	assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
	assert_int_equal(linux_processors_usable(), usable);
}

/* Quotas are tested in test_cgroup.c and, real ones, in cli/containers.sh. */
int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(affinity_is_respected)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
