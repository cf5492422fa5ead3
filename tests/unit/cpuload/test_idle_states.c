/* SPDX-License-Identifier: MIT */
#include "cpuload/idle_states.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "fake_root.h"

#define SECOND INT64_C(1000000000)

static void state(const char *root, unsigned cpu, unsigned number, const char *name, unsigned long time_us, unsigned long usage)
{
	char path[128], text[64];
	const char *const folder = "/sys/devices/system/cpu/cpu";
	snprintf(path, sizeof path, "%s%u/cpuidle/state%u/name", folder, cpu, number);
	snprintf(text, sizeof text, "%s\n", name);
	fake_file(root, path, text);
	snprintf(path, sizeof path, "%s%u/cpuidle/state%u/time", folder, cpu, number);
	snprintf(text, sizeof text, "%lu\n", time_us);
	fake_file(root, path, text);
	snprintf(path, sizeof path, "%s%u/cpuidle/state%u/usage", folder, cpu, number);
	snprintf(text, sizeof text, "%lu\n", usage);
	fake_file(root, path, text);
}

static void remove_processor(const char *root, unsigned cpu)
{
	char path[128];
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpuidle", cpu);
	fake_remove(root, path);
}

static void expect(const struct linux_idle_states *states, size_t index, double share, double entries)
{
	const struct linux_idle_growth growth = linux_idle_states_growth(states, index);
	if (isnan(share)) {
		assert_true(isnan(growth.share) && isnan(growth.entries));
		return;
	}
	assert_true(fabs(growth.share - share) < 1e-9);
	assert_true(fabs(growth.entries - entries) < 1e-9);
}

static void shares(void **unused)
{
	(void)unused;
	char root[PATH_MAX];
	const unsigned ids[] = {0, 3};
	fake_root_make(root);
	assert_null(linux_idle_states_open(root, ids, 2));
	assert_int_equal(errno, ENOENT);
	state(root, 0, 0, "POLL", 5, 1);
	state(root, 0, 1, "C1-SKL", 1000000, 100);
	state(root, 3, 0, "POLL", 7, 1);
	state(root, 3, 1, "C1-SKL", 2000000, 200);
	struct linux_idle_states *const states = linux_idle_states_open(root, ids, 2);
	assert_non_null(states);
	assert_int_equal(linux_idle_states_count(states), 2);
	assert_string_equal(linux_idle_states_name(states, 0), "POLL");
	assert_string_equal(linux_idle_states_name(states, 1), "C1-SKL");
	expect(states, 1, NAN, NAN);
	assert_int_equal(linux_idle_states_read(states, ids, 2, SECOND), 0);
	expect(states, 1, NAN, NAN);
	/* Of 2 × 2 s: 0.5 s and 1.5 s. */
	state(root, 0, 1, "C1-SKL", 1500000, 110);
	state(root, 3, 1, "C1-SKL", 3500000, 230);
	assert_int_equal(linux_idle_states_read(states, ids, 2, 3 * SECOND), 0);
	expect(states, 0, 0, 0);
	expect(states, 1, 0.5, 20);
	/* Two readings of one moment. */
	assert_int_equal(linux_idle_states_read(states, ids, 2, 3 * SECOND), 0);
	expect(states, 1, NAN, NAN);
	linux_idle_states_close(states);
	fake_remove(root, "");
}

/* A processor that goes, one that comes, and one that begins to count anew are left out until there are two readings of it. */
static void coming_and_going(void **unused)
{
	(void)unused;
	char root[PATH_MAX];
	const unsigned both[] = {0, 1}, second[] = {1};
	fake_root_make(root);
	state(root, 0, 0, "C1", 1000000, 10);
	state(root, 1, 0, "C1", 9000000, 90);
	struct linux_idle_states *const states = linux_idle_states_open(root, both, 2);
	assert_non_null(states);
	assert_int_equal(linux_idle_states_read(states, both, 2, 0), 0);
	remove_processor(root, 0);
	state(root, 1, 0, "C1", 9250000, 91);
	assert_int_equal(linux_idle_states_read(states, second, 1, SECOND), 0);
	expect(states, 0, 0.25, 1);
	/* It came back, with less than it had. */
	state(root, 0, 0, "C1", 500000, 5);
	state(root, 1, 0, "C1", 9500000, 92);
	assert_int_equal(linux_idle_states_read(states, both, 2, 2 * SECOND), 0);
	expect(states, 0, 0.25, 1);
	/* Gone and back between two readings. */
	state(root, 0, 0, "C1", 100, 1);
	state(root, 1, 0, "C1", 10000000, 95);
	assert_int_equal(linux_idle_states_read(states, both, 2, 3 * SECOND), 0);
	expect(states, 0, 0.5, 3);
	/* Online, but its states can't be read. */
	remove_processor(root, 0);
	remove_processor(root, 1);
	assert_int_equal(linux_idle_states_read(states, both, 2, 4 * SECOND), 0);
	expect(states, 0, NAN, NAN);
	assert_int_equal(linux_idle_states_read(states, NULL, 0, 5 * SECOND), 0);
	expect(states, 0, NAN, NAN);
	linux_idle_states_close(states);
	fake_remove(root, "");
}

/* Kinds of cores with lists of their own: a state is that of its name. */
static void kinds(void **unused)
{
	(void)unused;
	char root[PATH_MAX];
	const unsigned ids[] = {0, 1};
	fake_root_make(root);
	state(root, 0, 0, "POLL", 0, 0);
	state(root, 0, 1, "C6", 0, 0);
	state(root, 1, 0, "C1", 0, 0);
	state(root, 1, 1, "C6", 0, 0);
	struct linux_idle_states *const states = linux_idle_states_open(root, ids, 2);
	assert_non_null(states);
	assert_int_equal(linux_idle_states_count(states), 3);
	assert_string_equal(linux_idle_states_name(states, 2), "C1");
	assert_int_equal(linux_idle_states_read(states, ids, 2, 0), 0);
	state(root, 0, 1, "C6", 400000, 4);
	state(root, 1, 0, "C1", 300000, 3);
	state(root, 1, 1, "C6", 600000, 2);
	assert_int_equal(linux_idle_states_read(states, ids, 2, SECOND), 0);
	expect(states, 0, 0, 0);
	expect(states, 1, 0.5, 6);
	expect(states, 2, 0.3, 3);
	linux_idle_states_close(states);
	fake_remove(root, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares),
		cmocka_unit_test(coming_and_going),
		cmocka_unit_test(kinds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
