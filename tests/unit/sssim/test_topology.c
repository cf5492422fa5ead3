/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sssim/topology.h"

static struct sim_topology topology;

static int begin(unsigned processors, unsigned sockets, unsigned threads, double speed)
{
	const struct sim_topology_config config = {.sockets = sockets, .threads = threads, .speed = speed};
	return sim_topology_init(&topology, &config, processors, 1000);
}

static int end(void **state)
{
	(void)state;
	sim_topology_free(&topology);
	return 0;
}

static void the_first_processors_have_cores_of_their_own(void **state)
{
	(void)state;
	static const unsigned core[] = {0, 1, 2, 3, 0, 1, 2, 3};
	static const unsigned socket[] = {0, 0, 1, 1, 0, 0, 1, 1};
	assert_int_equal(begin(8, 2, 2, 0.6), 0);
	assert_int_equal(topology.cores, 4);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(sim_topology_core(&topology, i), core[i]);
		assert_int_equal(sim_topology_socket(&topology, i), socket[i]);
	}
}

static void zero_is_one_socket_of_cores_with_one_thread(void **state)
{
	(void)state;
	assert_int_equal(begin(3, 0, 0, 0), 0);
	assert_int_equal(topology.cores, 3);
	assert_int_equal(sim_topology_socket(&topology, 2), 0);
	sim_topology_busy(&topology, 1, 1000, 0);
	assert_true(sim_topology_speed(&topology, 1) == 1);
}

static void numbers_that_do_not_go_together_are_refused(void **state)
{
	(void)state;
	assert_int_equal(begin(6, 2, 2, 1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(begin(18, 1, 9, 1), -1);
	assert_int_equal(errno, EINVAL);
}

/* Each doubling costs the same factor. */
static void threads_of_a_core_slow_each_other(void **state)
{
	(void)state;
	static const double expected[] = {1, 0.6, 0.445, 0.36};
	assert_int_equal(begin(8, 1, 4, 0.6), 0);
	for (unsigned i = 0; i < 4; i++) {
		sim_topology_busy(&topology, 1 + 2 * i, 1000, 0);
		assert_true(fabs(sim_topology_speed(&topology, 1) - expected[i]) < 0.001);
	}
	sim_topology_idle(&topology, 7, 2000);
	assert_true(fabs(sim_topology_speed(&topology, 1) - expected[2]) < 0.001);
}

static void a_core_is_busy_while_any_of_its_processors_is(void **state)
{
	(void)state;
	assert_int_equal(begin(4, 1, 2, 1), 0);
	assert_int_equal(sim_topology_work_ns(&topology, 1000, 0), 0);
	sim_topology_busy(&topology, 0, 1100, 0);
	sim_topology_busy(&topology, 2, 1150, 0); /* of the same core */
	sim_topology_idle(&topology, 0, 1300);
	assert_int_equal(sim_topology_work_ns(&topology, 1350, 0), 250);
	sim_topology_idle(&topology, 2, 1400);
	assert_int_equal(sim_topology_work_ns(&topology, 2000, 0), 300);
	sim_topology_busy(&topology, 3, 2000, 0);
	assert_int_equal(sim_topology_work_ns(&topology, 2010, 0), 310);
}

/* As each processor counts it, see sim_machine_times. */
static void going_idle_is_work_of_the_kernel_s_own(void **state)
{
	(void)state;
	assert_int_equal(begin(2, 1, 2, 1), 0);
	sim_topology_busy(&topology, 0, 2000, 5);
	assert_int_equal(sim_topology_work_ns(&topology, 2000, 5), 5);
	sim_topology_idle(&topology, 0, 2100);
	assert_int_equal(sim_topology_work_ns(&topology, 2102, 5), 107);
	assert_int_equal(sim_topology_work_ns(&topology, 2200, 5), 110);
	sim_topology_busy(&topology, 1, 2200, 5);
	assert_int_equal(sim_topology_work_ns(&topology, 2200, 5), 110);
}

static void without_an_idle_processor_there_is_no_place(void **state)
{
	(void)state;
	const unsigned third = 2;
	assert_int_equal(begin(4, 1, 2, 1), 0);
	assert_int_equal(sim_placing_find(&topology, (struct sim_idle){NULL, 0}, (struct sim_place){.processor = 1}), -1);
	assert_int_equal(sim_placing_find(&topology, (struct sim_idle){&third, 1}, (struct sim_place){.processor = 1}), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(the_first_processors_have_cores_of_their_own, end),
		cmocka_unit_test_teardown(zero_is_one_socket_of_cores_with_one_thread, end),
		cmocka_unit_test_teardown(numbers_that_do_not_go_together_are_refused, end),
		cmocka_unit_test_teardown(threads_of_a_core_slow_each_other, end),
		cmocka_unit_test_teardown(a_core_is_busy_while_any_of_its_processors_is, end),
		cmocka_unit_test_teardown(going_idle_is_work_of_the_kernel_s_own, end),
		cmocka_unit_test_teardown(without_an_idle_processor_there_is_no_place, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
