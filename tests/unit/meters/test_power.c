/* SPDX-License-Identifier: MIT */
#include "meters/power.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "fake_root.h"

#define ZONES "/sys/class/powercap/"
#define CHIPS "/sys/class/hwmon/"

static void growth(void **unused)
{
	(void)unused;
	uint64_t grown = 99;
	assert_true(linux_power_growth(5, 5, 100, &grown));
	assert_int_equal(grown, 0);
	assert_true(linux_power_growth(5, 25, 100, &grown));
	assert_int_equal(grown, 20);
	/* Around: 90 … 100, 0 … 7. */
	assert_true(linux_power_growth(90, 7, 100, &grown));
	assert_int_equal(grown, 17);
	assert_true(linux_power_growth(262143328850, 1000, 262143328850, &grown));
	assert_int_equal(grown, 1000);
	grown = 99;
	assert_false(linux_power_growth(90, 7, 0, &grown));
	assert_false(linux_power_growth(101, 7, 100, &grown));
	assert_int_equal(grown, 99);
	assert_true(linux_power_growth(UINT64_MAX, 3, UINT64_MAX, &grown));
	assert_int_equal(grown, 3);
}

static void zone(const char *root, const char *zone, const char *name, const char *energy)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, ZONES "%s/name", zone);
	fake_file(root, path, name);
	snprintf(path, sizeof path, ZONES "%s/max_energy_range_uj", zone);
	fake_file(root, path, "1000000000\n");
	snprintf(path, sizeof path, ZONES "%s/energy_uj", zone);
	fake_file(root, path, energy);
}

static void set_energy(const char *root, const char *zone, const char *energy)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, ZONES "%s/energy_uj", zone);
	fake_file(root, path, energy);
}

/* A moment between these two. */
struct moment {
	int64_t least, most;
};

/* The power, times the time that has passed at least and at most, must be the energy. Returns when that was read. */
static struct moment assert_joules(struct linux_power *power, double joules, struct moment from)
{
	struct moment until;
	until.least = clock_now();
	const double watts = linux_power_watts(power);
	until.most = clock_now();
	assert_true(watts * (double)(until.least - from.most) / 1e9 <= joules * (1 + 1e-9));
	assert_true(watts * (double)(until.most - from.least) / 1e9 >= joules * (1 - 1e-9));
	return until;
}

static void wait_a_little(void)
{
	clock_sleep_until(clock_now() + 5000000);
}

static void expect_zones(const char *root, const char *const *expected)
{
	char error[LINUX_POWER_ERROR_MAX] = "";
	struct linux_power_zone *zones;
	const size_t count = linux_power_zones_open(root, &zones, error);
	for (size_t i = 0; i < count; i++) {
		assert_non_null(expected[i]);
		assert_string_equal(zones[i].name, expected[i]);
	}
	assert_null(expected[count]);
	linux_power_zones_close(zones, count);
}
#define EXPECT_ZONES(root, ...) expect_zones(root, (const char *const[]){__VA_ARGS__, NULL})

static void zones(void **state)
{
	const char *const root = *state;
	char error[LINUX_POWER_ERROR_MAX] = "";
	struct linux_power_zone *found;
	assert_int_equal(linux_power_zones_open(root, &found, error), 0);
	assert_non_null(strstr(error, "there is no"));
	zone(root, "intel-rapl:0", "package-0\n", "5000000\n");
	zone(root, "intel-rapl:0:0", "core\n", "1\n");
	zone(root, "intel-rapl:0:1", "dram\n", "1000000\n");
	zone(root, "intel-rapl:1", "psys\n", "1\n");
	zone(root, "intel-rapl-mmio:0", "package-0\n", "5000000\n");
	fake_file(root, ZONES "intel-rapl/enabled", "1\n");
	EXPECT_ZONES(root, "package-0", "psys", "core", "dram");
	assert_int_equal(linux_power_zones_open(root, &found, error), 4);
	wait_a_little();
	set_energy(root, "intel-rapl:0", "7000000\n");   /* 2 J */
	set_energy(root, "intel-rapl:0:1", "1500000\n"); /* 0.5 J */
	const double package = linux_power_watts(found[0].power);
	const double dram = linux_power_watts(found[3].power);
	assert_true(package > 0 && package <= 2 / 0.005 * 1.001 && dram > 0 && dram <= 0.5 / 0.005 * 1.001);
	assert_true(linux_power_watts(found[2].power) == 0);
	linux_power_zones_close(found, 4);
	/* Of two packages, each has its own parts. */
	zone(root, "intel-rapl:2", "package-1\n", "1\n");
	zone(root, "intel-rapl:2:0", "dram\n", "1\n");
	EXPECT_ZONES(root, "package-0", "psys", "package-1", "core-0", "dram-0", "dram-1");
	/* One that can't be read is left out. */
	set_energy(root, "intel-rapl:2", "");
	EXPECT_ZONES(root, "package-0", "psys", "core-0", "dram-0", "dram-1");
}

static void packages(void **state)
{
	const char *const root = *state;
	char error[LINUX_POWER_ERROR_MAX] = "";
	/* Two packages; parts of them, the platform and the second interface must not be added. */
	zone(root, "intel-rapl:0", "package-0\n", "5000000\n");
	zone(root, "intel-rapl:0:0", "core\n", "1\n");
	zone(root, "intel-rapl:1", "package-1\n", "999000000\n");
	zone(root, "intel-rapl:2", "psys\n", "1\n");
	zone(root, "intel-rapl-mmio:0", "package-0\n", "5000000\n");
	fake_file(root, ZONES "intel-rapl/enabled", "1\n");
	struct moment from;
	from.least = clock_now();
	struct linux_power *const power = linux_power_open(root, NULL, error);
	from.most = clock_now();
	assert_non_null(power);
	wait_a_little();
	set_energy(root, "intel-rapl:0", "7000000\n"); /* 2 J */
	set_energy(root, "intel-rapl:1", "500000\n");  /* 1.5 J, around */
	set_energy(root, "intel-rapl-mmio:0", "7000000\n");
	set_energy(root, "intel-rapl:0:0", "900000\n");
	from = assert_joules(power, 3.5, from);

	/* Around twice between two calls, found by polling. */
	set_energy(root, "intel-rapl:1", "900000000\n"); /* 899.5 J */
	linux_power_poll(power);
	set_energy(root, "intel-rapl:1", "100000000\n"); /* 200 J */
	linux_power_poll(power);
	set_energy(root, "intel-rapl:1", "50000000\n"); /* 950 J */
	wait_a_little();
	assert_joules(power, 899.5 + 200 + 950, from);

	/* A counter that can't be read makes one interval unknown, not the next. */
	set_energy(root, "intel-rapl:0", "");
	wait_a_little();
	assert_true(isnan(linux_power_watts(power)));
	set_energy(root, "intel-rapl:0", "7000000\n");
	wait_a_little();
	assert_true(linux_power_watts(power) == 0);
	linux_power_close(power);
}

static void platform(void **state)
{
	const char *const root = *state;
	char error[LINUX_POWER_ERROR_MAX] = "";
	zone(root, "intel-rapl:1", "psys\n", "10\n");
	struct linux_power *const power = linux_power_open(root, "rapl", error);
	assert_non_null(power);
	set_energy(root, "intel-rapl:1", "1000010\n");
	wait_a_little();
	assert_true(linux_power_watts(power) > 0);
	linux_power_close(power);
}

static void unavailable(void **state)
{
	const char *const root = *state;
	char error[LINUX_POWER_ERROR_MAX] = "";
	assert_null(linux_power_open(root, NULL, error));
	assert_non_null(strstr(error, "there is no "));
	assert_non_null(strstr(error, "hwmon"));
	assert_null(linux_power_open(root, "rapl", error));
	assert_null(strstr(error, "hwmon"));
	assert_null(linux_power_open(root, "chip", error));
	assert_non_null(strstr(error, "'chip'"));
	fake_file(root, ZONES "dtpm/enabled", "1\n");
	assert_null(linux_power_open(root, "rapl", error));
	assert_non_null(strstr(error, "no package"));
	/* A package that can't be read is told by its file. */
	zone(root, "intel-rapl:0", "package-0\n", "");
	assert_null(linux_power_open(root, "rapl", error));
	assert_non_null(strstr(error, "intel-rapl:0/energy_uj"));
	/* Batteries and graphics cards are not asked. */
	fake_file(root, CHIPS "hwmon0/name", "amdgpu\n");
	fake_file(root, CHIPS "hwmon0/power1_average", "15000000\n");
	assert_null(linux_power_open(root, NULL, error));
	fake_file(root, CHIPS "hwmon1/name", "power_meter\n");
	assert_null(linux_power_open(root, "power_meter", error));
	assert_non_null(strstr(error, "no power sensor"));
}

static void sensors(void **state)
{
	const char *const root = *state;
	char error[LINUX_POWER_ERROR_MAX] = "";
	fake_file(root, CHIPS "hwmon0/name", "amdgpu\n");
	fake_file(root, CHIPS "hwmon0/power1_average", "15000000\n");
	fake_file(root, CHIPS "hwmon1/name", "zenpower\n");
	fake_file(root, CHIPS "hwmon1/power1_input", "40000000\n");
	fake_file(root, CHIPS "hwmon1/power1_label", "SVI2_P_Core\n");
	fake_file(root, CHIPS "hwmon1/power2_input", "2500000\n");
	fake_file(root, CHIPS "hwmon1/power1_crit", "99000000\n");
	struct linux_power *power = linux_power_open(root, NULL, error);
	assert_non_null(power);
	assert_true(fabs(linux_power_watts(power) - 42.5) < 1e-9);
	linux_power_poll(power);
	fake_file(root, CHIPS "hwmon1/power2_input", "500000\n");
	assert_true(fabs(linux_power_watts(power) - 40.5) < 1e-9);
	fake_file(root, CHIPS "hwmon1/power2_input", "");
	assert_true(isnan(linux_power_watts(power)));
	linux_power_close(power);
	/* Any chip, where it is asked for. */
	power = linux_power_open(root, "amdgpu", error);
	assert_non_null(power);
	assert_true(fabs(linux_power_watts(power) - 15) < 1e-9);
	linux_power_close(power);
}

static void sockets(void **state)
{
	const char *const root = *state;
	char error[LINUX_POWER_ERROR_MAX] = "";
	fake_file(root, CHIPS "hwmon3/name", "amd_energy\n");
	fake_file(root, CHIPS "hwmon3/energy1_input", "1000\n");
	fake_file(root, CHIPS "hwmon3/energy1_label", "Ecore000\n");
	fake_file(root, CHIPS "hwmon3/energy2_input", "5000000\n");
	fake_file(root, CHIPS "hwmon3/energy2_label", "Esocket0\n");
	struct moment from;
	from.least = clock_now();
	struct linux_power *const power = linux_power_open(root, NULL, error);
	from.most = clock_now();
	assert_non_null(power);
	fake_file(root, CHIPS "hwmon3/energy1_input", "1001000\n");
	fake_file(root, CHIPS "hwmon3/energy2_input", "9000000\n");
	wait_a_little();
	assert_joules(power, 4, from);
	linux_power_close(power);
}

static void energy_of_counters(void **state)
{
	const char *const root = *state;
	char error[LINUX_POWER_ERROR_MAX] = "";
	double seconds = -1;
	zone(root, "intel-rapl:0", "package-0\n", "999000000\n");
	zone(root, "intel-rapl:1", "package-1\n", "5000000\n");
	const int64_t before_ns = clock_now();
	struct linux_power *const power = linux_power_open(root, NULL, error);
	assert_non_null(power);
	wait_a_little();
	set_energy(root, "intel-rapl:0", "500000\n"); /* 1.5 J, around */
	set_energy(root, "intel-rapl:1", "6000000\n");
	assert_true(fabs(linux_power_joules(power, &seconds) - 2.5) < 1e-9);
	assert_true(seconds >= 0.005 && seconds <= (double)(clock_now() - before_ns) / 1e9);
	/* One that can't be read makes one interval unknown. */
	set_energy(root, "intel-rapl:0", "");
	assert_true(isnan(linux_power_joules(power, &seconds)));
	set_energy(root, "intel-rapl:0", "500000\n");
	wait_a_little();
	assert_true(linux_power_joules(power, &seconds) == 0);
	linux_power_close(power);
}

static void energy_of_sensors(void **state)
{
	const char *const root = *state;
	char error[LINUX_POWER_ERROR_MAX] = "";
	double seconds;
	fake_file(root, CHIPS "hwmon0/name", "zenpower\n");
	fake_file(root, CHIPS "hwmon0/power1_input", "40000000\n");
	struct linux_power *const power = linux_power_open(root, NULL, error);
	assert_non_null(power);
	wait_a_little();
	double joules = linux_power_joules(power, &seconds);
	assert_true(seconds >= 0.005 && fabs(joules / seconds - 40) < 1e-6);
	/* From 40 to 20 W on a straight line, then 20. */
	fake_file(root, CHIPS "hwmon0/power1_input", "20000000\n");
	wait_a_little();
	joules = linux_power_joules(power, &seconds);
	assert_true(fabs(joules / seconds - 30) < 1e-6);
	wait_a_little();
	linux_power_poll(power);
	wait_a_little();
	joules = linux_power_joules(power, &seconds);
	assert_true(seconds >= 0.01 && fabs(joules / seconds - 20) < 1e-6);
	fake_file(root, CHIPS "hwmon0/power1_input", "");
	wait_a_little();
	assert_true(isnan(linux_power_joules(power, &seconds)));
	fake_file(root, CHIPS "hwmon0/power1_input", "20000000\n");
	wait_a_little();
	assert_true(isnan(linux_power_joules(power, &seconds))); /* its beginning is unknown */
	wait_a_little();
	assert_false(isnan(linux_power_joules(power, &seconds)));
	linux_power_close(power);
}

static int set_up(void **state)
{
	static char root[PATH_MAX];
	fake_root_make(root);
	*state = root;
	return 0;
}

static int tear_down(void **state)
{
	fake_remove(*state, "");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(growth),
		cmocka_unit_test_setup_teardown(packages, set_up, tear_down),
		cmocka_unit_test_setup_teardown(zones, set_up, tear_down),
		cmocka_unit_test_setup_teardown(platform, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unavailable, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sensors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(energy_of_counters, set_up, tear_down),
		cmocka_unit_test_setup_teardown(energy_of_sensors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sockets, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
