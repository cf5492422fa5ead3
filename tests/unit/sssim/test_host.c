/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "load/stat.h"
#include "self/kernel.h"
#include "sssim/run.h"

#define START (10 * NS_PER_S)

static struct sim_machine machine;
static struct sim_host host;
static struct host_env env;
static struct sim_process *process;

static void stay_blocked(struct sim_process *which, struct sim_thread *thread)
{
	(void)which;
	(void)thread;
}

static void begin(unsigned processors, enum sim_accounting accounting)
{
	const struct sim_machine_config config = {
		.processors = processors, .start_ns = START, .slice_ns = 3 * NS_PER_MS, .tick_ns = 4 * NS_PER_MS, .seed = 1};
	assert_int_equal(sim_machine_init(&machine, &config), 0);
	host = (struct sim_host){.machine = &machine,
		.accounting = accounting,
		.counters = SIM_HAS_CPUACCT,
		.reading_ns = 20 * NS_PER_US,
		.reading_processor_ns = 3 * NS_PER_US};
	sim_env_init(&env, &host, 1, 9);
	process = sim_process_add(&machine, 1, stay_blocked, NULL);
	sim_thread_wake(&process->thread[0], SIM_ENDLESS);
	sim_process_stop(process);
}

static int end(void **state)
{
	(void)state;
	sim_host_free(&host);
	sim_machine_free(&machine);
	return 0;
}

static void run_for(int64_t ns)
{
	sim_process_continue(process);
	sim_machine_run(&machine, machine.now_ns + ns);
	sim_process_stop(process);
}

static void rest_for(int64_t ns)
{
	sim_machine_run(&machine, machine.now_ns + ns);
}

static const char *read_text(const char *path)
{
	static char text[8192];
	int64_t when_ns = 0;
	const struct sst_host *functions = env.env.host;
	const int handle = functions->open(&env.env, path);
	assert_true(handle >= 0);
	const ssize_t length = functions->read(&env.env, handle, text, sizeof text - 1, &when_ns);
	assert_true(length >= 0);
	assert_int_equal(when_ns, machine.now_ns);
	text[length] = '\0';
	functions->close(&env.env, handle);
	return text;
}

/* Sums are cut to 10 ms after adding and single processors before, so they need not agree. */
static void the_text_is_that_of_a_kernel(void **state)
{
	(void)state;
	begin(2, SIM_ACCOUNT_IDLE);
	run_for(9 * NS_PER_MS); /* ticks at 4 and 8 ms */
	rest_for(20 * NS_PER_MS);
	assert_string_equal(read_text("/proc/stat"), "cpu  0 0 0 2004 0 0 0 0 0 0\n"
						     "cpu0 0 0 0 1002 0 0 0 0 0 0\n"
						     "cpu1 0 0 0 1002 0 0 0 0 0 0\n"
						     "ctxt 2\nprocs_running 0\n");
	run_for(5 * NS_PER_MS); /* 29 to 34 ms: the tick at 32 ms; idle 2 * 10034 - 14 = 20054 ms */
	assert_string_equal(read_text("/proc/stat"), "cpu  1 0 0 2005 0 0 0 0 0 0\n"
						     "cpu0 1 0 0 1002 0 0 0 0 0 0\n"
						     "cpu1 0 0 0 1003 0 0 0 0 0 0\n"
						     "ctxt 3\nprocs_running 0\n");
	assert_string_equal(read_text("/sys/fs/cgroup/cpuacct/cpuacct.usage"), "14000000\n");
}

static void what_does_not_fit_is_cut_off(void **state)
{
	(void)state;
	char text[8];
	int64_t when_ns;
	begin(2, SIM_ACCOUNT_IDLE);
	const int handle = env.env.host->open(&env.env, "/proc/stat");
	assert_int_equal(env.env.host->read(&env.env, handle, text, sizeof text, &when_ns), 8);
	assert_memory_equal(text, "cpu  0 0", 8);
	assert_int_equal(host.charged_ns, 26 * NS_PER_US);
	host.charged_ns = 0;
	const int usage = env.env.host->open(&env.env, "/sys/fs/cgroup/cpuacct/cpuacct.usage");
	assert_int_equal(env.env.host->read(&env.env, usage, text, sizeof text, &when_ns), 2);
	assert_int_equal(host.charged_ns, 5 * NS_PER_US + 600);
}

static void other_files_are_not_there(void **state)
{
	(void)state;
	begin(1, SIM_ACCOUNT_IDLE);
	errno = 0;
	assert_int_equal(env.env.host->open(&env.env, "/proc/timer_list"), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(env.env.host->refuse(&env.env, "no %d", 3), -1);
	assert_string_equal(env.refusal, "no 3");
	assert_int_equal(env.env.entropy, 9);
}

static bool is_there(const char *path)
{
	errno = 0;
	const bool found = env.env.host->open(&env.env, path) >= 0;
	assert_true(found || errno == ENOENT);
	return found;
}

static void by_default_the_kernel_has_cpuacct_alone(void **state)
{
	(void)state;
	struct sim_config config;
	char names[8];
	sim_config_defaults(&config, 2);
	begin(2, SIM_ACCOUNT_IDLE);
	assert_int_equal(config.counters, host.counters);
	assert_true(config.idle_excess == 0);
	assert_false(is_there("/proc/schedstat"));
	assert_false(is_there("/proc/self/mountinfo"));
	assert_false(is_there("/proc/self/cgroup"));
	assert_false(is_there("/sys/fs/cgroup/cgroup.controllers"));
	assert_false(is_there("/sys/fs/cgroup/run/cpu.stat"));
	assert_false(is_there("/sys/fs/cgroup/rest/cpu.stat"));
	assert_int_equal(env.env.host->list(&env.env, "/sys/fs/cgroup", names, sizeof names), -1);
	assert_int_equal(errno, ENOENT);
	host.counters = 0;
	assert_false(is_there("/sys/fs/cgroup/cpuacct/cpuacct.usage"));
	assert_true(is_there("/proc/stat"));
}

static void groups_of_version_2_are_found(void **state)
{
	(void)state;
	char names[9];
	begin(2, SIM_ACCOUNT_IDLE);
	host.counters = SIM_HAS_GROUPS;
	assert_false(is_there("/sys/fs/cgroup/cpuacct/cpuacct.usage"));
	assert_false(is_there("/sys/fs/cgroup/cgroup.type"));
	assert_string_equal(read_text("/proc/self/mountinfo"), "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	assert_string_equal(read_text("/proc/self/cgroup"), "0::/run\n");
	assert_string_equal(read_text("/sys/fs/cgroup/cgroup.controllers"), "cpu\n");
	assert_int_equal(env.env.host->list(&env.env, "/sys/fs/cgroup", names, sizeof names), sizeof names);
	assert_memory_equal(names, "run\0rest", sizeof names);
	memset(names, 'x', sizeof names);
	assert_int_equal(env.env.host->list(&env.env, "/sys/fs/cgroup", names, 5), sizeof names);
	assert_memory_equal(names, "run\0xxxxx", sizeof names);
	assert_int_equal(env.env.host->list(&env.env, "/sys/fs/cgroup/run", names, sizeof names), -1);
	assert_int_equal(errno, ENOENT);
}

static struct sim_process *add_background(void)
{
	static struct sim_process *background;
	background = sim_process_add(&machine, 1, stay_blocked, NULL);
	host.background = &background;
	host.backgrounds = 1;
	return background;
}

static int64_t usage_us(const char *group)
{
	static const char before[] = "usage_usec ";
	char path[64];
	char *end;
	snprintf(path, sizeof path, "/sys/fs/cgroup/%s/cpu.stat", group);
	const char *const text = read_text(path);
	assert_memory_equal(text, before, strlen(before));
	const int64_t usage = strtoll(text + strlen(before), &end, 10);
	assert_string_equal(end, "\nuser_usec 0\nsystem_usec 0\n");
	return usage;
}

static int64_t schedstat_ns(unsigned processor)
{
	char before[32];
	snprintf(before, sizeof before, "\ncpu%u 0 0 0 0 0 0 ", processor);
	const char *const at = strstr(read_text("/proc/schedstat"), before);
	assert_non_null(at);
	return strtoll(at + strlen(before), NULL, 10);
}

static void groups_know_what_ran_until_the_last_tick(void **state)
{
	(void)state;
	begin(2, SIM_ACCOUNT_IDLE);
	host.counters = SIM_HAS_GROUPS;
	sim_process_continue(process);
	rest_for(3 * NS_PER_MS);
	assert_int_equal(usage_us("run"), 0);
	rest_for(6 * NS_PER_MS); /* ticks at 4 and 8 ms */
	assert_int_equal(usage_us("run"), 8000);
	sim_thread_wake(&add_background()->thread[0], SIM_ENDLESS);
	rest_for(5 * NS_PER_MS); /* a tick at 12 ms */
	assert_int_equal(usage_us("run"), 12000);
	assert_int_equal(usage_us("rest"), 3000);
	sim_process_stop(process);
	assert_int_equal(usage_us("run"), 14000);
	assert_int_equal(usage_us("rest"), 3000);
	host.past_ns = NS_PER_S;
	assert_int_equal(usage_us("run"), 14000);
	assert_int_equal(usage_us("rest"), 2003000);
	host.charged_ns = 0;
	usage_us("run");
	assert_int_equal(host.charged_ns, 5 * NS_PER_US);
}

#define TEN_ZEROS " 0 0 0 0 0 0 0 0 0 0"
#define DOMAIN_ZEROS TEN_ZEROS TEN_ZEROS TEN_ZEROS " 0 0 0 0 0 0\n"

static void schedstat_knows_what_ran_until_the_last_switch(void **state)
{
	(void)state;
	begin(2, SIM_ACCOUNT_IDLE);
	host.counters = SIM_HAS_SCHEDSTAT;
	sim_process_continue(process);
	rest_for(9 * NS_PER_MS); /* no end of a slice at which another one waits is a switch */
	assert_int_equal(schedstat_ns(0), 0);
	sim_process_stop(process);
	assert_string_equal(read_text("/proc/schedstat"), "version 15\ntimestamp 2502\n"
							  "cpu0 0 0 0 0 0 0 9000000 0 0\n"
							  "domain0 00000003" DOMAIN_ZEROS "cpu1 0 0 0 0 0 0 0 0 0\n"
							  "domain0 00000003" DOMAIN_ZEROS);
	host.charged_ns = 0;
	host.past_ns = NS_PER_S;
	assert_int_equal(schedstat_ns(1), NS_PER_S);
	assert_int_equal(host.charged_ns, 26 * NS_PER_US);
	/* A processor that was gone for 4 ms, and one that is. */
	host.gone_ns = 4 * NS_PER_MS;
	assert_int_equal(schedstat_ns(0), NS_PER_S + 5 * NS_PER_MS);
	host.gone_since_ns = machine.now_ns;
	assert_null(strstr(read_text("/proc/schedstat"), "cpu0"));
	end(NULL);
	begin(33, SIM_ACCOUNT_IDLE);
	host.counters = SIM_HAS_SCHEDSTAT;
	assert_non_null(strstr(read_text("/proc/schedstat"), "\ndomain0 00000001,ffffffff 0 0"));
}

static void each_slice_is_counted_when_it_ends(void **state)
{
	(void)state;
	begin(1, SIM_ACCOUNT_IDLE);
	host.counters = SIM_HAS_GROUPS | SIM_HAS_SCHEDSTAT;
	sim_process_continue(process);
	sim_thread_wake(&add_background()->thread[0], SIM_ENDLESS);
	rest_for(7 * NS_PER_MS); /* the background runs from 3 to 6 ms */
	assert_int_equal(schedstat_ns(0), 6 * NS_PER_MS);
	assert_int_equal(usage_us("run"), 3000);
	assert_int_equal(usage_us("rest"), 3000);
}

/* Whatever stops, goes on and stands still. */
static void no_counter_goes_back(void **state)
{
	(void)state;
	begin(2, SIM_ACCOUNT_IDLE);
	host.counters = SIM_HAS_GROUPS | SIM_HAS_SCHEDSTAT;
	sim_thread_wake(&add_background()->thread[0], SIM_ENDLESS);
	struct sim_random random = sim_random_stream(1, 1);
	int64_t before[4] = {0};
	for (int i = 0; i < 3000; i++) {
		struct sim_process *const either = sim_random_below(&random, 2) ? process : host.background[0];
		struct sim_processor *const processor = &machine.processor[sim_random_below(&random, 2)];
		if (sim_random_below(&random, 3) == 0 && !processor->still_until_ns)
			sim_processor_stand_still(processor, machine.now_ns + 5 * NS_PER_MS);
		else if (processor->still_until_ns)
			sim_processor_go_on(processor);
		else if (either->stopped)
			sim_process_continue(either);
		else
			sim_process_stop(either);
		rest_for((int64_t)sim_random_below(&random, 5 * NS_PER_MS));
		const int64_t now[4] = {usage_us("run"), usage_us("rest"), schedstat_ns(0), schedstat_ns(1)};
		for (int k = 0; k < 4; k++)
			assert_true(now[k] >= before[k]);
		assert_true((now[0] + now[1]) * 1000 <= sim_machine_charged_ns(&machine));
		assert_true(now[2] + now[3] <= sim_machine_charged_ns(&machine));
		memcpy(before, now, sizeof before);
	}
	assert_true(before[0] > 1000000 && before[1] > 1000000);
}

static void the_idle_clock_may_be_fast(void **state)
{
	(void)state;
	begin(2, SIM_ACCOUNT_IDLE);
	host.idle_excess = 0.1;
	run_for(9 * NS_PER_MS);
	rest_for(20 * NS_PER_MS); /* 11022 and 11031.9 ms */
	assert_string_equal(read_text("/proc/stat"), "cpu  0 0 0 2205 0 0 0 0 0 0\n"
						     "cpu0 0 0 0 1102 0 0 0 0 0 0\n"
						     "cpu1 0 0 0 1103 0 0 0 0 0 0\n"
						     "ctxt 2\nprocs_running 0\n");
	host.accounting = SIM_ACCOUNT_TICKS;
	assert_string_equal(read_text("/proc/stat"), "cpu  0 0 0 2004 0 0 0 0 0 0\n"
						     "cpu0 0 0 0 1002 0 0 0 0 0 0\n"
						     "cpu1 0 0 0 1002 0 0 0 0 0 0\n"
						     "ctxt 2\nprocs_running 0\n");
}

static void modules_find_out_about_the_accounting(void **state)
{
	(void)state;
	begin(1, SIM_ACCOUNT_TICKS);
	assert_false(linux_accounting_idle_clock(&env.env));
	host.accounting = SIM_ACCOUNT_IDLE;
	assert_true(linux_accounting_idle_clock(&env.env));
	host.accounting = SIM_ACCOUNT_CLOCK;
	assert_true(linux_accounting_idle_clock(&env.env));
}

static struct linux_stat stat_now(void)
{
	struct linux_stat stat;
	const char *text = read_text("/proc/stat");
	assert_int_equal(linux_stat_parse(text, strlen(text), NULL, &stat), 0);
	return stat;
}

/* The load that user and idle columns show between two texts. */
static void columns(const struct linux_stat *before, const struct linux_stat *now, int64_t length_ns, double *user, double *idle)
{
	const double units = (double)length_ns / 1e9 * linux_stat_hz() * machine.config.processors;
	*user = (double)(now->total.user - before->total.user) / units;
	*idle = 1 - (double)(now->total.idle - before->total.idle) / units;
}

/* Work of a time before the machine began, which each accounting has in its columns. */
static void what_was_before_is_shown(void **state)
{
	(void)state;
	for (int accounting = SIM_ACCOUNT_IDLE; accounting <= SIM_ACCOUNT_CLOCK; accounting++) {
		begin(2, (enum sim_accounting)accounting);
		rest_for(60 * NS_PER_S);
		host.past_ns = 20 * NS_PER_S;
		const struct linux_stat now = stat_now();
		assert_int_equal(now.total.user, 2 * 20 * (uint64_t)linux_stat_hz());
		assert_int_equal(now.total.idle, 2 * (40 + START / NS_PER_S) * (uint64_t)linux_stat_hz());
		end(NULL);
	}
	begin(1, SIM_ACCOUNT_IDLE);
}

/*
 * Work of 1 ms at a time that begins right after a tick, as that of a program which a tick wakes up: ticks don't see it. The
 * hazard that made `idle` a source of its own.
 */
static void each_accounting_has_its_bias(void **state)
{
	(void)state;
	static const struct {
		enum sim_accounting accounting;
		double user, idle;
	} expected[] = {
		{SIM_ACCOUNT_IDLE, 0, 0.125},
		{SIM_ACCOUNT_TICKS, 0, 0},
		{SIM_ACCOUNT_CLOCK, 0.125, 0.125},
	};
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		begin(2, expected[i].accounting);
		rest_for(NS_PER_MS / 10);
		const struct linux_stat before = stat_now();
		for (int k = 0; k < 2500; k++) {
			run_for(NS_PER_MS);
			rest_for(3 * NS_PER_MS);
		}
		const struct linux_stat now = stat_now();
		double user;
		double idle;
		columns(&before, &now, 10 * NS_PER_S, &user, &idle);
		assert_true(fabs(user - expected[i].user) < 0.0006);
		assert_true(fabs(idle - expected[i].idle) < 0.0006);
		end(NULL);
	}
	begin(1, SIM_ACCOUNT_IDLE);
}

static void the_workloads_time_is_known_once_there_are_any(void **state)
{
	(void)state;
	begin(2, SIM_ACCOUNT_IDLE);
	assert_int_equal(env.env.host->tree_cpu_time(&env.env), -1);
	assert_int_equal(errno, EAGAIN);
	struct sim_process *const workloads[] = {process};
	host.workload = workloads;
	host.workloads = 1;
	run_for(123456789);
	assert_int_equal(env.env.host->tree_cpu_time(&env.env), 123456789);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(the_text_is_that_of_a_kernel, end),
		cmocka_unit_test_teardown(what_does_not_fit_is_cut_off, end),
		cmocka_unit_test_teardown(other_files_are_not_there, end),
		cmocka_unit_test_teardown(by_default_the_kernel_has_cpuacct_alone, end),
		cmocka_unit_test_teardown(groups_of_version_2_are_found, end),
		cmocka_unit_test_teardown(groups_know_what_ran_until_the_last_tick, end),
		cmocka_unit_test_teardown(schedstat_knows_what_ran_until_the_last_switch, end),
		cmocka_unit_test_teardown(each_slice_is_counted_when_it_ends, end),
		cmocka_unit_test_teardown(no_counter_goes_back, end),
		cmocka_unit_test_teardown(the_idle_clock_may_be_fast, end),
		cmocka_unit_test_teardown(modules_find_out_about_the_accounting, end),
		cmocka_unit_test_teardown(what_was_before_is_shown, end),
		cmocka_unit_test_teardown(each_accounting_has_its_bias, end),
		cmocka_unit_test_teardown(the_workloads_time_is_known_once_there_are_any, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
