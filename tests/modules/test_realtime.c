/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "realtime_test.h"

static const struct sst_cpus first = {1, (const unsigned[]){0}}, second = {1, (const unsigned[]){1}},
			     both = {2, (const unsigned[]){0, 1}};

/* ---- Processor by processor ------------------------------------------------------------------------------------------- */

static void idle_columns_are_taken_against_the_clock(void **state)
{
	(void)state;
	struct sst_sample found;
	struct sst_reading same;
	start("source=idle");
	const struct sst_reading before = read_now();
	assert_near(before.processors, 2, 0);
	pass(0.5, 0.2, 0.6);
	const struct sst_reading now = expect_sample(&before, 0.4, 1);
	/* A reading that is no later counts nothing, whatever it says, and is the same. */
	for (int i = 0; i < 2; i++) {
		pass(-0.1 * i, 0.5, 0.5);
		assert_int_equal(test.module.feedback->read(test.module.state, &test.env, &same), 0);
		assert_memory_equal(&same, &now, sizeof now);
	}
	assert_false(sample(&now, &now, &found));
	assert_false(sample(&now, &before, &found));
	module_test_end(&test);
}

static void ticks_are_taken_against_each_other(void **state)
{
	(void)state;
	start("source=ticks");
	const struct sst_reading before = read_now();
	now_ns += 500 * NS_PER_MS;
	cpu[0].busy += 0.3;
	cpu[0].idle += 0.2;
	cpu[1].idle += 0.4;
	write_stat();
	expect_sample(&before, 0.3, 0.9);
	module_test_end(&test);
}

/* What a task has worked is known when it stops; meanwhile the idle columns tell, also those that are fast. */
static void time_of_tasks_is_known_by_processor(void **state)
{
	static const double rates[] = {1, 1.06};
	for (size_t i = 0; i < 2; i++) {
		enter(state);
		idle_rate = rates[i];
		have_schedstat();
		start("source=schedstat");
		const struct sst_reading before = read_now();
		for (int k = 0; k < 100; k++) {
			pass(0.1, 0.25, 0.5);
			read_now();
		}
		expect_near(&before, 7.5, 20, 0.03);
		/* A task that runs on. */
		cpu[0].ran -= 0.1;
		pass(0.1, 1, 0);
		expect_near(&before, 7.6, 20.2, 0.03);
		assert_null(test.module.feedback->trouble(test.module.state));
		module_test_end(&test);
		leave(state);
	}
}

static void a_subset_of_processors_can_be_measured(void **state)
{
	static const char *const options[] = {"source=idle,cpus=1,3", "cpus=1,3", "source=ticks,cpus=1,3"};
	(void)state;
	have_schedstat();
	for (size_t i = 0; i < 3; i++) {
		start(options[i]);
		assert_source(i == 1 ? "schedstat" : i ? "ticks" : "idle");
		const struct sst_reading before = read_now();
		assert_near(before.processors, 1, 0); /* there is no processor 3 */
		pass(0.5, 0, 0.8);
		expect_sample(&before, 0.4, 0.5);
		module_test_end(&test);
	}
}

static void the_workloads_processors_are_measured(void **state)
{
	(void)state;
	controlled = &second;
	start("source=idle");
	assert_near(read_now().processors, 1, 0);
	assert_option("cpus=1");
	module_test_end(&test);
	/* The user knows better. */
	expect("source=idle,cpus=0-1", NULL, 2, ANY);
}

static void follow(const char *source)
{
	struct sst_sample found;
	controlled = current = &first;
	moving = true;
	moves = 0;
	start(NULL);
	assert_source(source);
	struct sst_reading before = read_now();
	pass(0.5, 0.4, 0);
	before = expect_sample(&before, 0.2, 0.5);
	/* Of the processors of before and of now there is no difference; NULL: all. */
	const struct sst_cpus *const places[] = {&second, NULL};
	for (size_t i = 0; i < 2; i++) {
		current = places[i];
		moves++;
		pass(0.1, 1, 0);
		const struct sst_reading now = read_now();
		assert_near(now.processors, 1 + (double)i, 0);
		assert_false(sample(&before, &now, &found));
		pass(0.5, 0.2, 0.6);
		before = expect_sample(&now, i ? 0.4 : 0.3, i ? 1 : 0.5);
	}
	module_test_end(&test);
}

static void workloads_that_are_moved_are_followed(void **state)
{
	(void)state;
	write_number(USAGE, "", 3.9e9);
	follow("idle");
	have_schedstat();
	follow("schedstat");
	assert_string_equal(load("source=combined"),
		"source=combined can't follow workloads that are moved: expected idle, ticks or schedstat");
}

static void many_processors_fit(void **state)
{
	(void)state;
	static char text[65536];
	/* The machine grows while it is read. */
	static const int counts[] = {90, 700};
	for (int i = 0; i < 2; i++) {
		char *at = text + sprintf(text, "cpu  0 0 0 1000 0 0 0 0 0 0\n");
		for (int k = 0; k < counts[i]; k++)
			at += sprintf(at, "cpu%d %d 0 0 200000000 0 0 0 0 0 0\n", k, k);
		sprintf(at, "intr 0\n");
		write_file(STAT, text);
		now_ns += NS_PER_S;
		if (i == 0)
			start("source=idle");
		assert_near(read_now().processors, counts[i], 0);
	}
	assert_true(strlen(text) > 20000);
	module_test_end(&test);
	expect("source=idle,cpus=690-699", NULL, 10, ANY);
}

/* ---- All tasks -------------------------------------------------------------------------------------------------------- */

static void cpu_time_of_tasks_is_taken_against_the_clock(void **state)
{
	(void)state;
	struct sst_sample found;
	write_number(USAGE, "", 5e9);
	start("source=cpuacct");
	const struct sst_reading before = read_now();
	assert_near(before.processors, 2, 0);
	pass(0.25, 0, 0);
	write_file(USAGE, "5123456789\n");
	const struct sst_reading now = expect_sample(&before, 0.123456789, 0.5);
	assert_false(sample(&now, &before, &found));
	const struct sst_reading back = {.when_ns = now.when_ns + 1, .processors = 2, .counter = {5123456788}};
	assert_false(sample(&now, &back, &found)); /* a counter that went back */
	/* Where the kernel has no list of them, how many processors there are is looked at once a second. */
	const int reads = file_at(STAT)->reads;
	read_now();
	assert_int_equal(file_at(STAT)->reads, reads);
	pass(1, 0, 0);
	read_now();
	assert_int_equal(file_at(STAT)->reads, reads + 1);
	module_test_end(&test);
}

/* A look once a second had up to a second of samples with the capacity of processors that were gone. */
static void cpu_time_of_tasks_is_divided_by_the_processors_there_are(void **state)
{
	(void)state;
	struct sst_sample found;
	write_number(USAGE, "", 5e9);
	write_file(ONLINE, "0-1\n");
	start("source=cpuacct");
	const struct sst_reading two = read_now();
	online_cpus = 1;
	write_file(ONLINE, "0\n");
	pass(0.05, 0.4, 0);
	const struct sst_reading one = read_now();
	assert_near(one.processors, 1, 0);
	assert_false(sample(&two, &one, &found));
	pass(0.05, 0.4, 0);
	write_number(USAGE, "", 5.02e9);
	const int reads = file_at(STAT)->reads;
	expect_sample(&one, 0.02, 0.05);
	assert_int_equal(file_at(STAT)->reads, reads);
	/* A count that failed is tried again. */
	online_cpus = 2;
	write_file(ONLINE, "0-1\n");
	pass(0.05, 0.4, 0);
	file_at(STAT)->error = EIO;
	assert_no_reading(EIO);
	file_at(STAT)->error = 0;
	assert_near(read_now().processors, 2, 0);
	module_test_end(&test);
}

static void a_subset_has_the_columns_of_cpuacct(void **state)
{
	(void)state;
	write_file(POSSIBLE, "0-3\n");
	write_file(PERCPU, "1000000000 3000000000 0 0 \n"); /* as much as /proc/stat says */
	expect("cpus=1", "combined", 1, ANY);
	start("source=cpuacct,cpus=0-1");
	const struct sst_reading before = read_now();
	pass(0.25, 0, 0);
	write_file(PERCPU, "1100000000 3123456789 7 7\n");
	expect_sample(&before, 0.223456789, 0.5);
	write_file(PERCPU, "1100000000\n");
	assert_no_reading(ENODATA);
	module_test_end(&test);
	/* Which column is whose can't be told. */
	expect("cpus=1", "idle", ANY, ANY);
	write_file(PERCPU, "1000000000 3000000000\n");
	write_file(POSSIBLE, "0,2\n");
	expect("cpus=1", "idle", ANY, ANY);
}

/* What is read as the time of tasks: cpuacct's root, or the groups of version 2. */
enum counted { OF_ROOT, OF_GROUPS };

static void write_used(enum counted counted, double s)
{
	if (counted == OF_ROOT)
		write_number(USAGE, "", 1e9 * s);
	else
		write_group_usage("b", s);
}

static void start_counted(enum counted counted, double s)
{
	have_groups("/a");
	write_used(counted, s);
	start(counted == OF_ROOT ? "source=combined" : "source=groups");
}

/*
 * Tasks account for 1.0 CPU-seconds a second, the idle columns say that 1.2 of 2 were worked. The combination has the tasks'
 * steps and, in the long run, the idle columns' mean, without a lag. Where these are fast they say nothing.
 */
static void tasks_have_the_mean_of_idle_if_that_is_true(void **state)
{
	static const double rates[] = {1, 1.06};
	for (int i = 0; i < 4; i++) {
		const enum counted counted = (enum counted)(i / 2);
		struct sst_sample found;
		double worked = 0, last_second = 0;
		enter(state);
		idle_rate = rates[i % 2];
		start_counted(counted, 7);
		struct sst_reading before = read_now();
		const double expected = idle_rate > 1 ? 1 : 1.2;
		for (int k = 1; k <= 600; k++) {
			pass(0.1, expected / 2, expected / 2);
			write_used(counted, 7 + 0.1 * k);
			const struct sst_reading now = read_now();
			assert_true(sample(&before, &now, &found));
			assert_near(found.capacity, 0.2, 1e-8);
			worked += found.work;
			last_second += k > 590 ? found.work : 0;
			before = now;
		}
		/* 0.1 pp of 120 CPU-seconds; the last second went at the right rate. */
		assert_near(worked, 60 * expected, 0.12);
		assert_near(last_second, expected, 0.01);
		assert_null(test.module.feedback->trouble(test.module.state));
		module_test_end(&test);
		leave(state);
	}
}

/*
 * Half of the machine is busy throughout, of two processors, of one, and of two again. The summary of /proc/stat loses the idle
 * time of the one that goes, and gets it back. It read 346 % for two seconds, then too little.
 */
static void tasks_survive_processors_that_come_and_go(void **state)
{
	for (int counted = OF_ROOT; counted <= OF_GROUPS; counted++) {
		struct sst_sample found;
		double used = 7;
		enter(state);
		write_file(ONLINE, "0-1\n");
		start_counted((enum counted)counted, used);
		struct sst_reading before = read_now();
		for (int i = 1; i <= 300; i++) {
			const bool alone = i > 100 && i <= 200;
			online_cpus = alone ? 1 : 2;
			pass(0.1, 0.5, 0.5);
			used += 0.05 * online_cpus;
			write_used((enum counted)counted, used);
			write_file(ONLINE, alone ? "0\n" : "0-1\n");
			const struct sst_reading now = read_now();
			assert_near(now.processors, online_cpus, 0);
			if (i == 101 || i == 201)
				assert_false(sample(&before, &now, &found));
			else if (!sample(&before, &now, &found))
				fail_msg("sample %d is none", i);
			else
				assert_near(found.work / found.capacity, 0.5, 0.01);
			before = now;
		}
		module_test_end(&test);
		leave(state);
	}
}

static void a_correction_is_one_step_of_the_filter(void **state)
{
	(void)state;
	write_number(USAGE, "", 1000);
	start("source=combined");
	read_now();
	pass(0.3, 1, 1);
	write_number(USAGE, "", 1000 + 100e6); /* of 600 ms; none were idle: 500 are missing */
	const struct sst_reading corrected = read_now();
	assert_near((double)corrected.counter[0], 1000 + 100e6 + 500e6 * (1 - exp(-2 * 0.3 / 2.5)), 10);
	/* Another reading at the same moment is the same, without another look at /proc/stat. */
	const int reads = file_at(STAT)->reads;
	const struct sst_reading other = read_now();
	assert_int_equal(file_at(STAT)->reads, reads);
	assert_memory_equal(&other, &corrected, sizeof other);
	module_test_end(&test);
}

/* Of 20 groups a second, half of the work, nothing is read but by chance. The idle columns bring it back. */
static void groups_that_come_and_go_are_made_up_for(void **state)
{
	(void)state;
	struct sst_sample found;
	char name[16];
	have_groups("/a");
	start(NULL);
	assert_source("groups");
	const struct sst_reading before = read_now();
	struct sst_reading last = before;
	for (int i = 1; i <= 60 * 100; i++) {
		pass(0.01, 0.5, 0.5);
		write_group_usage("a", 1 + 0.005 * i);
		snprintf(name, sizeof name, "churn-%d", (i - 1) / 5);
		write_group_usage(name, 0.005 * ((i - 1) % 5 + 1));
		if (i % 5 == 0)
			remove_group(name);
		/* 80 to 110 ms apart, at any moment of the first half of a group's life. */
		if (i % 10 == (i / 10 * 7) % 3)
			last = read_now();
	}
	assert_true(sample(&before, &last, &found));
	assert_near(found.work / found.capacity, 0.5, 0.005);
	module_test_end(&test);
}

/* ---- Choice ----------------------------------------------------------------------------------------------------------- */

/* What there is to choose from is tried in tests/unit/load/test_machine_load.c. */
static void the_source_suits_what_is_measured(void **state)
{
	(void)state;
	have_groups("/a");
	expect(NULL, "groups", 2, SST_SCOPE_MACHINE);
	write_number(USAGE, "", 3.9e9); /* of the 4 s that were worked since boot */
	expect(NULL, "combined", 2, SST_SCOPE_MACHINE);
	expect("cpus=0", "idle", 1, SST_SCOPE_UNKNOWN);
	have_schedstat();
	expect("cpus=0", "schedstat", 1, SST_SCOPE_UNKNOWN);
	expect("source=idle", "idle", 2, SST_SCOPE_MACHINE); /* the user knows better */
	write_file(CMDLINE, "quiet nohz=off\n");
	remove_file(MOUNTS);
	expect(NULL, "schedstat", 2, SST_SCOPE_MACHINE);
	remove_file(SCHEDSTAT);
	expect(NULL, "ticks", 2, SST_SCOPE_MACHINE);
}

/* What others do can be told where all that isn't theirs is in the samples. */
static void it_knows_whose_work_it_measures(void **state)
{
	(void)state;
	expect("source=ticks", "ticks", ANY, SST_SCOPE_MACHINE);
	expect("cpus=0-1", NULL, ANY, SST_SCOPE_MACHINE);
	controlled = &second;
	expect(NULL, NULL, ANY, SST_SCOPE_UNKNOWN);
	controlled = &both;
	expect(NULL, NULL, ANY, SST_SCOPE_MACHINE);
}

static void what_cannot_work_is_refused(void **state)
{
	static const struct {
		const char *options, *reason;
	} refused[] = {
		{"source=cpuacct", "source=cpuacct: can't open the root cgroup's cpuacct.usage: No such file or directory"},
		{"source=combined", "source=combined: can't open the root cgroup's cpuacct.usage: No such file or directory"},
		{"source=groups", "source=groups: no control groups of version 2 are mounted"},
		{"source=groups,cpus=0", "source=groups: control groups of version 2 don't tell processors apart"},
		{"source=schedstat", "source=schedstat: /proc/schedstat doesn't tell how long tasks ran on each processor"},
		{"source=idle,cpus=7", "/proc/stat has none of the processors of option 'cpus'"},
		{"source=cpuacct,cpus=0",
			"source=cpuacct: can't open the root cgroup's cpuacct.usage_percpu: Operation not supported"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		assert_string_equal(load(refused[i].options), refused[i].reason);
	write_file(POSSIBLE, "0-1");
	assert_string_equal(load("source=combined,cpus=0"),
		"source=combined: can't open the root cgroup's cpuacct.usage_percpu: No such file or directory");
	write_file(PERCPU, "");
	assert_string_equal(
		load("source=combined,cpus=0"), "source=combined: can't read the time of all tasks: Input/output error");
	write_file(STAT, "nonsense\n");
	assert_string_equal(load(NULL), "/proc/stat has no line of a processor");
	file_at(STAT)->error = EIO;
	assert_string_equal(load(NULL), "can't read /proc/stat: Input/output error");
	remove_file(STAT);
	assert_string_equal(load(NULL), "can't open /proc/stat: No such file or directory");
	assert_non_null(strstr(load("source=guess"), "expected idle, ticks, cpuacct, combined, groups, schedstat or cgroup"));
	assert_non_null(strstr(load("base=0"), "option 'base': '0' is out of range"));
	assert_non_null(strstr(load("cpus=0,x=1"), "unknown option 'x'"));
}

static void errors_of_reading_are_passed_on(void **state)
{
	(void)state;
	have_schedstat();
	start("source=schedstat");
	static const char *const both_files[] = {STAT, SCHEDSTAT};
	for (size_t i = 0; i < 2; i++) {
		file_at(both_files[i])->error = EIO;
		assert_no_reading(EIO);
		file_at(both_files[i])->error = 0;
	}
	write_file(STAT, "");
	assert_no_reading(EINVAL);
	pass(0.1, 0, 0);
	read_now();
	module_test_end(&test);
	write_number(USAGE, "", 1);
	start("source=cpuacct");
	write_file(USAGE, "");
	assert_no_reading(EIO);
	file_at(USAGE)->error = ENODEV;
	assert_no_reading(ENODEV);
	module_test_end(&test);
}

static void trouble_is_said_while_there_is_some(void **state)
{
	(void)state;
	start("source=idle");
	for (int i = 0; i < 100; i++) {
		assert_null(test.module.feedback->trouble(test.module.state));
		pass(0.1, 0.2, 0.2);
		read_now();
	}
	idle_rate = 1.06;
	for (int i = 0; i < 50; i++) {
		pass(0.1, 0.2, 0.2);
		read_now();
	}
	assert_string_equal(test.module.feedback->trouble(test.module.state),
		"the idle time in /proc/stat passes faster than the clock: the load is that of the busy columns");
	/* It is: of this second. */
	const struct sst_reading before = read_now();
	pass(1, 0.2, 0.2);
	expect_sample(&before, 0.4, 2);
	idle_rate = 1;
	for (int i = 0; i < 50; i++) {
		pass(0.1, 0.2, 0.2);
		read_now();
	}
	assert_null(test.module.feedback->trouble(test.module.state));
	module_test_end(&test);
}

/* ---- Filter ----------------------------------------------------------------------------------------------------------- */

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
	write_number(USAGE, "", 1);
	start("source=cpuacct,share=40m");
	assert_int_equal(test.module.feedback->interval(test.module.state, 2), 20 * NS_PER_MS);
	assert_int_equal(test.module.feedback->interval(test.module.state, 1000), NS_PER_MS);
	module_test_end(&test);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(idle_columns_are_taken_against_the_clock),
		TEST(ticks_are_taken_against_each_other),
		cmocka_unit_test(time_of_tasks_is_known_by_processor),
		TEST(a_subset_of_processors_can_be_measured),
		TEST(the_workloads_processors_are_measured),
		TEST(workloads_that_are_moved_are_followed),
		TEST(many_processors_fit),
		TEST(cpu_time_of_tasks_is_taken_against_the_clock),
		TEST(cpu_time_of_tasks_is_divided_by_the_processors_there_are),
		TEST(a_subset_has_the_columns_of_cpuacct),
		cmocka_unit_test(tasks_have_the_mean_of_idle_if_that_is_true),
		cmocka_unit_test(tasks_survive_processors_that_come_and_go),
		TEST(a_correction_is_one_step_of_the_filter),
		TEST(groups_that_come_and_go_are_made_up_for),
		TEST(the_source_suits_what_is_measured),
		TEST(it_knows_whose_work_it_measures),
		TEST(what_cannot_work_is_refused),
		TEST(errors_of_reading_are_passed_on),
		TEST(trouble_is_said_while_there_is_some),
		TEST(the_filter_has_its_base_period),
		TEST(samples_are_no_shorter_than_the_paper_s_and_the_counters_unit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
