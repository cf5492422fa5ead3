/* SPDX-License-Identifier: MIT */
#include "meters/frequency_policies.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_root.h"

#define FILE_OF(n) "/sys/devices/system/cpu/cpu" #n "/cpufreq/scaling_cur_freq"

static void mean(void **unused)
{
	(void)unused;
	char root[PATH_MAX];
	const unsigned id[] = {0, 1, 17};
	fake_root_make(root);
	assert_true(isnan(linux_frequency_mean(root, id, 3)));
	assert_true(isnan(linux_frequency_mean(root, id, 0)));
	fake_file(root, FILE_OF(0), "800000\n");
	fake_file(root, FILE_OF(17), "2600123\n");
	/* Processor 1 tells nothing. */
	assert_true(fabs(linux_frequency_mean(root, id, 3) - 1700.0615) < 1e-9);
	assert_true(fabs(linux_frequency_mean(root, id, 2) - 800) < 1e-9);
	fake_file(root, FILE_OF(0), "<unknown>\n");
	assert_true(fabs(linux_frequency_mean(root, id, 3) - 2600.123) < 1e-9);
	fake_remove(root, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
