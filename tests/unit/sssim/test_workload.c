/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "sssim/workload.h"

#define START (10 * NS_PER_S)
#define PROCESSORS 8

static struct sim_machine machine;
static struct sim_workload workload;
static struct sim_process *process;

static void begin(uint64_t seed)
{
	const struct sim_machine_config config = {
		.processors = PROCESSORS, .start_ns = START, .slice_ns = 3 * NS_PER_MS, .tick_ns = 4 * NS_PER_MS, .seed = seed};
	assert_int_equal(sim_machine_init(&machine, &config), 0);
}

static void finish(void)
{
	sim_workload_free(process);
	sim_machine_free(&machine);
}

/* A process of this kind, on a machine of its own. */
static void start(const char *text, uint64_t seed)
{
	char error[OPTION_ERROR_MAX];
	begin(seed);
	if (sim_workload_parse(&workload, text, PROCESSORS, error) != 0)
		fail_msg("refused: %s", error);
	process = sim_workload_add(&machine, &workload, 1, START);
	assert_non_null(process);
}

static void start_background(const char *text)
{
	char error[OPTION_ERROR_MAX];
	begin(1);
	if (sim_background_parse(&workload, text, PROCESSORS, error) != 0)
		fail_msg("refused: %s", error);
	process = sim_workload_add(&machine, &workload, 1, START);
	assert_non_null(process);
}

/* Processors that it keeps busy, in the mean over a time from now. */
static double busy_for(int64_t ns)
{
	const int64_t before = sim_process_cpu_ns(process);
	sim_machine_run(&machine, machine.now_ns + ns);
	return (double)(sim_process_cpu_ns(process) - before) / (double)ns;
}

static bool near(double found, double expected, double tolerance)
{
	if (fabs(found - expected) <= tolerance)
		return true;
	print_error("found %g, expected %g within %g\n", found, expected, tolerance);
	return false;
}

static void expect_refused(
	int (*parse)(struct sim_workload *, const char *, unsigned, char *), const char *text, const char *message)
{
	char error[OPTION_ERROR_MAX] = "";
	assert_int_equal(parse(&workload, text, PROCESSORS, error), -1);
	if (!strstr(error, message) || !strstr(error, text))
		fail_msg("'%s': found the message '%s', expected '%s'", text, error, message);
}

static void wrong_models_are_refused(void **state)
{
	(void)state;
	expect_refused(sim_workload_parse, "", "single, parallel, contended, phased, sleeper, service");
	expect_refused(sim_workload_parse, "singl", "single, parallel");
	expect_refused(sim_workload_parse, "single:threads=2", "threads");
	expect_refused(sim_workload_parse, "parallel:0", "from 1 to 4096");
	expect_refused(sim_workload_parse, "parallel:threads=2,thread=3", "thread");
	expect_refused(sim_workload_parse, "contended:1", "from 2 to 4096");
	expect_refused(sim_workload_parse, "contended:serial=2", "serial");
	expect_refused(sim_workload_parse, "sleeper:work=0", "work");
	expect_refused(sim_workload_parse, "service", "option 'rate' is missing");
	expect_refused(sim_workload_parse, "service:0", "rate");
	expect_refused(sim_workload_parse, "service:1,distribution=normal", "lognormal:sigma=S");
	expect_refused(sim_workload_parse, "service:1,distribution=pareto:shape=1", "above 1");
	expect_refused(sim_workload_parse, "service:1,arrivals=concurrent", "even or poisson");
	expect_refused(sim_workload_parse, "service:1,queue=0", "from 1 to 10000000");
	expect_refused(sim_background_parse, "service:rate=1,mean=0", "from 1us to 1d");
	expect_refused(sim_background_parse, "services:rate=1", "services");
	expect_refused(sim_background_parse, "0", "above 0");
	expect_refused(sim_background_parse, "start=3s", "load");
	expect_refused(sim_background_parse, "load=50%,threads=3", "more threads");
	expect_refused(sim_background_parse, "load=5%,start=3s,end=3s", "after the start");
	expect_refused(sim_background_parse, "load=5%,repeat=3s", "before it repeats");
	expect_refused(sim_background_parse, "load=5%,start=1s,end=4s,repeat=3s", "before it repeats");
}

static void endless_threads_fill_processors(void **state)
{
	(void)state;
	start("single", 1);
	assert_true(near(busy_for(NS_PER_S), 1, 1e-9));
	finish();
	start("parallel:3", 1);
	assert_true(near(busy_for(NS_PER_S), 3, 1e-9));
	finish();
	start("parallel", 1);
	assert_int_equal(process->threads, PROCESSORS);
	assert_true(near(busy_for(NS_PER_S), PROCESSORS, 1e-9));
	finish();
}

/* A round of one exponential piece takes 1 and does 1; one of two does 2 and takes the larger of the two, 1.5. */
static void threads_that_wait_use_less_than_their_number(void **state)
{
	(void)state;
	start("contended:threads=2,serial=0", 1);
	assert_true(near(busy_for(100 * NS_PER_S), 2 / 1.5, 0.01));
	finish();
	start("contended:threads=2,serial=100%", 1);
	assert_true(near(busy_for(NS_PER_S), 1, 1e-9));
	finish();
	start("contended:threads=2,serial=50%", 1);
	assert_true(near(busy_for(100 * NS_PER_S), (1 + 2.0) / (1 + 1.5), 0.01));
	finish();
}

/* Rounds hold their work through a stop, and go on where they were. */
static void stops_do_not_change_the_work(void **state)
{
	(void)state;
	start("contended:threads=3", 1);
	assert_true(near(busy_for(10 * NS_PER_S), 1.31, 0.03));
	sim_process_stop(process);
	assert_true(near(busy_for(10 * NS_PER_S), 0, 1e-9));
	sim_process_continue(process);
	assert_true(near(busy_for(10 * NS_PER_S), 1.31, 0.03));
	finish();
}

static void phases_last_seconds(void **state)
{
	(void)state;
	start("phased:threads=4,phase=2s", 1);
	unsigned seen = 0;
	int changes = 0;
	double last = 0;
	for (int i = 0; i < 4000; i++) {
		const double busy = busy_for(10 * NS_PER_MS);
		if (fabs(busy - round(busy)) > 1e-9)
			continue; /* the phase changed within */
		seen |= 1u << (int)busy;
		changes += busy != last;
		last = busy;
	}
	assert_int_equal(seen, 1u << 1 | 1u << 2 | 1u << 3 | 1u << 4);
	/* 40 s in phases of 1 to 3 s; one in four changes nothing */
	assert_in_range(changes, 9, 25);
	finish();
}

static void sleepers_sleep(void **state)
{
	(void)state;
	start("sleeper:work=10m,sleep=40m", 1);
	assert_true(near(busy_for(100 * NS_PER_S), 0.2, 0.005));
	/* Sleeps go on while it is stopped: then there is work at once. */
	sim_process_stop(process);
	assert_true(near(busy_for(NS_PER_S), 0, 1e-9));
	sim_process_continue(process);
	assert_true(near(busy_for(5 * NS_PER_MS), 1, 0.5));
	finish();
	start("sleeper:work=10m,sleep=40m,threads=5", 1);
	assert_true(near(busy_for(100 * NS_PER_S), 1, 0.02));
	finish();
}

static void seeds_make_a_difference_and_nothing_else_does(void **state)
{
	(void)state;
	double busy[3];
	for (int i = 0; i < 3; i++) {
		start("contended", i == 2 ? 2 : 1);
		busy[i] = busy_for(NS_PER_S);
		finish();
	}
	assert_true(busy[0] == busy[1]);
	assert_true(busy[0] != busy[2]);
}

static void a_background_load_is_what_it_says(void **state)
{
	(void)state;
	start_background("20%");
	assert_int_equal(process->threads, 2);
	assert_true(near(busy_for(100 * NS_PER_S), 0.2 * PROCESSORS, 0.02));
	finish();
	start_background("load=3%,threads=4,burst=1m");
	assert_int_equal(process->threads, 4);
	assert_true(near(busy_for(100 * NS_PER_S), 0.03 * PROCESSORS, 0.01));
	finish();
}

static void a_background_load_comes_and_goes(void **state)
{
	(void)state;
	start_background("load=50%,start=5s,end=10s");
	assert_true(near(busy_for(5 * NS_PER_S), 0, 1e-9));
	assert_true(near(busy_for(5 * NS_PER_S), 4, 0.1));
	busy_for(100 * NS_PER_MS);
	assert_true(near(busy_for(20 * NS_PER_S), 0, 1e-9));
	finish();
	start_background("load=50%,start=1s,end=2s,repeat=3s");
	for (int i = 0; i < 4; i++) {
		assert_true(near(busy_for(NS_PER_S), 0, i ? 0.02 : 1e-9));
		assert_true(near(busy_for(NS_PER_S), 4, 0.2));
		busy_for(20 * NS_PER_MS);
		assert_true(near(busy_for(980 * NS_PER_MS), 0, 1e-9));
	}
	finish();
}

/* With every thread of the machine taken, bursts wait, and come later all the same. */
static void bursts_arrive_at_their_own_rate(void **state)
{
	(void)state;
	start_background("load=20%,end=20s");
	struct sim_workload other;
	char error[OPTION_ERROR_MAX];
	assert_int_equal(sim_workload_parse(&other, "parallel:32", PROCESSORS, error), 0);
	struct sim_process *rival = sim_workload_add(&machine, &other, 2, START);
	assert_non_null(rival);
	const double crowded = busy_for(20 * NS_PER_S);
	assert_true(crowded < 0.19 * PROCESSORS);
	sim_process_stop(rival);
	assert_true(near(crowded * 20 + busy_for(20 * NS_PER_S) * 20, 0.2 * PROCESSORS * 20, 0.5));
	sim_workload_free(rival);
	finish();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_models_are_refused),
		cmocka_unit_test(endless_threads_fill_processors),
		cmocka_unit_test(threads_that_wait_use_less_than_their_number),
		cmocka_unit_test(stops_do_not_change_the_work),
		cmocka_unit_test(phases_last_seconds),
		cmocka_unit_test(sleepers_sleep),
		cmocka_unit_test(seeds_make_a_difference_and_nothing_else_does),
		cmocka_unit_test(a_background_load_is_what_it_says),
		cmocka_unit_test(a_background_load_comes_and_goes),
		cmocka_unit_test(bursts_arrive_at_their_own_rate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
