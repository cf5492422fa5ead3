/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "ssrequest/response_times.h"

static struct response_times times;

static void nothing_is_no_number(void **state)
{
	(void)state;
	memset(&times, 0, sizeof times);
	assert_true(isnan(response_times_mean_s(&times)));
	assert_true(isnan(response_times_most_s(&times)));
	assert_true(isnan(response_times_quantile_s(&times, 0.5)));
}

static void ranks_are_exact_where_bins_are(void **state)
{
	(void)state;
	memset(&times, 0, sizeof times);
	for (int i = 1000; i >= 1; i--)
		response_times_add(&times, i);
	static const double share[] = {0, 0.0005, 0.001, 0.5, 0.9, 0.99, 0.999, 0.9991, 1};
	static const int rank[] = {1, 1, 1, 500, 900, 990, 999, 1000, 1000};
	for (size_t i = 0; i < sizeof share / sizeof *share; i++)
		assert_true(fabs(response_times_quantile_s(&times, share[i]) * 1e9 - rank[i]) < 1e-6);
	assert_true(fabs(response_times_mean_s(&times) * 1e9 - 500.5) < 1e-6);
	assert_true(fabs(response_times_most_s(&times) * 1e9 - 1000) < 1e-6);
}

/* Of single values of all sizes, and of many. */
static void all_is_within_a_thousandth(void **state)
{
	(void)state;
	uint64_t random = 3;
	for (int i = 0; i < 2000; i++) {
		const int64_t value = (int64_t)(splitmix_next(&random) >> (1 + i % 62));
		memset(&times, 0, sizeof times);
		/* Else least and most would be the answer. */
		response_times_add(&times, 0);
		response_times_add(&times, value);
		response_times_add(&times, INT64_MAX);
		const double found = response_times_quantile_s(&times, 0.5) * 1e9;
		assert_true(fabs(found - (double)value) <= 0.0005 * (double)value + 1e-6);
	}
	memset(&times, 0, sizeof times);
	for (int i = 0; i < 200000; i++)
		response_times_add(
			&times, (int64_t)(-1e6 * log(((double)(splitmix_next(&random) >> 11) + 0.5) / 9007199254740992.0)));
	assert_true(fabs(response_times_quantile_s(&times, 0.99) - 0.001 * log(100)) < 0.00015);
	assert_true(fabs(response_times_mean_s(&times) - 0.001) < 0.00001);
}

static void ends_are_exact(void **state)
{
	(void)state;
	memset(&times, 0, sizeof times);
	response_times_add(&times, 123456789);
	assert_true(fabs(response_times_quantile_s(&times, 0.999) - 0.123456789) < 1e-12);
	response_times_add(&times, -5);
	assert_true(response_times_quantile_s(&times, 0) == 0);
	assert_true(fabs(response_times_mean_s(&times) - 0.0617283945) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_no_number),
		cmocka_unit_test(ranks_are_exact_where_bins_are),
		cmocka_unit_test(all_is_within_a_thousandth),
		cmocka_unit_test(ends_are_exact),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
