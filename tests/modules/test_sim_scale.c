/* SPDX-License-Identifier: MIT */
/*
 * Large machines, and many workloads of many threads, in virtual time with the default modules: how closely the load is held from the first
 * moment on, and what that costs. A part of what tools/bench/scale measures.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/units.h"
#include "sssim/run.h"

/* Sanitizers make it ten times slower, and look for something else. */
#if defined(__SANITIZE_ADDRESS__)
#define REDUCED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REDUCED 1
#endif
#endif
#ifndef REDUCED
#define REDUCED 0
#endif

#define WINDOW_NS (500 * NS_PER_MS)
#define RUN_NS (20 * NS_PER_S)

struct result {
	double error_pp, mse_pp2;
	double own; /* of one processor, per executor */
};

static struct sim_config prepare(unsigned processors, unsigned workloads, const char *workload, const char *target)
{
	static struct sim_workload model;
	struct sim_config config;
	char error[OPTION_ERROR_MAX];
	sim_config_defaults(&config, processors);
	if (sim_workload_parse(&model, workload, processors, error) != 0)
		fail_msg("refused: %s", error);
	config.model = &model;
	config.models = 1;
	config.workloads = workloads;
	config.run_time_ns = RUN_NS;
	config.module_options[SST_TRACE] = target;
	return config;
}

static struct result simulate(const struct sim_config *config)
{
	struct sim_run *run = sim_run_new(config);
	assert_non_null(run);
	assert_int_equal(sim_run_go(run), 0);
	const struct accuracy accuracy = sim_history_accuracy(&run->history, WINDOW_NS);
	const struct result result = {
		.error_pp = accuracy_mean_error_pp(&accuracy),
		.mse_pp2 = accuracy_mse_pp2(&accuracy),
		.own = run->summary.executors_cpu_s / config->workloads / ((double)config->run_time_ns / 1e9),
	};
	sim_run_free(run);
	return result;
}

static void expect(bool good, const struct sim_config *config, const char *what, double found, double limit)
{
	if (!good)
		fail_msg("%u processors, %u workloads, %s: %s: found %.4f, expected at most %.4f", config->machine.processors,
			config->workloads, config->module_options[SST_TRACE], what, found, limit);
}

static void expect_accuracy(const struct sim_config *config)
{
	const struct result result = simulate(config);
	expect(fabs(result.error_pp) <= 0.05, config, "mean error, pp", fabs(result.error_pp), 0.05);
	expect(result.mse_pp2 <= 1, config, "MSE, pp^2", result.mse_pp2, 1);
}

static const char *const targets[] = {"90%", "10%", "50%"};
#define TARGETS (REDUCED ? 1 : sizeof targets / sizeof *targets)

/*
 * With a hundred times the gain that was guessed the machine was full for the first half second, and when the epochs of 64 executors then
 * became longer, one after the other, the load went up and down by 10 pp for two seconds: 4.2 pp^2 (64 workloads on 128 processors, 90 %).
 */
static void the_load_is_held_from_the_beginning(void **state)
{
	(void)state;
	static const struct {
		unsigned processors, workloads;
		const char *workload;
	} cases[] = {
		{16, 64, "single"},
		{128, 128, "single"},
		{512, 512, "single"},
		{16, 8, "parallel:128"},
		{64, 8, "parallel:128"},
		{128, 16, "parallel:128"},
		{128, 64, "parallel:128"},
		{512, 64, "parallel:128"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (size_t t = 0; t < TARGETS; t++) {
			const struct sim_config config =
				prepare(cases[i].processors, cases[i].workloads, cases[i].workload, targets[t]);
			expect_accuracy(&config);
		}
}

/* A reading takes a millisecond. When there were no more than ten of them a second, the load oscillated: 36 pp^2 (256 workloads, 50 %). */
static void readings_that_take_long_are_enough(void **state)
{
	(void)state;
	for (size_t t = 0; t < TARGETS; t++) {
		struct sim_config config = prepare(512, 256, "parallel:128", targets[t]);
		config.module_options[SST_FEEDBACK] = "source=idle";
		expect_accuracy(&config);
	}
}

/* Of one processor, an executor takes 0.15 % at most, and no more among many than among few. */
static void the_cost_of_an_executor_does_not_grow(void **state)
{
	(void)state;
	for (unsigned processors = 2; processors <= 128; processors *= 4)
		for (size_t t = 0; t < TARGETS; t++) {
			struct sim_config config = prepare(processors, processors, "single", targets[t]);
			const struct result few = simulate(&config);
			expect(few.own <= 0.0015, &config, "own", few.own, 0.0015);
			config = prepare(processors, 4 * processors, "single", targets[t]);
			const struct result many = simulate(&config);
			expect(many.own <= 1.1 * few.own, &config, "own", many.own, 1.1 * few.own);
		}
}

/* Nor does what the kernel takes to stop and to wake threads make it more: it was up to 0.26 %. */
static void many_threads_do_not_cost_more(void **state)
{
	(void)state;
	static const unsigned sizes[][2] = {{16, 8}, {128, 16}, {512, 64}}; /* processors, workloads */
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (size_t t = 0; t < TARGETS; t++) {
			const struct sim_config config = prepare(sizes[i][0], sizes[i][1], "parallel:128", targets[t]);
			const struct result result = simulate(&config);
			expect(result.own <= 0.0015, &config, "own", result.own, 0.0015);
		}
}

int main(void)
{
	setenv("SHOWSTOPPER_MODULE_PATH", SHOWSTOPPER_BUILD "/modules", 1);
	diag_name("test_sim_scale");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_load_is_held_from_the_beginning),
		cmocka_unit_test(readings_that_take_long_are_enough),
		cmocka_unit_test(the_cost_of_an_executor_does_not_grow),
		cmocka_unit_test(many_threads_do_not_cost_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
