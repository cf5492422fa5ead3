/* SPDX-License-Identifier: MIT */
/* Which workload is what: those of groups are started and come first, attached ones stand behind them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "control/run.h"

static void attached_ones_come_last(void **state)
{
	(void)state;
	static struct attached attached[2];
	const struct config config = {.workloads = 5, .attaches = 2};
	struct run run = {.config = &config, .attached = attached};
	for (unsigned i = 0; i < 3; i++)
		assert_null(run_attached(&run, i));
	assert_ptr_equal(run_attached(&run, 3), &attached[0]);
	assert_ptr_equal(run_attached(&run, 4), &attached[1]);
	/* Before they have been opened. */
	run.attached = NULL;
	for (unsigned i = 0; i < 5; i++)
		assert_null(run_attached(&run, i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attached_ones_come_last),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
