/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/units.h"
#include "sssim/run.h"

static struct sim_config config;
static struct sim_workload model;
static struct sim_run *run;

/* P processors, as many workloads, half load for 10 s. */
static void begin(unsigned processors, const char *workload)
{
	char error[OPTION_ERROR_MAX];
	sim_config_defaults(&config, processors);
	if (sim_workload_parse(&model, workload, processors, error) != 0)
		fail_msg("refused: %s", error);
	config.model = &model;
	config.models = 1;
	config.module_options[SST_TRACE] = "50%";
	config.run_time_ns = 10 * NS_PER_S;
}

static int go(void)
{
	sim_run_free(run);
	run = sim_run_new(&config);
	assert_non_null(run);
	return sim_run_go(run);
}

static int end(void **state)
{
	(void)state;
	sim_run_free(run);
	run = NULL;
	return 0;
}

/* The text of the log of one run, to be freed. */
static char *log_of_run(void)
{
	char path[] = "/tmp/test_sim_run.XXXXXX";
	struct stat status;
	const int file = mkstemp(path);
	assert_true(file >= 0);
	config.log = path;
	assert_int_equal(go(), 0);
	config.log = NULL;
	unlink(path);
	assert_int_equal(fstat(file, &status), 0);
	char *text = calloc(1, (size_t)status.st_size + 1);
	assert_non_null(text);
	assert_int_equal(pread(file, text, (size_t)status.st_size, 0), status.st_size);
	close(file);
	return text;
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
	(void)state;
	begin(3, "contended");
	config.workloads = 5;
	config.log_instances = true;
	char *text[3];
	for (int i = 0; i < 3; i++) {
		config.machine.seed = i == 2 ? 8 : 7;
		text[i] = log_of_run();
	}
	assert_string_equal(text[0], text[1]);
	assert_string_not_equal(text[0], text[2]);
	for (int i = 0; i < 3; i++)
		free(text[i]);
}

static void the_log_is_that_of_a_real_run(void **state)
{
	(void)state;
	static const char header[] = "time_s,monotonic_s,target,load,estimate,duty,runnable,others,duty_00,duty_01\n";
	begin(2, "single");
	config.warmup_ns = 1250 * NS_PER_MS;
	config.log_instances = true;
	char *text = log_of_run();
	assert_memory_equal(text, header, sizeof header - 1);
	double first = 0;
	double last = 0;
	int rows = 0;
	for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1, rows++) {
		last = strtod(line, NULL);
		if (rows == 0)
			first = last;
	}
	assert_int_equal(rows, 3 + 20);
	assert_true(fabs(first - -0.75) < 1e-6);
	assert_true(fabs(last - 10) < 1e-6);
	/* Free in the warm-up: no target, all of the machine, everything runs. */
	assert_non_null(strstr(strchr(text, '\n'), ",,1.000000,"));
	free(text);
}

/* The last sample is a short one where half of it is over in the end, and none before. */
static void a_sample_may_be_half_over_in_the_end(void **state)
{
	(void)state;
	begin(2, "single");
	config.log_interval_ns = 100 * NS_PER_MS;
	for (int pieces = 1; pieces <= 4; pieces++) {
		config.run_time_ns = 2 * NS_PER_S + pieces * config.log_interval_ns;
		free(log_of_run());
		assert_int_equal(run->summary.accuracy.samples, pieces < 3 ? 4 : 5);
	}
}

/* What backgrounds do is the background load, to the nanosecond; nothing else is. */
static void backgrounds_are_the_background_load(void **state)
{
	(void)state;
	char error[OPTION_ERROR_MAX];
	static struct sim_workload background;
	begin(2, "single");
	assert_int_equal(go(), 0);
	const struct summary *summary = &run->summary;
	assert_true(summary->others_mean == 0 && summary->others_max == 0);
	assert_int_equal(summary->others_samples, 20);
	assert_int_equal(sim_background_parse(&background, "30%,start=2s,end=7s", 2, error), 0);
	config.background = &background;
	config.backgrounds = 1;
	char *text = log_of_run();
	summary = &run->summary;
	assert_true(fabs(summary->others_mean - 0.15) < 0.002);
	assert_true(summary->others_max > 0.29 && summary->others_max < 0.33);
	int with = 0;
	for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		const char *last = strchr(line, '\n');
		while (last[-1] != ',')
			last--;
		with += strtod(last, NULL) > 0;
	}
	assert_in_range(with, 10, 11);
	free(text);
}

/* Every nanosecond of the machine's work is a workload's, an executor's, or the kernel's own. */
static void work_is_conserved(void **state)
{
	(void)state;
	static const char *const workloads[] = {"single", "parallel:3", "contended", "phased", "sleeper"};
	for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
		for (int priority = 0; priority < 2; priority++) {
			begin(3, workloads[i]);
			config.workloads = 4;
			config.machine.idle_cost_ns = 0;
			config.machine.priority = priority;
			assert_int_equal(go(), 0);
			const struct sim_machine *machine = &run->machine;
			const struct shared *shared = run->real.shared;
			int64_t work = 0;
			for (unsigned k = 0; k < 4; k++) {
				assert_int_equal(atomic_load(&shared->slot[k].workload_cpu_ns), sim_run_workload_ns(run, k));
				work += sim_run_workload_ns(run, k) + atomic_load(&shared->slot[k].executor_cpu_ns);
			}
			/* An executor is charged when it begins; at the end at most one per processor is in the middle of it. */
			assert_in_range(work, sim_machine_work_ns(machine), sim_machine_work_ns(machine) + 3 * NS_PER_MS);
			assert_int_equal(sim_machine_work_ns(machine), sim_machine_charged_ns(machine));
		}
}

static void what_modules_see_is_what_happened(void **state)
{
	(void)state;
	begin(4, "parallel:2");
	assert_int_equal(go(), 0);
	const struct accuracy exact = sim_history_accuracy(&run->history, SUMMARY_SAMPLE_NS);
	const struct summary *summary = &run->summary;
	assert_int_equal(exact.samples, 20);
	assert_int_equal(summary->accuracy.samples, 20);
	assert_true(fabs(accuracy_mean_load(&exact) - accuracy_mean_load(&summary->accuracy)) < 0.001);
	assert_true(fabs(accuracy_mean_error_pp(&exact)) < 1);
}

/* Nothing corrects it, and nothing disturbs it. */
static void open_control_runs_for_the_duty_cycle(void **state)
{
	(void)state;
	begin(8, "single");
	config.module[SST_CONTROL] = "open";
	config.module[SST_DITHERING] = "averageq";
	config.module_options[SST_DITHERING] = "jitter=0";
	config.module_options[SST_TRACE] = "30%";
	config.run_time_ns = 107 * 100 * NS_PER_MS;
	config.edge_ns = config.edge_thread_ns = config.reading_ns = config.reading_processor_ns = config.machine.idle_cost_ns =
		0;
	config.machine.wakeup_ns = config.release_ns = 0;
	assert_int_equal(go(), 0);
	for (unsigned i = 0; i < 8; i++)
		assert_true(fabs((double)sim_run_workload_ns(run, i) - 0.3 * (double)config.run_time_ns) < 1e4);
	assert_true(run->summary.lateness_99_us <= 1);
}

static int64_t executors_ns(void)
{
	return (int64_t)(run->summary.executors_cpu_s * 1e9);
}

/* On one processor, which the workload would have for itself. */
static int64_t own_time(int64_t edge_ns, int64_t edge_thread_ns, int64_t reading_processor_ns)
{
	begin(1, "parallel:8");
	config.module_options[SST_FEEDBACK] = "source=idle";
	config.module_options[SST_TRACE] = "60%";
	config.edge_ns = edge_ns;
	config.edge_thread_ns = edge_thread_ns;
	config.reading_ns = 0;
	config.reading_processor_ns = reading_processor_ns;
	config.machine.idle_cost_ns = 0;
	assert_int_equal(go(), 0);
	const int64_t own_ns = executors_ns();
	/* Each instant of the processor is the workload's, the executor's or idle; what is charged is one of the former. */
	assert_true(llabs(sim_run_workload_ns(run, 0) + own_ns - sim_machine_charged_ns(&run->machine)) < NS_PER_MS + 1);
	return own_ns;
}

static void executors_take_their_time_from_the_workloads(void **state)
{
	(void)state;
	assert_int_equal(own_time(0, 0, 0), 0);
	const int64_t edges_ns = own_time(NS_PER_MS, 0, 0);
	assert_true(edges_ns > 100 * NS_PER_MS);
	/* Of eight threads; an edge that leaves the workload as it is wakes none. */
	const int64_t threads_ns = own_time(0, NS_PER_MS / 8, 0);
	assert_in_range(threads_ns, edges_ns * 8 / 10, edges_ns);
	assert_true(own_time(0, 0, 100 * NS_PER_US) > NS_PER_MS);
}

/* Every two seconds a processor stands still for 100 ms. What that does is tested with control, in test_sim_control. */
static void processors_stand_still(void **state)
{
	(void)state;
	begin(2, "single");
	config.run_time_ns = 60 * NS_PER_S;
	config.stall_ns = 100 * NS_PER_MS;
	assert_int_equal(go(), 0);
	assert_in_range(run->stall.count, 20, 40);
	const struct sim_history *history = &run->history;
	const struct sim_history *own = &run->own_history;
	assert_int_equal(own->steps, history->steps);
	for (size_t i = 0; i < own->steps; i++)
		assert_true(own->work_ns[i] <= history->work_ns[i]);
}

/* Showstopper's processes do nothing for a second and a half, and so write no row; the next one has all of that time. */
static void who_is_halted_records_nothing(void **state)
{
	(void)state;
	begin(2, "single");
	config.halt = SIM_HALT_EXECUTORS;
	config.halt_at_ns = 3200 * NS_PER_MS;
	config.halt_ns = 1500 * NS_PER_MS;
	char *text = log_of_run();
	double last = 0, longest = 0;
	for (char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
		const double now = strtod(line, NULL);
		assert_true(now <= 3.2 || now >= 4.7);
		longest = fmax(longest, now - last);
		last = now;
	}
	assert_true(fabs(last - 10) < 1e-6);
	assert_true(longest > 1.6 && longest < 2.5);
	free(text);
}

/* Two workloads that fill both processors: the stop of one waits for the end of a slice unless executors come first. */
static void priority_makes_enforcement_prompt(void **state)
{
	(void)state;
	double late[2];
	for (int priority = 0; priority < 2; priority++) {
		begin(2, "parallel:4");
		config.machine.priority = priority;
		config.module_options[SST_TRACE] = "90%";
		assert_int_equal(go(), 0);
		late[priority] = run->summary.lateness_99_us;
	}
	assert_true(late[1] < 500);
	assert_true(late[0] > 1500);
}

static void models_are_given_in_turn(void **state)
{
	(void)state;
	char error[OPTION_ERROR_MAX];
	begin(4, "single");
	struct sim_workload models[2];
	assert_int_equal(sim_workload_parse(&models[0], "single", 4, error), 0);
	assert_int_equal(sim_workload_parse(&models[1], "sleeper:work=1m,sleep=1s", 4, error), 0);
	config.model = models;
	config.models = 2;
	config.module_options[SST_TRACE] = "100%";
	assert_int_equal(go(), 0);
	assert_true(sim_run_workload_ns(run, 0) > 9 * NS_PER_S && sim_run_workload_ns(run, 2) > 9 * NS_PER_S);
	assert_true(sim_run_workload_ns(run, 1) < NS_PER_S && sim_run_workload_ns(run, 3) < NS_PER_S);
}

static void trouble_is_told(void **state)
{
	(void)state;
	/* One line each on standard error; the test is that nothing is leaked and nothing begins. */
	begin(2, "single");
	config.module_options[SST_TRACE] = NULL;
	assert_null(sim_run_new(&config));
	config.module_options[SST_TRACE] = "50%";
	config.module[SST_CONTROL] = "nosuchmodule";
	assert_null(sim_run_new(&config));
	begin(2, "single");
	config.run_time_ns = -1; /* and the trace is endless */
	assert_null(sim_run_new(&config));
	begin(2, "single");
	config.log = "/nosuchfolder/log";
	assert_null(sim_run_new(&config));
	begin(2, "single");
	config.log = "/dev/full";
	assert_null(sim_run_new(&config));
}

static void the_trace_says_how_long(void **state)
{
	(void)state;
	begin(2, "single");
	config.module[SST_TRACE] = "staircase";
	config.module_options[SST_TRACE] = "from=20%,to=40%,step=20%,hold=3s";
	config.run_time_ns = -1;
	assert_int_equal(go(), 0);
	const struct sim_history *history = &run->history;
	const struct sim_machine *machine = &run->machine;
	assert_true(history->steps >= 600);
	assert_true(fabsf(history->target[0] - 0.2f) < 1e-6f);
	assert_true(machine->now_ns - machine->config.start_ns >= 6 * NS_PER_S);
}

int main(void)
{
	setenv("SHOWSTOPPER_MODULE_PATH", SHOWSTOPPER_BUILD "/modules", 1);
	diag_name("test_sim_run");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(the_same_seed_gives_the_same_bytes, end),
		cmocka_unit_test_teardown(the_log_is_that_of_a_real_run, end),
		cmocka_unit_test_teardown(a_sample_may_be_half_over_in_the_end, end),
		cmocka_unit_test_teardown(backgrounds_are_the_background_load, end),
		cmocka_unit_test_teardown(work_is_conserved, end),
		cmocka_unit_test_teardown(what_modules_see_is_what_happened, end),
		cmocka_unit_test_teardown(executors_take_their_time_from_the_workloads, end),
		cmocka_unit_test_teardown(open_control_runs_for_the_duty_cycle, end),
		cmocka_unit_test_teardown(who_is_halted_records_nothing, end),
		cmocka_unit_test_teardown(processors_stand_still, end),
		cmocka_unit_test_teardown(priority_makes_enforcement_prompt, end),
		cmocka_unit_test_teardown(models_are_given_in_turn, end),
		cmocka_unit_test_teardown(trouble_is_told, end),
		cmocka_unit_test_teardown(the_trace_says_how_long, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
