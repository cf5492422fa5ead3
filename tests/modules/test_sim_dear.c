/* SPDX-License-Identifier: MIT */
/*
 * How the load is held where a reading is so dear that samples are rare, as `workloads` is with hundreds of processes. In virtual time, with
 * the real modules.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/units.h"
#include "sssim/run.h"

#define WINDOW_NS (500 * NS_PER_MS)

static struct accuracy simulate(unsigned processors, int64_t reading_ns, const char *target, const char *control)
{
	static struct sim_workload model;
	struct sim_config config;
	char error[OPTION_ERROR_MAX];
	sim_config_defaults(&config, processors);
	if (sim_workload_parse(&model, "single", processors, error) != 0)
		fail_msg("refused: %s", error);
	config.model = &model;
	config.models = 1;
	config.workloads = processors;
	config.run_time_ns = 60 * NS_PER_S;
	config.reading_ns = reading_ns;
	config.module[SST_CONTROL] = control;
	config.module_options[SST_TRACE] = target;
	config.module_options[SST_FEEDBACK] = "source=idle";
	struct sim_run *run = sim_run_new(&config);
	assert_non_null(run);
	assert_int_equal(sim_run_go(run), 0);
	const struct accuracy accuracy = sim_history_accuracy(&run->history, WINDOW_NS);
	sim_run_free(run);
	return accuracy;
}

struct limit {
	const char *control;
	double error_pp, mse_pp2;
};

static void expect_held(const struct limit *limit, unsigned processors, int64_t reading_ns, const char *target)
{
	const struct accuracy found = simulate(processors, reading_ns, target, limit->control);
	const double error_pp = accuracy_mean_error_pp(&found);
	const double mse_pp2 = accuracy_mse_pp2(&found);
	if (!(fabs(error_pp) <= limit->error_pp && mse_pp2 <= limit->mse_pp2))
		fail_msg("%s, %u processors, %s, readings of %g ms: mean error %.2f pp, MSE %.1f pp^2", limit->control,
			processors, target, (double)reading_ns / NS_PER_MS, error_pp, mse_pp2);
}

static void expect_all_held(const struct limit *limit)
{
	static const char *const targets[] = {"20%", "40%", "80%"};
	static const unsigned processors[] = {1, 2, 4, 16};
	static const int64_t readings_ms[] = {2, 3, 5, 10};
	for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
		for (size_t p = 0; p < sizeof processors / sizeof *processors; p++)
			for (size_t r = 0; r < sizeof readings_ms / sizeof *readings_ms; r++)
				expect_held(limit, processors[p], readings_ms[r] * NS_PER_MS, targets[t]);
}

/* What was owed was repaid within 60 ms, again and again until the next sample: 10 pp, 1000 pp^2. */
static void deficit_does_not_swing(void **state)
{
	(void)state;
	expect_all_held(&(struct limit){"deficit", 0.1, 25});
}

/* Its gain was for samples of a tenth of a second: 10 pp, 1500 pp^2 (16 processors). */
static void rbpid_does_not_swing(void **state)
{
	(void)state;
	expect_all_held(&(struct limit){"rbpid", 2, 60});
}

int main(void)
{
	setenv("SHOWSTOPPER_MODULE_PATH", SHOWSTOPPER_BUILD "/modules", 1);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deficit_does_not_swing),
		cmocka_unit_test(rbpid_does_not_swing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
