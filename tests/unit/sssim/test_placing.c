/* SPDX-License-Identifier: MIT */
/* Threads on processors that share cores: where they go, and how fast they are there. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "sssim/host.h"
#include "sssim/machine.h"

#define START (10 * NS_PER_S)
#define MS NS_PER_MS

static struct sim_machine machine;

static void begin(unsigned processors, unsigned sockets, enum sim_placement placement)
{
	const struct sim_machine_config config = {
		.processors = processors,
		.start_ns = START,
		.slice_ns = 3 * MS,
		.tick_ns = 4 * MS,
		.priority = true,
		.seed = 1,
		.topology = {.sockets = sockets, .threads = 2, .speed = 0.6, .placement = placement},
	};
	assert_int_equal(sim_machine_init(&machine, &config), 0);
}

static int end(void **state)
{
	(void)state;
	sim_machine_free(&machine);
	return 0;
}

static void stay_blocked(struct sim_process *process, struct sim_thread *thread)
{
	(void)process;
	(void)thread;
}

/* A process of one thread that last ran on this processor. */
static struct sim_process *one_on(unsigned processor)
{
	struct sim_process *process = sim_process_add(&machine, 1, stay_blocked, NULL);
	assert_non_null(process);
	process->thread[0].processor = &machine.processor[processor];
	return process;
}

static void wake(struct sim_process *process, int64_t work_ns)
{
	sim_thread_wake(&process->thread[0], work_ns);
}

static unsigned where(const struct sim_process *process)
{
	assert_int_equal(process->thread[0].state, SIM_RUNNING);
	return (unsigned)(process->thread[0].processor - machine.processor);
}

static void pass(int64_t ns)
{
	sim_machine_run(&machine, machine.now_ns + ns);
}

/* ---- Speed ------------------------------------------------------------------------------------------------------------ */

static void work_on_a_shared_core_takes_longer(void **state)
{
	(void)state;
	begin(2, 1, SIM_PLACE_ANY);
	struct sim_process *first = one_on(0);
	struct sim_process *second = one_on(1);
	wake(first, 10 * MS);
	pass(4 * MS); /* alone */
	wake(second, SIM_ENDLESS);
	pass(5 * MS); /* 3 ms of work */
	assert_int_equal(sim_process_work_ns(first), 7 * MS);
	assert_int_equal(sim_process_cpu_ns(first), 9 * MS);
	sim_process_stop(second);
	pass(3 * MS - 1);
	assert_int_equal(first->thread[0].state, SIM_RUNNING);
	pass(1);
	assert_int_equal(first->thread[0].state, SIM_BLOCKED);
	assert_int_equal(sim_process_work_ns(first), 10 * MS);
	assert_int_equal(sim_process_cpu_ns(first), 12 * MS);
	assert_int_equal(sim_process_work_ns(second), 3 * MS);
}

/* Load is time on processors: it doesn't know how fast they are. */
static void load_is_not_about_speed(void **state)
{
	(void)state;
	begin(4, 1, SIM_PLACE_LINUX);
	for (unsigned i = 0; i < 3; i++)
		wake(one_on(i), SIM_ENDLESS);
	pass(NS_PER_S);
	assert_int_equal(sim_machine_work_ns(&machine), 3 * NS_PER_S);
	assert_int_equal(sim_machine_core_work_ns(&machine), 2 * NS_PER_S);
}

/* ---- Places ----------------------------------------------------------------------------------------------------------- */

static void an_idle_core_is_preferred_to_an_idle_thread(void **state)
{
	(void)state;
	static const enum sim_placement placements[] = {SIM_PLACE_LINUX, SIM_PLACE_CORES};
	for (size_t i = 0; i < 2; i++) {
		begin(8, 1, placements[i]);
		struct sim_process *process[4];
		/* All of them were on processor 0. */
		for (unsigned k = 0; k < 4; k++) {
			process[k] = one_on(0);
			wake(process[k], SIM_ENDLESS);
			assert_int_equal(where(process[k]), k);
		}
		assert_int_equal(sim_machine_core_work_ns(&machine), 0);
		pass(MS);
		assert_int_equal(sim_machine_core_work_ns(&machine), 4 * MS);
		end(NULL);
	}
}

static void where_it_was_goes_first_as_in_linux(void **state)
{
	(void)state;
	begin(8, 1, SIM_PLACE_LINUX);
	struct sim_process *first = one_on(0);
	struct sim_process *second = one_on(4);
	wake(first, SIM_ENDLESS);
	wake(second, SIM_ENDLESS);
	assert_int_equal(where(second), 4);
	/* At the end of the slice one of them gets a core of its own, and stays there. */
	pass(4 * MS);
	assert_true(where(first) % 4 != where(second) % 4);
	const unsigned settled[] = {where(first), where(second)};
	pass(100 * MS);
	assert_int_equal(where(first), settled[0]);
	assert_int_equal(where(second), settled[1]);
	assert_int_equal(machine.switches, 3);
}

static void a_core_goes_before_where_it_was(void **state)
{
	(void)state;
	begin(8, 1, SIM_PLACE_CORES);
	struct sim_process *first = one_on(0);
	struct sim_process *second = one_on(4);
	wake(first, SIM_ENDLESS);
	wake(second, SIM_ENDLESS);
	assert_int_equal(where(first), 0);
	assert_true(where(second) % 4 != 0);
	/* One that is alone on its core stays when it blocks and wakes up. */
	sim_process_stop(second);
	const unsigned before = (unsigned)(second->thread[0].processor - machine.processor);
	sim_process_continue(second);
	assert_int_equal(where(second), before);
}

static void cores_do_not_matter_to_any(void **state)
{
	(void)state;
	begin(8, 1, SIM_PLACE_ANY);
	struct sim_process *first = one_on(0);
	struct sim_process *second = one_on(4);
	wake(first, SIM_ENDLESS);
	wake(second, SIM_ENDLESS);
	pass(100 * MS);
	assert_int_equal(where(first), 0);
	assert_int_equal(where(second), 4);
	assert_int_equal(sim_machine_core_work_ns(&machine), 100 * MS);
}

/* Processors 0, 1, 4 and 5 are the first socket. */
static void the_own_socket_comes_first(void **state)
{
	(void)state;
	static const unsigned expected[] = {2, 3, 0, 1, 6, 7, 4, 5};
	begin(8, 2, SIM_PLACE_CORES);
	for (unsigned i = 0; i < 8; i++) {
		struct sim_process *process = one_on(2);
		wake(process, SIM_ENDLESS);
		/* Cores of the own socket, of the other one, threads of the own one … */
		assert_int_equal(sim_topology_socket(&machine.topology, where(process)),
			sim_topology_socket(&machine.topology, expected[i]));
		assert_int_equal(where(process) >= 4, expected[i] >= 4);
	}
}

static void a_machine_that_cannot_be_divided_is_refused(void **state)
{
	(void)state;
	const struct sim_machine_config config = {
		.processors = 3, .start_ns = START, .slice_ns = MS, .tick_ns = MS, .topology = {.threads = 2}};
	assert_int_equal(sim_machine_init(&machine, &config), -1);
	assert_int_equal(errno, EINVAL);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_teardown(function, end)
	const struct CMUnitTest tests[] = {
		TEST(work_on_a_shared_core_takes_longer),
		TEST(load_is_not_about_speed),
		cmocka_unit_test(an_idle_core_is_preferred_to_an_idle_thread),
		TEST(where_it_was_goes_first_as_in_linux),
		TEST(a_core_goes_before_where_it_was),
		TEST(cores_do_not_matter_to_any),
		TEST(the_own_socket_comes_first),
		TEST(a_machine_that_cannot_be_divided_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
