/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "realtime_test.h"

/* ---- Tests ------------------------------------------------------------------------------------------------------------ */

static void idle_columns_are_taken_against_the_clock(void **state)
{
	(void)state;
	struct sst_sample found;
	start("source=idle");
	const struct sst_reading before = read_now();
	assert_near(before.processors, 2, 0);
	/* In half a second 0.4 + 0.2 s of 1 s were idle; what the busy columns say doesn't matter. */
	now_ns += 500 * NS_PER_MS;
	write_stat(999, 240, 999, 420);
	const struct sst_reading now = expect_sample(&before, 0.4, 1);
	assert_false(sample(&now, &now, &found)); /* no time */
	assert_false(sample(&now, &before, &found));
	module_test_end(&test);
}

static void ticks_are_taken_against_each_other(void **state)
{
	(void)state;
	start("source=ticks");
	const struct sst_reading before = read_now();
	now_ns += 500 * NS_PER_MS;
	write_stat(130, 220, 300, 430); /* 30 busy, 50 idle */
	expect_sample(&before, 0.3, 0.8);
	module_test_end(&test);
}

static void cpu_time_of_tasks_is_taken_against_the_clock(void **state)
{
	(void)state;
	struct sst_sample found;
	write_usage(5000000000);
	start("source=cpuacct");
	const struct sst_reading before = read_now();
	assert_near(before.processors, 2, 0);
	now_ns += 250 * NS_PER_MS;
	write_usage(5123456789);
	const struct sst_reading now = expect_sample(&before, 0.123456789, 0.5);
	assert_false(sample(&now, &before, &found));
	const struct sst_reading back = {.when_ns = now.when_ns + 1, .processors = 2, .counter = {5123456788}};
	assert_false(sample(&now, &back, &found)); /* a counter that went back */
	/* Where the kernel has no list of them, how many processors there are is looked at once a second. */
	const int reads = file[STAT].reads;
	read_now();
	assert_int_equal(file[STAT].reads, reads);
	now_ns += NS_PER_S;
	read_now();
	assert_int_equal(file[STAT].reads, reads + 1);
	module_test_end(&test);
}

/* A look once a second had up to a second of samples with the capacity of processors that were gone. */
static void cpu_time_of_tasks_is_divided_by_the_processors_there_are(void **state)
{
	(void)state;
	struct sst_sample found;
	write_usage(5000000000);
	write_file(ONLINE, "0-1\n");
	start("source=cpuacct");
	const struct sst_reading both = read_now();
	now_ns += 50 * NS_PER_MS;
	write_file(STAT, "cpu  100 0 0 200 0 0 0 0 0 0\ncpu0 100 0 0 200 0 0 0 0 0 0\nintr 0\n");
	write_file(ONLINE, "0\n");
	const struct sst_reading one = read_now();
	assert_near(one.processors, 1, 0);
	assert_false(sample(&both, &one, &found));
	now_ns += 50 * NS_PER_MS;
	write_usage(5020000000);
	const int reads = file[STAT].reads;
	const struct sst_reading later = read_now();
	assert_int_equal(file[STAT].reads, reads);
	assert_true(sample(&one, &later, &found));
	assert_near(found.capacity, 0.05, 1e-12);
	assert_near(found.work, 0.02, 1e-12);
	/* A count that failed is tried again. */
	write_file(ONLINE, "0-1\n");
	file[STAT].error = EIO;
	struct sst_reading reading;
	assert_int_equal(test.module.feedback->read(test.module.state, &test.env, &reading), -1);
	file[STAT].error = 0;
	write_stat(100, 200, 300, 400);
	assert_near(read_now().processors, 2, 0);
	module_test_end(&test);
}

static void a_subset_of_processors_can_be_measured(void **state)
{
	(void)state;
	start("source=idle,cpus=1,3");
	const struct sst_reading before = read_now();
	assert_near(before.processors, 1, 0); /* there is no processor 3 */
	now_ns += 500 * NS_PER_MS;
	write_stat(100, 250, 350, 410); /* of processor 1 0.1 s were idle */
	expect_sample(&before, 0.4, 0.5);
	module_test_end(&test);
}

static void the_workloads_processors_are_measured(void **state)
{
	(void)state;
	const struct sst_cpus second = {1, (const unsigned[]){1}};
	controlled = &second;
	start("source=idle");
	assert_near(read_now().processors, 1, 0);
	assert_non_null(strstr(module_test_options(&test), "cpus=1"));
	module_test_end(&test);
	/* The user knows better. */
	expect("source=idle,cpus=0-1", NULL, 2);
	controlled = NULL;
}

static const struct sst_cpus *current;
static uint64_t moves;

static const struct sst_cpus *current_cpus(const struct sst_env *env, uint64_t *count)
{
	(void)env;
	*count = moves;
	return current;
}

static void workloads_that_are_moved_are_followed(void **state)
{
	(void)state;
	const struct sst_cpus first = {1, (const unsigned[]){0}};
	const struct sst_cpus second = {1, (const unsigned[]){1}};
	struct sst_sample found;
	controlled = current = &first;
	write_usage(3900000000);
	assert_null(module_test_open(&test, SST_FEEDBACK, "realtime", NULL));
	test.host.open = open_file;
	test.host.read = read_file;
	test.host.close = close_file;
	test.host.cpus = current_cpus;
	test.env.cpus = controlled;
	test.env.moving = true;
	assert_null(module_test_prepare(&test));
	assert_source("idle");
	struct sst_reading before = read_now();
	now_ns += 500 * NS_PER_MS;
	write_stat(100, 230, 300, 450); /* 0.3 s and 0.5 s were idle */
	struct sst_reading now = read_now();
	assert_true(sample(&before, &now, &found));
	assert_near(found.work, 0.2, 1e-12);
	current = &second;
	moves = 1;
	before = now;
	now = read_now();
	assert_false(sample(&before, &now, &found));
	before = now;
	now_ns += 500 * NS_PER_MS;
	write_stat(100, 280, 300, 460);
	now = read_now();
	assert_true(sample(&before, &now, &found));
	assert_near(found.work, 0.4, 1e-12);
	current = NULL; /* all */
	moves = 2;
	before = read_now();
	assert_near(before.processors, 2, 0);
	now_ns += 500 * NS_PER_MS;
	write_stat(100, 330, 300, 460);
	now = read_now();
	assert_true(sample(&before, &now, &found));
	assert_near(found.work, 0.5, 1e-12);
	module_test_end(&test);
	controlled = NULL;
	moves = 0;
}

static void a_subset_has_the_columns_of_cpuacct(void **state)
{
	(void)state;
	write_file(POSSIBLE, "0-3\n");
	write_file(PERCPU, "1000000000 3000000000 0 0 \n"); /* as much as /proc/stat says */
	expect("cpus=1", "combined", ANY);
	start("source=cpuacct,cpus=0-1");
	const struct sst_reading before = read_now();
	now_ns += 250 * NS_PER_MS;
	write_file(PERCPU, "1100000000 3123456789 7 7\n");
	expect_sample(&before, 0.223456789, 0.5);
	write_file(PERCPU, "1100000000\n");
	struct sst_reading reading;
	assert_int_equal(test.module.feedback->read(test.module.state, &test.env, &reading), -1);
	assert_int_equal(errno, ENODATA);
	module_test_end(&test);
	/* Which column is whose can't be told. */
	write_file(PERCPU, "1000000000 3000000000\n");
	write_file(POSSIBLE, "0,2\n");
	expect("cpus=1", "idle", ANY);
	write_file(POSSIBLE, "0-3\n");
	write_file(PERCPU, "1000000000\n");
	expect("cpus=1", "idle", ANY);
}

static void the_source_suits_the_machine(void **state)
{
	(void)state;
	expect(NULL, "idle", ANY);
	write_usage(3900000000); /* of the 4 s that were worked since boot */
	expect(NULL, "combined", ANY);
	expect("cpus=0", "idle", ANY); /* cpuacct.usage counts the whole machine */
	write_usage(1000000000);       /* that of a container: it has not counted what the others worked */
	expect(NULL, "idle", ANY);
	write_file(CMDLINE, "quiet nohz=off\n");
	expect(NULL, "ticks", ANY);
	expect("source=idle", "idle", ANY); /* the user knows better */
}

static void what_cannot_work_is_refused(void **state)
{
	(void)state;
	assert_string_equal(
		load("source=cpuacct"), "source=cpuacct: can't open the root cgroup's cpuacct.usage: No such file or directory");
	assert_string_equal(load("source=combined"),
		"source=combined: can't open the root cgroup's cpuacct.usage: No such file or directory");
	assert_string_equal(load("source=idle,cpus=7"), "/proc/stat has none of the processors of option 'cpus'");
	write_usage(1);
	assert_string_equal(load("source=cpuacct,cpus=0"),
		"source=cpuacct: can't open the root cgroup's cpuacct.usage_percpu: Operation not supported");
	write_file(POSSIBLE, "0-1");
	assert_string_equal(load("source=combined,cpus=0"),
		"source=combined: can't open the root cgroup's cpuacct.usage_percpu: No such file or directory");
	write_file(PERCPU, "");
	assert_string_equal(load("source=combined,cpus=0"),
		"source=combined: can't read the root cgroup's cpuacct.usage_percpu: Input/output error");
	write_file(STAT, "nonsense\n");
	assert_string_equal(load(NULL), "/proc/stat has no line of a processor");
	file[STAT].error = EIO;
	assert_string_equal(load(NULL), "can't read /proc/stat: Input/output error");
	file[STAT].exists = false;
	assert_string_equal(load(NULL), "can't open /proc/stat: No such file or directory");
	assert_non_null(strstr(load("source=guess"), "expected idle, ticks, cpuacct, combined or cgroup"));
	assert_non_null(strstr(load("base=0"), "option 'base': '0' is out of range"));
	assert_non_null(strstr(load("cpus=0,x=1"), "unknown option 'x'"));
}

static void errors_of_reading_are_passed_on(void **state)
{
	(void)state;
	struct sst_reading reading;
	start("source=idle");
	file[STAT].error = EIO;
	errno = 0;
	assert_int_equal(test.module.feedback->read(test.module.state, &test.env, &reading), -1);
	assert_int_equal(errno, EIO);
	file[STAT].error = 0;
	write_file(STAT, "");
	assert_int_equal(test.module.feedback->read(test.module.state, &test.env, &reading), -1);
	write_stat(1, 2, 3, 4);
	read_now();
	module_test_end(&test);
	write_usage(1);
	start("source=cpuacct");
	write_file(USAGE, "");
	errno = 0;
	assert_int_equal(test.module.feedback->read(test.module.state, &test.env, &reading), -1);
	assert_int_equal(errno, EIO);
	file[USAGE].error = ENODEV;
	assert_int_equal(test.module.feedback->read(test.module.state, &test.env, &reading), -1);
	assert_int_equal(errno, ENODEV);
	module_test_end(&test);
}

static void many_processors_fit(void **state)
{
	(void)state;
	char *at = file[STAT].text;
	at += sprintf(at, "cpu  0 0 0 1000 0 0 0 0 0 0\n");
	for (int cpu = 0; cpu < 700; cpu++)
		at += sprintf(at, "cpu%d %d 0 0 200000000 0 0 0 0 0 0\n", cpu, cpu);
	sprintf(at, "intr 0\n");
	assert_true(strlen(file[STAT].text) > 20000);
	expect("source=idle", NULL, 700);
	expect("source=idle,cpus=690-699", NULL, 10);
}

/* A machine that grows from 90 processors to 700 while it is read. */
static void processors_that_come_online_fit(void **state)
{
	(void)state;
	static const int counts[] = {90, 700};
	for (int i = 0; i < 2; i++) {
		char *at = file[STAT].text;
		at += sprintf(at, "cpu  0 0 0 1000 0 0 0 0 0 0\n");
		for (int cpu = 0; cpu < counts[i]; cpu++)
			at += sprintf(at, "cpu%d %d 0 0 200000000 0 0 0 0 0 0\n", cpu, cpu);
		sprintf(at, "intr 0\n");
		if (i == 0)
			start("source=idle");
		assert_near(read_now().processors, counts[i], 0);
	}
	module_test_end(&test);
}

static void the_filter_has_its_base_period(void **state)
{
	(void)state;
	start("400m");
	/* A sample as long as δ/P of wall time (capacity δ) weighs as much as the past. */
	const struct sst_sample equal = {.work = 0.4, .capacity = 0.4};
	assert_near(test.module.feedback->estimate(test.module.state, 0.2, &equal), 0.6, 1e-12);
	assert_near(test.module.feedback->estimate(test.module.state, NAN, &equal), 1, 1e-12);
	module_test_end(&test);
	start(NULL);
	/* 333 ms by default: on two processors 166.5 ms. */
	const struct sst_sample sample = {.work = 0, .capacity = 0.333};
	assert_near(test.module.feedback->estimate(test.module.state, 0.8, &sample), 0.4, 1e-12);
	module_test_end(&test);
}

static void samples_are_no_shorter_than_the_paper_s_and_the_counters_unit(void **state)
{
	(void)state;
	start("source=idle,share=160m");
	const struct sst_feedback *feedback = test.module.feedback;
	assert_int_equal(feedback->interval(test.module.state, 1), 160 * NS_PER_MS);
	assert_int_equal(feedback->interval(test.module.state, 2), 80 * NS_PER_MS);
	assert_int_equal(feedback->interval(test.module.state, 0.5), 320 * NS_PER_MS); /* a quota */
	assert_int_equal(feedback->interval(test.module.state, 128), 10 * NS_PER_MS);  /* a tick */
	module_test_end(&test);
	write_usage(1);
	start("source=cpuacct,share=40m");
	assert_int_equal(test.module.feedback->interval(test.module.state, 2), 20 * NS_PER_MS);
	assert_int_equal(test.module.feedback->interval(test.module.state, 1000), NS_PER_MS);
	module_test_end(&test);
}

/*
 * Tasks account for 1.0 CPU-seconds a second, the idle columns say that 1.2 of 2 were worked. The combination has the tasks'
 * steps and, in the long run, the idle columns' mean.
 */
static enum sst_scope scope(const char *options)
{
	start(options);
	const enum sst_scope found = test.module.feedback->scope(test.module.state);
	module_test_end(&test);
	return found;
}

/* What others do can be told where all that isn't theirs is in the samples. */
static void it_knows_whose_work_it_measures(void **state)
{
	(void)state;
	static const char *const all[] = {NULL, "source=ticks", "cpus=0-1"};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_int_equal(scope(all[i]), SST_SCOPE_MACHINE);
	assert_int_equal(scope("cpus=1"), SST_SCOPE_UNKNOWN);
	const struct sst_cpus second = {1, (const unsigned[]){1}};
	const struct sst_cpus both = {2, (const unsigned[]){0, 1}};
	controlled = &second;
	assert_int_equal(scope(NULL), SST_SCOPE_UNKNOWN);
	controlled = &both;
	assert_int_equal(scope(NULL), SST_SCOPE_MACHINE);
	controlled = NULL;
}

static void combined_has_the_mean_of_idle(void **state)
{
	(void)state;
	struct sst_sample found;
	double worked = 0;
	double before_the_end = 0;
	unsigned idle = 0;
	uint64_t usage = 7000000000;
	write_usage(usage);
	write_stat(0, 0, 0, 0);
	start("source=combined");
	const struct sst_reading first = read_now();
	struct sst_reading before = first;
	for (int i = 1; i <= 600; i++) {
		now_ns += 100 * NS_PER_MS;
		usage += 100 * NS_PER_MS;
		idle += 4; /* 40 ms each of two */
		write_usage(usage);
		write_stat(0, idle, 0, idle);
		const struct sst_reading now = read_now();
		assert_true(sample(&before, &now, &found));
		assert_near(found.capacity, 0.2, 1e-12);
		worked += found.work;
		before = now;
		if (i == 590)
			before_the_end = worked;
	}
	/* Over 60 s the difference is 0.2 · 60 = 12 CPU-seconds, and the filter doesn't lag behind. */
	assert_near(worked, 60 + 12, 0.1);
	/* The last second went at the right rate. */
	assert_near(worked - before_the_end, 1.2, 0.01);
	module_test_end(&test);
}

/*
 * Half of the machine is busy throughout, of two processors, of one, and of two again. The summary of /proc/stat loses the idle time of
 * the one that goes, and gets it back. It read 346 % for two seconds, then too little.
 */
static void combined_survives_processors_that_come_and_go(void **state)
{
	(void)state;
	struct sst_sample found;
	uint64_t usage = 7000000000;
	unsigned busy[2] = {100, 100};
	unsigned idle[2] = {1000, 1000};
	write_usage(usage);
	write_stat(busy[0], idle[0], busy[1], idle[1]);
	write_file(ONLINE, "0-1\n");
	start("source=combined");
	struct sst_reading before = read_now();
	for (int i = 1; i <= 300; i++) {
		const bool alone = i > 100 && i <= 200;
		now_ns += 100 * NS_PER_MS;
		usage += (alone ? 50 : 100) * NS_PER_MS;
		write_usage(usage);
		for (int cpu = 0; cpu < (alone ? 1 : 2); cpu++) {
			busy[cpu] += 5;
			idle[cpu] += 5;
		}
		if (alone) {
			char text[256];
			snprintf(text, sizeof text, "cpu  %u 0 0 %u 0 0 0 0 0 0\ncpu0 %u 0 0 %u 0 0 0 0 0 0\nintr 0\n", busy[0],
				idle[0], busy[0], idle[0]);
			write_file(STAT, text);
		} else {
			write_stat(busy[0], idle[0], busy[1], idle[1]);
		}
		write_file(ONLINE, alone ? "0\n" : "0-1\n");
		const struct sst_reading now = read_now();
		assert_near(now.processors, alone ? 1 : 2, 0);
		if (i == 101 || i == 201)
			assert_false(sample(&before, &now, &found));
		else if (!sample(&before, &now, &found))
			fail_msg("sample %d is none", i);
		else
			assert_near(found.work / found.capacity, 0.5, 0.01);
		before = now;
	}
	module_test_end(&test);
}

static void combined_shares_its_correction(void **state)
{
	(void)state;
	write_usage(1000);
	write_stat(0, 0, 0, 0);
	start("source=combined");
	assert_true(test.module.base->shared_size > 0);
	read_now();
	now_ns += 300 * NS_PER_MS;
	write_usage(1000 + 100 * (uint64_t)NS_PER_MS); /* of 600 ms; none were idle: 500 are missing */
	const struct sst_reading corrected = read_now();
	/* One step of the filter: 500 ms · (1 − e^(−2 · 0.3/2.5)) */
	assert_near((double)corrected.counter[0], 1000 + 100e6 + 500e6 * (1 - exp(-0.24)), 10);
	/* Another executor, at the same moment, has the same reading without another look at /proc/stat. */
	const int reads = file[STAT].reads;
	const struct sst_reading other = read_now();
	assert_int_equal(file[STAT].reads, reads);
	assert_memory_equal(&other, &corrected, sizeof other);
	module_test_end(&test);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(idle_columns_are_taken_against_the_clock),
		TEST(ticks_are_taken_against_each_other),
		TEST(cpu_time_of_tasks_is_taken_against_the_clock),
		TEST(cpu_time_of_tasks_is_divided_by_the_processors_there_are),
		TEST(a_subset_of_processors_can_be_measured),
		TEST(the_workloads_processors_are_measured),
		TEST(workloads_that_are_moved_are_followed),
		TEST(a_subset_has_the_columns_of_cpuacct),
		TEST(the_source_suits_the_machine),
		TEST(what_cannot_work_is_refused),
		TEST(errors_of_reading_are_passed_on),
		TEST(many_processors_fit),
		TEST(processors_that_come_online_fit),
		TEST(the_filter_has_its_base_period),
		TEST(samples_are_no_shorter_than_the_paper_s_and_the_counters_unit),
		TEST(combined_has_the_mean_of_idle),
		TEST(it_knows_whose_work_it_measures),
		TEST(combined_survives_processors_that_come_and_go),
		TEST(combined_shares_its_correction),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
