/* SPDX-License-Identifier: MIT */
/*
 * The load of cores, which realtime estimates with unit=core, against that of the simulated machine, which knows it. In virtual time, with the
 * real modules. What is estimated wrongly is held wrongly.
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

#include "base/units.h"
#include "sssim/run.h"

#define WINDOW_NS (500 * NS_PER_MS)

static const char *const placements[] = {[SIM_PLACE_LINUX] = "linux", [SIM_PLACE_CORES] = "cores", [SIM_PLACE_ANY] = "any"};

struct result {
	double error_pp;      /* of the true load of cores */
	double seen_error_pp; /* of that which was read */
	double processors, cores;
};

static struct result hold(
	unsigned processors, const char *workload, const char *target, enum sim_placement placement, const char *feedback)
{
	static struct sim_workload model;
	struct sim_config config;
	char error[OPTION_ERROR_MAX];
	sim_config_defaults(&config, processors);
	if (sim_workload_parse(&model, workload, processors, error) != 0)
		fail_msg("refused: %s", error);
	config.model = &model;
	config.models = 1;
	config.machine.topology.threads = 2;
	config.machine.topology.placement = placement;
	config.module_options[SST_TRACE] = target;
	config.module_options[SST_FEEDBACK] = feedback;
	config.run_time_ns = 20 * NS_PER_S;
	struct sim_run *run = sim_run_new(&config);
	assert_non_null(run);
	assert_int_equal(sim_run_go(run), 0);
	const struct accuracy exact = sim_history_accuracy(&run->history, WINDOW_NS);
	const struct sim_use use = sim_run_use(run);
	const struct result result = {
		.error_pp = accuracy_mean_error_pp(&exact),
		.seen_error_pp = accuracy_mean_error_pp(&run->summary.accuracy),
		.processors = (double)use.processors_ns / (double)use.length_ns / processors,
		.cores = 2 * (double)use.cores_ns / (double)use.length_ns / processors,
	};
	sim_run_free(run);
	return result;
}

/* The limits are the errors found, with some room: independent shares of whole samples would be off by up to 23 pp. */
static void the_load_of_cores_is_held(void **state)
{
	(void)state;
	static const char *const targets[] = {"25%", "50%", "75%"};
	static const struct {
		unsigned processors;
		const char *workload;
		double limit_pp;
	} cases[] = {{4, "single", 1.5}, {16, "single", 2}, {64, "single", 2}, {4, "contended", 4.5}, {16, "contended", 3.5},
		{16, "parallel:4", 4.5}, {16, "phased", 4}};
	unsigned missed = 0;
	printf("\n| P | workload | placement | target | error, pp | seen |\n| ---: | --- | --- | ---: | ---: | ---: |\n");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int placement = 0; placement < 3; placement++)
			for (size_t t = 0; t < 3; t++) {
				const struct result found = hold(cases[i].processors, cases[i].workload, targets[t],
					(enum sim_placement)placement, "unit=core");
				const bool is_held =
					fabs(found.error_pp) <= cases[i].limit_pp && fabs(found.seen_error_pp) <= 0.2;
				printf("| %u | %s | %s | %s | %+.2f | %+.2f |%s\n", cases[i].processors, cases[i].workload,
					placements[placement], targets[t], found.error_pp, found.seen_error_pp,
					is_held ? "" : " MISSED");
				missed += !is_held;
			}
	assert_int_equal(missed, 0);
}

/* A thread on each core is half of the processors, and all cores. */
static void the_two_loads_differ(void **state)
{
	(void)state;
	const struct result cores = hold(16, "single", "60%", SIM_PLACE_CORES, "unit=core");
	assert_true(fabs(cores.processors - 0.3) < 0.02);
	assert_true(fabs(cores.cores - 0.6) < 0.02);
	const struct result processors = hold(16, "single", "60%", SIM_PLACE_CORES, "unit=processor");
	assert_true(fabs(processors.processors - 0.6) < 0.01);
	assert_true(processors.cores > 0.9);
}

int main(void)
{
	setenv("SHOWSTOPPER_MODULE_PATH", SHOWSTOPPER_BUILD "/modules", 1);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_load_of_cores_is_held),
		cmocka_unit_test(the_two_loads_differ),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
