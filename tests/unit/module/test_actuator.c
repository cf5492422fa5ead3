/* SPDX-License-Identifier: MIT */
/* Actuators: chosen and set as modules are; bandwidths worked out by hand, and those at the edge of what the kernel takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "module/module.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct module module;
static char error[MODULE_ERROR_MAX];

static const struct actuator_settings *load(const char *name, const char *options)
{
	if (module_load(&module, KIND_ACTUATOR, name, options, error) != 0)
		fail_msg("%s", error);
	return module.state;
}

static void expect(double duty, double width, int64_t quota_us, int64_t period_ms)
{
	const struct bandwidth limit = actuator_limit(module.state, duty, width);
	assert_int_equal((limit.quota_ns + 1) / NS_PER_US, quota_us);
	assert_int_equal(limit.period_ns, period_ms * NS_PER_MS);
}

static void a_name_chooses_one(void **state)
{
	(void)state;
	static const char *const names[ACTUATORS] = {"signals", "freezer", "quota"};
	for (int i = 0; i < ACTUATORS; i++) {
		load(names[i], NULL);
		assert_int_equal(actuator_of(module.base), i);
		assert_string_equal(module.base->name, names[i]);
		assert_null(module.path);
		module_unload(&module);
	}
}

static void refuse(const char *name, const char *options, const char *expected)
{
	assert_int_equal(module_load(&module, KIND_ACTUATOR, name, options, error), -1);
	assert_null(module.state);
	if (!strstr(error, expected))
		fail_msg("'%s', expected '%s'", error, expected);
}

static void files_and_wrong_options_are_refused(void **state)
{
	(void)state;
	static const char none[] =
		"': expected signals, freezer or quota: actuators are built in, and none is loaded from a file";
	refuse("", NULL, none);
	refuse("signal", NULL, none);
	refuse(SHOWSTOPPER_BUILD "/modules/space/even.so", NULL, none);
	refuse("signals", "version=1", "unknown option 'version': there are no options");
	refuse("freezer", "period=20m", "unknown option 'period': ");
	refuse("quota", "interval=0", "option 'interval': '0' is out of range");
}

static void add(const char *name, void *context)
{
	strcat(context, name);
	strcat(context, " ");
}

static void they_are_listed_in_order(void **state)
{
	(void)state;
	char list[64] = "";
	assert_int_equal(module_list(KIND_ACTUATOR, add, list), 0);
	assert_string_equal(list, "freezer quota signals ");
}

static void a_duty_cycle_is_a_share_of_the_width(void **state)
{
	(void)state;
	load("quota", "20m");
	expect(0.5, 1, 10000, 20);
	expect(0.5, 8, 80000, 20);
	expect(0.25, 1.5, 7500, 20);
	expect(1, 2, 0, 20);
	module_unload(&module);
}

/* The kernel takes no quota below 1 ms and no period above 1 s. */
static void small_shares_have_long_periods(void **state)
{
	(void)state;
	load("quota", "20m");
	expect(0.05, 1, 1000, 20);
	expect(0.04, 1, 1600, 40);
	expect(0.0011, 1, 1100, 1000);
	expect(0.0001, 1, 1000, 1000);
	expect(0, 1, 1000, 1000);
	module_unload(&module);
}

static void options_count(void **state)
{
	(void)state;
	const struct actuator_settings *settings = load("quota", "period=100m,interval=1s,version=1");
	expect(0.5, 1, 50000, 100);
	assert_int_equal(settings->interval_ns, NS_PER_S);
	assert_int_equal(settings->version, 1);
	module_unload(&module);
	settings = load("freezer", NULL);
	assert_int_equal(settings->version, 0);
	module_unload(&module);
}

/* What the kernel takes, and no less than what was asked for, but for its unit. */
static void the_kernel_takes_every_limit(void **state)
{
	(void)state;
	static const double duties[] = {0, 1e-300, 1e-6, 0.02, 1.0 / 3, 0.5, 0.9999, 1};
	static const double widths[] = {1e-3, 1, 1.5, 128, 4096};
	load("quota", NULL);
	for (size_t i = 0; i < COUNT(duties); i++)
		for (size_t j = 0; j < COUNT(widths); j++) {
			const struct bandwidth limit = actuator_limit(module.state, duties[i], widths[j]);
			const double share = (double)limit.quota_ns / (double)limit.period_ns;
			assert_in_range(limit.period_ns, NS_PER_MS, NS_PER_S);
			assert_int_equal(limit.quota_ns == 0, duties[i] >= 1);
			if (limit.quota_ns == 0)
				continue;
			assert_true(limit.quota_ns >= NS_PER_MS);
			assert_true(share >= duties[i] * widths[j] * (1 - 1e-5));
			assert_true(share <= duties[i] * widths[j] * (1 + 1e-5) || limit.quota_ns == NS_PER_MS);
		}
	module_unload(&module);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_chooses_one),
		cmocka_unit_test(files_and_wrong_options_are_refused),
		cmocka_unit_test(they_are_listed_in_order),
		cmocka_unit_test(a_duty_cycle_is_a_share_of_the_width),
		cmocka_unit_test(small_shares_have_long_periods),
		cmocka_unit_test(options_count),
		cmocka_unit_test(the_kernel_takes_every_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
