/* SPDX-License-Identifier: MIT */
/* Iterations in virtual time: each level of the maximum is held within a hundredth of it over a minute, whatever an iteration is. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "sssim/run.h"

/* Of the maximum. */
#define MOST 0.01

static struct sim_workload model;

static struct sim_config prepare(
	unsigned processors, unsigned workloads, const char *workload, const char *load, const char *options)
{
	struct sim_config config;
	char error[OPTION_ERROR_MAX];
	sim_config_defaults(&config, processors);
	if (sim_workload_parse(&model, workload, processors, error) != 0)
		fail_msg("refused: %s", error);
	config.model = &model;
	config.models = 1;
	config.workloads = workloads;
	config.run_time_ns = 60 * NS_PER_S;
	config.module[SST_FEEDBACK] = "throughput";
	config.module_options[SST_FEEDBACK] = options;
	config.module_options[SST_TRACE] = load;
	return config;
}

/* Iterations per second, exactly; *maximum is what the module took for the highest. */
static double rate_of(const struct sim_config *config, double *maximum)
{
	struct sim_run *run = sim_run_new(config);
	assert_non_null(run);
	assert_int_equal(sim_run_go(run), 0);
	const struct sim_use use = sim_run_use(run);
	*maximum = run->summary.maximum;
	sim_run_free(run);
	return use.iterations * 1e9 / (double)use.length_ns;
}

/* What they do when nobody holds them. */
static double free_rate(unsigned processors, unsigned workloads, const char *workload)
{
	double ignored;
	struct sim_config config = prepare(processors, workloads, workload, NULL, "max=1");
	config.module[SST_TRACE] = "constant";
	config.module_options[SST_TRACE] = "1";
	config.module[SST_CONTROL] = "open";
	return rate_of(&config, &ignored);
}

static void expect_level(unsigned processors, unsigned workloads, const char *workload, const char *load, double expected)
{
	double maximum;
	const double highest = free_rate(processors, workloads, workload);
	const struct sim_config config = prepare(processors, workloads, workload, load, NULL);
	const double share = rate_of(&config, &maximum) / highest;
	if (fabs(share - expected) > MOST || fabs(maximum / highest - 1) > MOST)
		fail_msg("%u processors, %u × %s: %.2f %% of the maximum, expected %.0f %%; the maximum was taken for %.6g, and "
			 "is "
			 "%.6g",
			processors, workloads, workload, 100 * share, 100 * expected, maximum, highest);
}

static void levels_are_held(void **state)
{
	(void)state;
	static const char *const lengths[] = {"single:iteration=1m", "single:iteration=30m", "single:iteration=100m"};
	static const struct {
		const char *load;
		double share;
	} levels[] = {{"1", 1}, {"90%", 0.9}, {"70%", 0.7}, {"40%", 0.4}, {"10%", 0.1}};
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
		for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
			expect_level(2, 2, lengths[i], levels[k].load, levels[k].share);
}

static void whatever_the_workloads_are(void **state)
{
	(void)state;
	expect_level(2, 1, "single:iteration=100m", "40%", 0.4);
	expect_level(4, 12, "single:iteration=100m", "40%", 0.4);
	expect_level(4, 3, "parallel:iteration=100m", "40%", 0.4);
	expect_level(4, 4, "contended:iteration=100m", "40%", 0.4);
	expect_level(4, 4, "sleeper:iteration=10m", "40%", 0.4);
	/* What a service answers: all that comes where it keeps up, and more than it can. */
	expect_level(2, 1, "service:rate=80,mean=20m", "40%", 0.4);
	expect_level(2, 2, "service:rate=80,mean=20m", "70%", 0.7);
}

static void cores_that_are_shared_make_no_difference(void **state)
{
	(void)state;
	double maximum, ignored;
	struct sim_config config = prepare(8, 8, "single:iteration=100m", "1", "max=1");
	config.machine.topology.threads = 2;
	config.module[SST_CONTROL] = "open";
	const double highest = rate_of(&config, &ignored);
	config = prepare(8, 8, "single:iteration=100m", "40%", NULL);
	config.machine.topology.threads = 2;
	assert_true(fabs(rate_of(&config, &maximum) / highest - 0.4) <= MOST);
}

static void a_maximum_that_is_given_is_believed(void **state)
{
	(void)state;
	double maximum;
	/* Half of what they can do, and more. */
	struct sim_config config = prepare(2, 2, "single:iteration=100m", "1", "max=10");
	assert_true(fabs(rate_of(&config, &maximum) / 10 - 1) <= MOST);
	config = prepare(2, 2, "single:iteration=100m", "40%", "max=30");
	assert_true(fabs(rate_of(&config, &maximum) / 30 - 0.4) <= MOST);
	config = prepare(2, 2, "single:iteration=100m", "1", "max=30");
	assert_true(fabs(rate_of(&config, &maximum) / 20 - 1) <= MOST);
}

static void without_iterations_there_is_no_run(void **state)
{
	(void)state;
	const struct sim_config config = prepare(2, 2, "single:iteration=1000s", "40%", NULL);
	struct sim_run *run = sim_run_new(&config);
	assert_non_null(run);
	assert_int_equal(sim_run_go(run), -1);
	sim_run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_are_held),
		cmocka_unit_test(whatever_the_workloads_are),
		cmocka_unit_test(cores_that_are_shared_make_no_difference),
		cmocka_unit_test(a_maximum_that_is_given_is_believed),
		cmocka_unit_test(without_iterations_there_is_no_run),
	};
	setenv("SHOWSTOPPER_MODULE_PATH", SHOWSTOPPER_BUILD "/modules", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
