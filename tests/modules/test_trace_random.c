/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "module_test.h"

static struct module_test test;

static double target(int64_t since_ns)
{
	return test.module.trace->target(test.module.state, since_ns);
}

/* Worked out from the definition by an implementation in another language, whose mixer gave SplitMix64's published numbers. */
static const double of_seed_42[] = {0.34329192209867343, 0.9557467261317436, 0.48634953628166855, 0.06735789320333596};

static void a_seed_means_the_same_for_ever(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "random", "42,hold=2s");
	for (int i = 0; i < 4; i++) {
		assert_near(target(i * 2 * NS_PER_S), of_seed_42[i], 0);
		assert_near(target((i + 1) * 2 * NS_PER_S - 1), of_seed_42[i], 0);
	}
	assert_near(target(0), of_seed_42[0], 0);
	assert_null(test.module.trace->length);
	module_test_end(&test);
	module_test_start(&test, SST_TRACE, "random", "9223372036854775807");
	assert_near(target(30 * NS_PER_S), 0.027741299772987005, 0);
	module_test_end(&test);
}

static void can_go_in_straight_lines(void **state)
{
	(void)state;
	module_test_start(&test, SST_TRACE, "random", "seed=42,hold=4s,interpolate=linear");
	assert_near(target(0), of_seed_42[0], 0);
	assert_near(target(1 * NS_PER_S), 0.75 * of_seed_42[0] + 0.25 * of_seed_42[1], 1e-12);
	assert_near(target(2 * NS_PER_S), (of_seed_42[0] + of_seed_42[1]) / 2, 1e-12);
	assert_near(target(4 * NS_PER_S), of_seed_42[1], 0);
	module_test_end(&test);
}

static void stays_in_its_range(void **state)
{
	(void)state;
	double least = 1;
	double most = 0;
	double sum = 0;
	module_test_start(&test, SST_TRACE, "random", "seed=7,min=20%,max=60%,hold=1s");
	for (int64_t s = 0; s < 10000; s++) {
		const double load = target(s * NS_PER_S);
		least = fmin(least, load);
		most = fmax(most, load);
		sum += load;
	}
	assert_true(least >= 0.2 && least < 0.201);
	assert_true(most <= 0.6 && most > 0.599);
	/* The mean of 10,000 uniform numbers is within 5 of its standard deviations (0.4/√12/100) of the middle. */
	assert_near(sum / 10000, 0.4, 5 * 0.00115);
	module_test_end(&test);
	module_test_start(&test, SST_TRACE, "random", "seed=7,min=1/2,max=1/2");
	assert_near(target(INT64_MAX), 0.5, 0);
	module_test_end(&test);
	module_test_start(&test, SST_TRACE, "random", "seed=0,interpolate=linear,hold=1m");
	assert_true(target(INT64_MAX) >= 0);
	module_test_end(&test);
}

static void picks_and_records_a_seed(void **state)
{
	(void)state;
	char recorded[1024];
	double load[2];
	assert_null(module_test_open(&test, SST_TRACE, "random", "hold=1s"));
	test.env.entropy = UINT64_C(0x8000000000000005); /* the top bit would make it negative */
	assert_null(module_test_prepare(&test));
	strcpy(recorded, module_test_options(&test));
	assert_non_null(strstr(recorded, "seed=5,"));
	load[0] = target(0);
	load[1] = target(17 * NS_PER_S);
	module_test_end(&test);

	module_test_start(&test, SST_TRACE, "random", recorded);
	assert_near(target(0), load[0], 0);
	assert_near(target(17 * NS_PER_S), load[1], 0);
	module_test_end(&test);

	assert_null(module_test_open(&test, SST_TRACE, "random", NULL));
	test.env.entropy = 6;
	assert_null(module_test_prepare(&test));
	assert_true(target(0) != load[0]);
	module_test_end(&test);
}

static void a_seed_that_is_given_stays(void **state)
{
	(void)state;
	assert_null(module_test_open(&test, SST_TRACE, "random", "0"));
	test.env.entropy = 12345;
	assert_null(module_test_prepare(&test));
	assert_non_null(strstr(module_test_options(&test), "seed=0,"));
	assert_near(target(0), 0.6524484863740322, 0);
	module_test_end(&test);
}

static void refuses_what_makes_no_range(void **state)
{
	(void)state;
	const char *refused = module_test_load(&test, SST_TRACE, "random", "min=80%,max=20%");
	assert_non_null(refused);
	assert_non_null(strstr(refused, "min=0.8 above max=0.2"));
	assert_non_null(module_test_load(&test, SST_TRACE, "random", "seed=-1"));
	assert_non_null(module_test_load(&test, SST_TRACE, "random", "hold=0"));
	assert_non_null(module_test_load(&test, SST_TRACE, "random", "interpolate=cubic"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_seed_means_the_same_for_ever),
		cmocka_unit_test(can_go_in_straight_lines),
		cmocka_unit_test(stays_in_its_range),
		cmocka_unit_test(picks_and_records_a_seed),
		cmocka_unit_test(a_seed_that_is_given_stays),
		cmocka_unit_test(refuses_what_makes_no_range),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
