/* SPDX-License-Identifier: MIT */
#include "base/log_columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(const char *name, const char *expected)
{
	char column[16];
	column_name(name, column, sizeof column);
	assert_string_equal(column, expected);
}

static void names(void **unused)
{
	(void)unused;
	expect("cycles", "cycles");
	expect("L1-dcache:u", "L1_dcache_u");
	expect("cpu/event=0xc0/", "cpu_event_0xc0");
	expect("--a--b--", "a_b");
	expect("haltpoll idle", "haltpoll_idle");
	expect("", "");
	expect("///", "");
	expect("a-name-that-is-too-long", "a_name_that_is");
	expect("123456789012345678", "123456789012345");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
