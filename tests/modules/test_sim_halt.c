/* SPDX-License-Identifier: MIT */
/*
 * How the load is held after somebody has stood still for 1.5 s without having been told: Showstopper alone (SIGSTOP), with its workloads
 * (a frozen control group), or the whole machine (a guest whose host stands still); and after a processor was gone for so long. In virtual
 * time, with the real modules.
 */
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
#define HALT_AT_NS (8 * NS_PER_S)
#define HALT_NS (1500 * NS_PER_MS)
/* The second window after it. */
#define FROM_NS (HALT_AT_NS + HALT_NS + WINDOW_NS)

#define HALTS 4
static const char *const names[HALTS] = {"executors", "run", "machine", "processor"};

/* The largest distance from the target, pp. `halt`: enum sim_halt, or -1 for none. */
static double worst(int halt, unsigned processors, unsigned workloads, const char *workload, const char *load,
	const char *control, enum sim_accounting accounting)
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
	config.accounting = accounting;
	config.module_options[SST_TRACE] = load;
	config.run_time_ns = 16 * NS_PER_S;
	if (control)
		config.module[SST_CONTROL] = control;
	if (halt >= 0) {
		config.halt = (enum sim_halt)halt;
		config.halt_at_ns = HALT_AT_NS;
		config.halt_ns = HALT_NS;
	}
	struct sim_run *run = sim_run_new(&config);
	assert_non_null(run);
	assert_int_equal(sim_run_go(run), 0);
	const double distance = 100 * sim_history_worst(&run->history, WINDOW_NS, (size_t)(FROM_NS / SIM_HISTORY_STEP_NS));
	sim_run_free(run);
	return distance;
}

static unsigned missed;

static void try_all(
	unsigned processors, unsigned workloads, const char *workload, const char *control, enum sim_accounting accounting)
{
	static const char *const loads[] = {"10%", "50%", "75%"};
	for (int halt = 0; halt < HALTS; halt++)
		for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
			const double without = worst(-1, processors, workloads, workload, loads[i], control, accounting);
			const double found = worst(halt, processors, workloads, workload, loads[i], control, accounting);
			/* What a control can't hold at all it needn't hold here. */
			const double most = without > 4 ? without + 1 : 5;
			printf("| %s | %u | %u | %s | %s | %s | %.1f | %.1f |%s\n", names[halt], processors, workloads, workload,
				control ? control : "default", loads[i], without, found, found > most ? " MISSED" : "");
			missed += found > most;
		}
}

static void the_load_is_held_again_from_the_second_window_on(void **state)
{
	(void)state;
	printf("\n| stood still | P | N | workload | control | target | without, pp | after it, pp |\n"
	       "| --- | ---: | ---: | --- | --- | ---: | ---: | ---: |\n");
	try_all(2, 2, "single", NULL, SIM_ACCOUNT_CLOCK);
	try_all(2, 4, "single", NULL, SIM_ACCOUNT_IDLE);
	try_all(2, 2, "parallel:2", NULL, SIM_ACCOUNT_IDLE);
	try_all(12, 12, "single", NULL, SIM_ACCOUNT_TICKS);
	try_all(12, 24, "contended", NULL, SIM_ACCOUNT_CLOCK);
	try_all(12, 12, "single", "rbpid", SIM_ACCOUNT_CLOCK);
	try_all(12, 12, "single", "geom", SIM_ACCOUNT_CLOCK);
	assert_int_equal(missed, 0);
}

int main(void)
{
	setenv("SHOWSTOPPER_MODULE_PATH", SHOWSTOPPER_BUILD "/modules", 1);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_load_is_held_again_from_the_second_window_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
