/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/units.h"
#include "sssim/bandwidth.h"

#define MS NS_PER_MS

static struct sim_machine machine;
static struct sim_process *process;
static struct sim_bandwidth bandwidth;

static void stay_blocked(struct sim_process *owner, struct sim_thread *thread)
{
	(void)owner;
	(void)thread;
}

/* So many threads that always run on two processors. */
static void begin(unsigned threads)
{
	const struct sim_machine_config config = {
		.processors = 2, .start_ns = NS_PER_S, .slice_ns = 3 * MS, .tick_ns = 4 * MS, .priority = true, .seed = 1};
	assert_int_equal(sim_machine_init(&machine, &config), 0);
	process = sim_process_add(&machine, threads, stay_blocked, NULL);
	assert_non_null(process);
	for (unsigned i = 0; i < threads; i++)
		sim_thread_wake(&process->thread[i], SIM_ENDLESS);
	assert_int_equal(sim_bandwidth_init(&bandwidth, process), 0);
}

static int end(void **state)
{
	(void)state;
	sim_machine_free(&machine);
	return 0;
}

/* CPU time of the next so many ns. */
static int64_t used(int64_t ns)
{
	const int64_t before = sim_process_cpu_ns(process);
	sim_machine_run(&machine, machine.now_ns + ns);
	return sim_process_cpu_ns(process) - before;
}

/* What a tick let it use beyond its quota is taken off the next one. */
static void a_quota_holds_in_the_mean(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads <= 3; threads += 2) {
		begin(threads);
		sim_bandwidth_limit(&bandwidth, 5 * MS, 20 * MS);
		assert_true(used(5 * MS) >= 5 * MS);
		assert_true(labs(used(10 * NS_PER_S) - 2500 * MS) < 20 * MS);
		if (threads == 1)
			end(NULL);
	}
}

static void without_a_limit_all_of_it_runs(void **state)
{
	(void)state;
	begin(2);
	assert_int_equal(used(100 * MS), 200 * MS);
	sim_bandwidth_limit(&bandwidth, 1 * MS, NS_PER_S);
	used(100 * MS);
	assert_true(bandwidth.throttled);
	sim_bandwidth_limit(&bandwidth, 0, 0);
	assert_false(bandwidth.throttled);
	assert_int_equal(used(3 * NS_PER_S), 6 * NS_PER_S);
}

/* As in the kernel: what is written begins with a whole quota. What is in force isn't written again. */
static void a_change_hands_out_a_whole_quota(void **state)
{
	(void)state;
	begin(1);
	sim_bandwidth_limit(&bandwidth, 8 * MS, 100 * MS);
	assert_int_equal(used(50 * MS), 8 * MS);
	sim_bandwidth_limit(&bandwidth, 8 * MS, 100 * MS);
	assert_int_equal(used(10 * MS), 0);
	sim_bandwidth_limit(&bandwidth, 12 * MS, 100 * MS);
	assert_true(labs(used(30 * MS) - 12 * MS) <= 4 * MS);
}

/* Two threads use two quotas in a tick. The one that comes next is owed whole; with nothing left, none of them runs. */
static void what_is_owed_may_be_a_whole_quota(void **state)
{
	(void)state;
	begin(2);
	sim_bandwidth_limit(&bandwidth, 4 * MS, 20 * MS);
	assert_int_equal(used(20 * MS), 8 * MS);
	assert_int_equal(used(20 * MS), 0);
	assert_int_equal(used(20 * MS), 8 * MS);
	assert_int_equal(used(20 * MS), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_quota_holds_in_the_mean, end),
		cmocka_unit_test_teardown(without_a_limit_all_of_it_runs, end),
		cmocka_unit_test_teardown(a_change_hands_out_a_whole_quota, end),
		cmocka_unit_test_teardown(what_is_owed_may_be_a_whole_quota, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
