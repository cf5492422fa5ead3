/* SPDX-License-Identifier: MIT */
#include "record/recorder.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "fake_root.h"

#define ZONE "/sys/class/powercap/intel-rapl:0/"

static char root[PATH_MAX];

static int enter(void **state)
{
	(void)state;
	fake_root_make(root);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	fake_remove(root, "");
	return 0;
}

static void count(const char *microjoules)
{
	fake_file(root, ZONE "energy_uj", microjoules);
	clock_sleep_until(clock_now() + 2000000);
}

static bool is(double found, double expected)
{
	return fabs(found - expected) < 1e-9;
}

static void without_a_source_nothing_is_known(void **state)
{
	(void)state;
	struct energy energy = {0};
	char error[LINUX_POWER_ERROR_MAX] = "";
	energy_start(&energy);
	energy_poll(&energy);
	assert_true(isnan(energy_take(&energy, true)));
	assert_true(isnan(energy_sum(&energy)) && isnan(energy_mean_power(&energy)));
	assert_false(energy_open(&energy, root, error));
	assert_non_null(strstr(error, "powercap"));
	assert_true(isnan(energy_take(&energy, true)));
	assert_true(isnan(energy_sum(&energy)) && isnan(energy_mean_power(&energy)));
	energy_close(&energy);
}

static void what_counts_is_added_up(void **state)
{
	(void)state;
	struct energy energy;
	char error[LINUX_POWER_ERROR_MAX] = "";
	fake_file(root, ZONE "name", "package-0\n");
	fake_file(root, ZONE "max_energy_range_uj", "1000000000\n");
	count("0\n");
	assert_true(energy_open(&energy, root, error));
	assert_true(isnan(energy_sum(&energy)));
	count("1000000\n");
	energy_start(&energy); /* what was before doesn't count */
	count("3000000\n");
	assert_true(energy_take(&energy, false) > 0); /* the warm-up */
	assert_true(isnan(energy_mean_power(&energy)));
	count("3500000\n");
	energy_poll(&energy);
	count("4000000\n");
	assert_true(energy_take(&energy, true) > 0);
	assert_true(is(energy_sum(&energy), 1));
	count("6000000\n");
	energy_take(&energy, true);
	assert_true(is(energy_sum(&energy), 3));
	assert_true(energy.seconds > 0.004 && is(energy_mean_power(&energy), 3 / energy.seconds));
	/* With an interval that is unknown the sum is, too; the mean is that of the others. */
	count("");
	assert_true(isnan(energy_take(&energy, true)));
	assert_true(isnan(energy_sum(&energy)));
	assert_true(is(energy_mean_power(&energy), 3 / energy.seconds));
	energy_close(&energy);
	energy_close(&energy); /* twice does no harm */
}

/* What is missing of the warm-up is missed by nobody. */
static void a_gap_before_control_makes_nothing_incomplete(void **state)
{
	(void)state;
	struct energy energy;
	char error[LINUX_POWER_ERROR_MAX] = "";
	fake_file(root, ZONE "name", "package-0\n");
	fake_file(root, ZONE "max_energy_range_uj", "1000000000\n");
	count("5000000\n");
	assert_true(energy_open(&energy, root, error));
	energy_start(&energy);
	count("");
	assert_true(isnan(energy_take(&energy, false)));
	count("7000000\n");
	energy_take(&energy, false);
	count("7250000\n");
	assert_true(energy_take(&energy, true) > 0);
	count("9000000\n");
	assert_true(energy_take(&energy, true) > 0);
	assert_false(energy.incomplete);
	assert_true(is(energy_sum(&energy), 2));
	energy_close(&energy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_a_source_nothing_is_known, enter, leave),
		cmocka_unit_test_setup_teardown(what_counts_is_added_up, enter, leave),
		cmocka_unit_test_setup_teardown(a_gap_before_control_makes_nothing_incomplete, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
