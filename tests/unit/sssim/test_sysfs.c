/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "load/core_load.h"
#include "sssim/host.h"

static struct sim_machine machine;

static int begin(void **state)
{
	(void)state;
	const struct sim_machine_config config = {
		.processors = 8, .start_ns = NS_PER_S, .slice_ns = NS_PER_MS, .tick_ns = NS_PER_MS, .topology = {.threads = 2}};
	return sim_machine_init(&machine, &config);
}

static int end(void **state)
{
	(void)state;
	sim_machine_free(&machine);
	return 0;
}

static void siblings_are_listed(void **state)
{
	(void)state;
	char text[64];
	assert_int_equal(sim_sysfs_find(&machine, "/sys/devices/system/cpu/cpu5/topology/thread_siblings_list"), 5);
	assert_int_equal(sim_sysfs_print(&machine, 5, text, sizeof text), 4);
	assert_string_equal(text, "1,5\n");
}

static void other_files_are_not_there(void **state)
{
	(void)state;
	assert_int_equal(sim_sysfs_find(&machine, "/sys/devices/system/cpu/cpu8/topology/thread_siblings_list"), -1);
	assert_int_equal(sim_sysfs_find(&machine, "/sys/devices/system/cpu/cpu/topology/thread_siblings_list"), -1);
	assert_int_equal(sim_sysfs_find(&machine, "/sys/devices/system/cpu/cpu1/topology/core_id"), -1);
	assert_int_equal(sim_sysfs_find(&machine, "/proc/stat"), -1);
}

/* What modules find out through the host. */
static void modules_find_the_cores(void **state)
{
	(void)state;
	struct sim_host host = {.machine = &machine};
	struct host_env env;
	struct linux_stat_cpu processor[8] = {{0}};
	struct linux_cores cores;
	for (unsigned i = 0; i < 8; i++)
		processor[i].id = i;
	sim_env_init(&env, &host, 1, 1);
	assert_int_equal(linux_cores_read(&cores, &env.env, processor, 8), 0);
	assert_int_equal(cores.count, 4);
	assert_true(cores.are_shared);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(linux_cores_of(&cores, i), sim_topology_core(&machine.topology, i));
	linux_cores_free(&cores);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(siblings_are_listed, begin, end),
		cmocka_unit_test_setup_teardown(other_files_are_not_there, begin, end),
		cmocka_unit_test_setup_teardown(modules_find_the_cores, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
