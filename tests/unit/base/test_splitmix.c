/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/splitmix.h"

/* As the reference implementation (prng.di.unimi.it/splitmix64.c) makes them. */
static void numbers_are_those_of_the_reference(void **state)
{
	(void)state;
	static const uint64_t expected[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423), UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
	uint64_t at = 1234567;
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		assert_true(splitmix_next(&at) == expected[i]);
	assert_true(splitmix_mix(1234567 + SPLITMIX_STEP) == expected[0]);
	assert_true(splitmix_mix(0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_those_of_the_reference)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
