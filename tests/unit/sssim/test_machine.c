/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/units.h"
#include "sssim/host.h"
#include "sssim/machine.h"

#define START (10 * NS_PER_S)
#define MS NS_PER_MS
#define US NS_PER_US

static struct sim_machine machine;

static void begin(unsigned processors, bool priority)
{
	const struct sim_machine_config config = {
		.processors = processors,
		.start_ns = START,
		.slice_ns = 3 * MS,
		.tick_ns = 4 * MS,
		.priority = priority,
		.seed = 1,
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

/* A process whose threads all run without end. */
static struct sim_process *endless(unsigned threads)
{
	struct sim_process *process = sim_process_add(&machine, threads, stay_blocked, NULL);
	assert_non_null(process);
	for (unsigned i = 0; i < threads; i++)
		sim_thread_wake(&process->thread[i], SIM_ENDLESS);
	return process;
}

static void pass(int64_t ns)
{
	sim_machine_run(&machine, machine.now_ns + ns);
}

/* ---- Time and work ---------------------------------------------------------------------------------------------------- */

static void an_idle_machine_does_nothing(void **state)
{
	(void)state;
	begin(3, true);
	pass(NS_PER_S);
	assert_int_equal(machine.now_ns, START + NS_PER_S);
	assert_int_equal(sim_machine_work_ns(&machine), 0);
	const struct sim_times times = sim_machine_times(&machine, 2);
	assert_int_equal(times.work_ns, 0);
	assert_int_equal(times.idle_ns, START + NS_PER_S);
	assert_int_equal(times.busy_ticks, 0);
	assert_int_equal(times.idle_ticks, 2750); /* 11 s at 250 Hz */
}

static void one_thread_fills_one_processor(void **state)
{
	(void)state;
	begin(2, true);
	struct sim_process *process = endless(1);
	pass(NS_PER_S);
	assert_int_equal(sim_machine_work_ns(&machine), NS_PER_S);
	assert_int_equal(sim_process_cpu_ns(process), NS_PER_S);
	int64_t work = 0;
	for (unsigned i = 0; i < 2; i++)
		work += sim_machine_times(&machine, i).work_ns;
	assert_int_equal(work, NS_PER_S);
	/* A slice with nobody waiting is an event, and not a switch. */
	assert_int_equal(machine.switches, 1);
}

static void a_stopped_process_does_not_run(void **state)
{
	(void)state;
	begin(4, true);
	struct sim_process *process = endless(3);
	pass(10 * MS);
	sim_process_stop(process);
	sim_process_stop(process);
	pass(100 * MS);
	assert_int_equal(sim_process_cpu_ns(process), 30 * MS);
	sim_process_continue(process);
	sim_process_continue(process);
	pass(7 * MS);
	assert_int_equal(sim_process_cpu_ns(process), 51 * MS);
	assert_int_equal(sim_machine_work_ns(&machine), 51 * MS);
}

/* Also when it is longer than a slice, and no whole number of slices. */
static void work_takes_as_long_as_it_is(void **state)
{
	(void)state;
	static const int64_t work[] = {1, 2 * MS, 3 * MS, 5 * MS, 100 * MS + 1};
	begin(2, true);
	struct sim_process *process = sim_process_add(&machine, 1, stay_blocked, NULL);
	for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
		const int64_t before = sim_process_cpu_ns(process);
		sim_thread_wake(&process->thread[0], work[i]);
		pass(work[i] - 1);
		assert_int_equal(process->thread[0].state, SIM_RUNNING);
		pass(1);
		assert_int_equal(process->thread[0].state, SIM_BLOCKED);
		pass(NS_PER_S);
		assert_int_equal(sim_process_cpu_ns(process) - before, work[i]);
	}
}

static void what_wakes_up_while_stopped_runs_when_continued(void **state)
{
	(void)state;
	begin(1, true);
	struct sim_process *process = sim_process_add(&machine, 1, stay_blocked, NULL);
	sim_process_stop(process);
	sim_thread_wake(&process->thread[0], 5 * MS);
	pass(20 * MS);
	assert_int_equal(sim_process_cpu_ns(process), 0);
	sim_process_continue(process);
	pass(2 * MS);
	sim_process_stop(process); /* in the middle of its work */
	pass(20 * MS);
	sim_process_continue(process);
	pass(20 * MS);
	assert_int_equal(sim_process_cpu_ns(process), 5 * MS);
	assert_int_equal(process->thread[0].state, SIM_BLOCKED);
}

/* ---- Accounting ------------------------------------------------------------------------------------------------------- */

/* Runs of 1 ms out of 4 ms are a load of 25 %; ticks every 4 ms meet all of them or none. */
static void ticks_misread_what_runs_in_step_with_them(void **state)
{
	(void)state;
	for (int offset_ms = 0; offset_ms < 4; offset_ms++) {
		begin(1, true);
		struct sim_process *process = endless(1);
		sim_process_stop(process);
		pass(offset_ms * MS + MS / 2);
		const struct sim_times before = sim_machine_times(&machine, 0);
		for (int i = 0; i < 250; i++) {
			sim_process_continue(process);
			pass(MS);
			sim_process_stop(process);
			pass(3 * MS);
		}
		const struct sim_times now = sim_machine_times(&machine, 0);
		assert_int_equal(now.work_ns - before.work_ns, 250 * MS);
		assert_int_equal(now.idle_ns - before.idle_ns, 750 * MS);
		/* START is a whole number of ticks, so the run from 3.5 to 4.5 ms is the one that is met. */
		assert_int_equal(now.busy_ticks - before.busy_ticks, offset_ms == 3 ? 250 : 0);
		assert_int_equal(now.busy_ticks + now.idle_ticks - before.busy_ticks - before.idle_ticks, 250);
		sim_machine_free(&machine);
	}
}

static void the_way_into_idle_is_work_of_nobody(void **state)
{
	(void)state;
	begin(1, true);
	machine.config.idle_cost_ns = 10 * US;
	struct sim_process *process = endless(1);
	pass(MS);
	for (int i = 0; i < 5; i++) {
		sim_process_stop(process);
		pass(i == 0 ? 4 * US : MS); /* an idle stretch can't lose more than there is */
		sim_process_continue(process);
		pass(MS);
	}
	assert_int_equal(sim_machine_charged_ns(&machine), 6 * MS);
	assert_int_equal(sim_machine_work_ns(&machine), 6 * MS + 4 * US + 4 * 10 * US);
	const struct sim_times times = sim_machine_times(&machine, 0);
	assert_int_equal(times.work_ns, sim_machine_work_ns(&machine));
	assert_int_equal(times.work_ns + times.idle_ns, machine.now_ns);
}

/* ---- Scheduler -------------------------------------------------------------------------------------------------------- */

static void processors_are_shared_fairly(void **state)
{
	(void)state;
	begin(2, true);
	struct sim_process *process = endless(3);
	pass(NS_PER_S);
	assert_int_equal(sim_machine_work_ns(&machine), 2 * NS_PER_S);
	for (unsigned i = 0; i < 3; i++) {
		const struct sim_thread *thread = &process->thread[i];
		const int64_t used = thread->cpu_ns + (thread->state == SIM_RUNNING ? machine.now_ns - thread->since_ns : 0);
		assert_in_range(used, 2 * NS_PER_S / 3 - 6 * MS, 2 * NS_PER_S / 3 + 6 * MS);
	}
	assert_in_range(machine.switches, 600, 700); /* 3 ms a slice */
}

static void nobody_makes_up_for_a_long_sleep(void **state)
{
	(void)state;
	begin(1, true);
	struct sim_process *steady = endless(1);
	struct sim_process *late = endless(1);
	sim_process_stop(late);
	pass(10 * NS_PER_S);
	const int64_t before = sim_process_cpu_ns(steady);
	sim_process_continue(late);
	pass(NS_PER_S);
	assert_in_range(sim_process_cpu_ns(steady) - before, 500 * MS - 10 * MS, 500 * MS + 10 * MS);
}

static void a_thread_waits_for_the_end_of_a_slice(void **state)
{
	(void)state;
	begin(1, true);
	endless(1);
	pass(MS);
	struct sim_process *second = endless(1);
	pass(2 * MS - 1);
	assert_int_equal(sim_process_cpu_ns(second), 0);
	pass(1 + MS);
	assert_int_equal(sim_process_cpu_ns(second), MS);
}

static void no_processor_idles_while_a_thread_waits(void **state)
{
	(void)state;
	begin(4, true);
	struct sim_process *process[8];
	struct sim_random random = sim_random_stream(1, 2);
	for (int i = 0; i < 8; i++)
		process[i] = endless(1 + (unsigned)i % 3);
	for (int step = 0; step < 5000; step++) {
		struct sim_process *one = process[sim_random_below(&random, 8)];
		if (one->stopped)
			sim_process_continue(one);
		else
			sim_process_stop(one);
		pass((int64_t)sim_random_below(&random, 2 * MS));
		unsigned runnable = 0;
		for (int i = 0; i < 8; i++)
			runnable += process[i]->stopped ? 0 : process[i]->threads;
		assert_int_equal(machine.active, runnable);
		assert_int_equal(machine.running, runnable < 4 ? runnable : 4);
		assert_int_equal(machine.idle_count, 4 - machine.running);
		assert_int_equal(machine.queue.count, machine.active - machine.running);
	}
	int64_t used = 0;
	for (int i = 0; i < 8; i++)
		used += sim_process_cpu_ns(process[i]);
	assert_int_equal(used, sim_machine_work_ns(&machine));
}

/* ---- Tasks ------------------------------------------------------------------------------------------------------------ */

struct test_task {
	struct sim_task task;
	int64_t cost_ns, ran_at_ns;
	bool sleeps; /* or waits for a processor */
	struct sim_process *to_stop;
};

static int64_t run_task(struct sim_task *task)
{
	struct test_task *test = SIM_OWNER(task, struct test_task, task);
	test->ran_at_ns = machine.now_ns - START;
	test->sleeps = false;
	if (test->to_stop)
		sim_process_stop(test->to_stop);
	return test->cost_ns;
}

static void add_task(struct test_task *test, int64_t at_ns)
{
	test->task.run = run_task;
	assert_int_equal(sim_task_add(&machine, &test->task, 0), 0);
	sim_task_sleep(&test->task, START + at_ns);
	test->sleeps = true;
}

static void a_task_with_priority_preempts(void **state)
{
	(void)state;
	begin(1, true);
	struct sim_process *process = endless(1);
	struct test_task first = {.cost_ns = 40 * US};
	struct test_task second = {.cost_ns = 40 * US};
	add_task(&first, MS);
	add_task(&second, MS + 10 * US); /* meets the other one */
	pass(2 * MS);
	assert_int_equal(first.ran_at_ns, MS);
	assert_int_equal(second.ran_at_ns, MS + 40 * US);
	assert_int_equal(sim_process_cpu_ns(process), 2 * MS - 80 * US);
	assert_int_equal(sim_machine_work_ns(&machine), 2 * MS);
	assert_int_equal(first.task.cpu_ns, 40 * US);
}

static void a_task_without_priority_waits_for_the_end_of_a_slice(void **state)
{
	(void)state;
	begin(1, false);
	endless(2);
	struct test_task task = {.cost_ns = 40 * US};
	add_task(&task, MS);
	pass(10 * MS);
	assert_int_equal(task.ran_at_ns, 3 * MS);
}

static void only_a_task_without_priority_looks_for_an_idle_processor(void **state)
{
	(void)state;
	for (int priority = 0; priority < 2; priority++) {
		begin(2, priority);
		struct sim_process *process = endless(1);
		struct test_task task = {.cost_ns = 40 * US};
		add_task(&task, MS);
		pass(10 * MS);
		assert_int_equal(task.ran_at_ns, MS);
		assert_int_equal(sim_process_cpu_ns(process), 10 * MS - (priority ? 40 * US : 0));
		sim_machine_free(&machine);
	}
}

/* ---- Standing still --------------------------------------------------------------------------------------------------- */

static void what_is_on_a_processor_stands_still_with_it(void **state)
{
	(void)state;
	begin(2, true);
	struct sim_process *process = endless(2);
	struct test_task task = {.cost_ns = 40 * US};
	add_task(&task, 2 * MS); /* on the first one */
	pass(MS);
	sim_processor_stand_still(&machine.processor[0], START + 11 * MS);
	pass(10 * MS);
	assert_int_equal(task.ran_at_ns, 0);
	assert_int_equal(sim_process_cpu_ns(process), 12 * MS);
	assert_int_equal(sim_machine_work_ns(&machine), 22 * MS); /* nobody knows that it did nothing */
	sim_processor_go_on(&machine.processor[0]);
	pass(MS);
	assert_in_range(task.ran_at_ns, 11 * MS, 11 * MS + US);
	assert_int_equal(sim_process_cpu_ns(process), 14 * MS - 40 * US);
}

static void a_task_under_way_ends_later(void **state)
{
	(void)state;
	begin(1, true);
	struct sim_process *process = endless(1);
	struct test_task task = {.cost_ns = 500 * US};
	add_task(&task, MS);
	pass(MS + 200 * US);
	sim_processor_stand_still(&machine.processor[0], START + 5 * MS);
	pass(5 * MS - machine.now_ns + START);
	sim_processor_go_on(&machine.processor[0]);
	pass(MS);
	assert_int_equal(sim_process_cpu_ns(process), MS + 700 * US);
}

static void what_comes_to_one_that_stands_still_waits(void **state)
{
	(void)state;
	begin(1, true);
	sim_processor_stand_still(&machine.processor[0], START + 5 * MS);
	struct sim_process *process = endless(1);
	pass(5 * MS);
	assert_int_equal(sim_process_cpu_ns(process), 0);
	sim_process_stop(process);
	sim_processor_go_on(&machine.processor[0]);
	assert_int_equal(machine.idle_count, 1);
	sim_process_continue(process);
	pass(MS);
	assert_int_equal(sim_process_cpu_ns(process), MS);
}

static void a_task_can_be_fetched(void **state)
{
	(void)state;
	begin(2, true);
	struct test_task task = {.cost_ns = 40 * US};
	add_task(&task, MS);
	sim_processor_stand_still(&machine.processor[0], START + 9 * MS);
	pass(3 * MS);
	sim_task_fetch(&task.task, &machine.processor[1]);
	pass(MS);
	assert_int_equal(task.ran_at_ns, 3 * MS);
	assert_ptr_equal(task.task.processor, &machine.processor[1]);
	/* One that is awake has nothing to be fetched from. */
	sim_task_fetch(&task.task, &machine.processor[0]);
	assert_ptr_equal(task.task.processor, &machine.processor[1]);
	sim_processor_go_on(&machine.processor[0]);
}

static void a_task_may_stop_what_it_preempted(void **state)
{
	(void)state;
	begin(1, true);
	struct sim_process *process = endless(2);
	struct test_task task = {.cost_ns = 40 * US, .to_stop = process};
	add_task(&task, MS);
	pass(10 * MS);
	assert_int_equal(sim_process_cpu_ns(process), MS);
	assert_int_equal(sim_machine_work_ns(&machine), MS + 40 * US);
	sim_process_continue(process);
	pass(MS);
	assert_int_equal(sim_process_cpu_ns(process), 2 * MS);
}

/* Nothing is lost when everything happens at once. */
static void all_time_is_accounted_for(void **state)
{
	(void)state;
	for (int priority = 0; priority < 2; priority++) {
		begin(3, priority);
		machine.config.wakeup_ns = 50 * US;
		struct sim_process *process[4];
		struct test_task task[6] = {{.cost_ns = 0}};
		struct sim_random random = sim_random_stream(3, 3);
		for (int i = 0; i < 4; i++)
			process[i] = endless(2);
		for (int i = 0; i < 6; i++) {
			task[i].cost_ns = i * 300 * US; /* one costs nothing */
			add_task(&task[i], 0);
		}
		for (int step = 0; step < 3000; step++) {
			struct sim_process *one = process[sim_random_below(&random, 4)];
			if (one->stopped)
				sim_process_continue(one);
			else
				sim_process_stop(one);
			pass((int64_t)sim_random_below(&random, 5 * MS));
			struct test_task *chosen = &task[sim_random_below(&random, 6)];
			if (!chosen->sleeps && machine.now_ns - START - chosen->ran_at_ns > chosen->cost_ns) {
				sim_task_sleep(&chosen->task, machine.now_ns + (int64_t)sim_random_below(&random, 5 * MS));
				chosen->sleeps = true;
			}
		}
		for (int i = 0; i < 4; i++)
			sim_process_stop(process[i]);
		pass(NS_PER_S);
		int64_t used = 0;
		for (int i = 0; i < 4; i++)
			used += sim_process_cpu_ns(process[i]);
		for (int i = 0; i < 6; i++)
			used += task[i].task.cpu_ns;
		assert_int_equal(used, sim_machine_work_ns(&machine));
		int64_t work = 0;
		for (unsigned i = 0; i < 3; i++) {
			const struct sim_times times = sim_machine_times(&machine, i);
			assert_int_equal(times.work_ns + times.idle_ns, machine.now_ns);
			work += times.work_ns;
		}
		assert_int_equal(work, used);
		assert_int_equal(machine.idle_count, 3);
		sim_machine_free(&machine);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(an_idle_machine_does_nothing, end),
		cmocka_unit_test_teardown(one_thread_fills_one_processor, end),
		cmocka_unit_test_teardown(a_stopped_process_does_not_run, end),
		cmocka_unit_test_teardown(work_takes_as_long_as_it_is, end),
		cmocka_unit_test_teardown(what_wakes_up_while_stopped_runs_when_continued, end),
		cmocka_unit_test_teardown(ticks_misread_what_runs_in_step_with_them, end),
		cmocka_unit_test_teardown(the_way_into_idle_is_work_of_nobody, end),
		cmocka_unit_test_teardown(processors_are_shared_fairly, end),
		cmocka_unit_test_teardown(nobody_makes_up_for_a_long_sleep, end),
		cmocka_unit_test_teardown(a_thread_waits_for_the_end_of_a_slice, end),
		cmocka_unit_test_teardown(no_processor_idles_while_a_thread_waits, end),
		cmocka_unit_test_teardown(a_task_with_priority_preempts, end),
		cmocka_unit_test_teardown(a_task_without_priority_waits_for_the_end_of_a_slice, end),
		cmocka_unit_test_teardown(only_a_task_without_priority_looks_for_an_idle_processor, end),
		cmocka_unit_test_teardown(what_is_on_a_processor_stands_still_with_it, end),
		cmocka_unit_test_teardown(a_task_under_way_ends_later, end),
		cmocka_unit_test_teardown(what_comes_to_one_that_stands_still_waits, end),
		cmocka_unit_test_teardown(a_task_can_be_fetched, end),
		cmocka_unit_test_teardown(a_task_may_stop_what_it_preempted, end),
		cmocka_unit_test_teardown(all_time_is_accounted_for, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
