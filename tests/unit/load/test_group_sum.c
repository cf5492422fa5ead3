/* SPDX-License-Identifier: MIT */
#include "load/group_sum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "realtime_test.h"

static struct sst_host host;
static struct sst_env env = {.host = &host};
static struct group_sum *sum;
static char error[GROUP_SUM_ERROR_MAX];

static int begin(void **state)
{
	enter(state);
	use_files(&host);
	have_groups("/a");
	return 0;
}

static int end(void **state)
{
	group_sum_close(sum, &env);
	sum = NULL;
	return leave(state);
}

static void open_sum(void)
{
	sum = group_sum_open(&env, NULL, error);
	if (!sum)
		fail_msg("%s", error);
}

static void assert_refused(const char *expected)
{
	assert_null(group_sum_open(&env, NULL, error));
	assert_string_equal(error, expected);
}

/* The time that was used at a moment that comes after all others. */
static double used(void)
{
	uint64_t used_ns;
	int64_t when_ns;
	now_ns += 10 * NS_PER_MS;
	assert_int_equal(group_sum_read(sum, &env, &used_ns, &when_ns), 0);
	assert_int_equal(when_ns, now_ns);
	return (double)used_ns / 1e9;
}

static void children_are_added_up(void **state)
{
	(void)state;
	write_group_usage("b", 5);
	write_file(GROUP ".x/cpu.stat", "usage_usec 7000000\nuser_usec 1\n"); /* hidden */
	write_file(GROUP "b/inner/cpu.stat", "usage_usec 9000000\n");         /* counted in b */
	write_file(GROUP "odd/cpu.stat", "nr_periods 0\n");                   /* counts nothing */
	write_file(GROUP "none/cgroup.procs", "");
	open_sum();
	assert_near(used(), 0, 0); /* since it was opened */
	write_group_usage("a", 1.25);
	write_group_usage("b", 6);
	write_group_usage(".x", 7.5);
	write_file(GROUP "b/inner/cpu.stat", "usage_usec 10000000\n");
	assert_near(used(), 1.75, 1e-9);
	/* At the same moment it is the same, and nothing is read. */
	const int reads = file_at(GROUP "a/cpu.stat")->reads;
	uint64_t used_ns;
	int64_t when_ns;
	assert_int_equal(group_sum_read(sum, &env, &used_ns, &when_ns), 0);
	assert_int_equal(used_ns, 1750000000);
	assert_int_equal(file_at(GROUP "a/cpu.stat")->reads, reads);
}

static void groups_come_and_go(void **state)
{
	(void)state;
	open_sum();
	write_group_usage("new", 0.5); /* all of it since the last reading */
	assert_near(used(), 0.5, 1e-9);
	remove_group("new"); /* what it had used stays */
	write_group_usage("a", 1.1);
	assert_near(used(), 0.6, 1e-9);
	write_group_usage("new", 0.2); /* again */
	assert_near(used(), 0.8, 1e-9);
	/* And between two readings, under its name. */
	write_group_usage("new", 0.1);
	assert_near(used(), 0.9, 1e-9);
	/* All are gone, which isn't an error. */
	remove_group("new");
	remove_group("a");
	assert_near(used(), 0.9, 1e-9);
	/* Nor is a root that can't be listed a reading. */
	remove_file(GROUP "cgroup.controllers");
	uint64_t used_ns;
	int64_t when_ns;
	now_ns += NS_PER_S;
	assert_int_equal(group_sum_read(sum, &env, &used_ns, &when_ns), -1);
	assert_int_equal(errno, ENODEV);
}

/* 20 a second, 40 ms each, of which a reading every 30 ms sees a part: what is missing is what they used after that. */
static void what_is_used_after_the_last_reading_is_lost(void **state)
{
	(void)state;
	char name[16];
	double expected = 0, seen = 0, last = 0;
	open_sum();
	for (int i = 1; i <= 1000; i++) {
		const int group = (i - 1) / 5, age = (i - 1) % 5;
		snprintf(name, sizeof name, "g%d", group);
		if (age < 4)
			write_group_usage(name, 0.01 * (age + 1));
		else
			remove_group(name);
		write_group_usage("a", 1 + 0.01 * i);
		if (age == 0)
			seen = 0;
		now_ns += 10 * NS_PER_MS;
		if (i % 3 != 0)
			continue;
		if (age < 4) {
			expected += 0.01 * (age + 1) - seen;
			seen = 0.01 * (age + 1);
		}
		last = 0.01 * i;
		now_ns -= 10 * NS_PER_MS;
		assert_near(used(), expected + last, 1e-6);
	}
	/* 6.5 s of 8: the rest ran after the last reading of its group. */
	assert_true(expected < 7 && expected > 5);
}

/* As executors are children of the process that has prepared the modules. */
static void what_a_child_has_read_counts(void **state)
{
	(void)state;
	uint64_t used_ns;
	int64_t when_ns;
	int ended;
	open_sum();
	const pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		write_group_usage("gone", 0.5);
		_exit(used() > 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &ended, 0), child);
	assert_int_equal(ended, 0);
	/* Who comes with an earlier moment gets that reading. */
	assert_int_equal(group_sum_read(sum, &env, &used_ns, &when_ns), 0);
	assert_int_equal(used_ns, 500000000);
	assert_int_equal(when_ns, now_ns + 10 * NS_PER_MS);
	write_group_usage("a", 1.25);
	now_ns += 10 * NS_PER_MS;
	assert_near(used(), 0.75, 1e-9);
}

static void many_groups(void **state)
{
	(void)state;
	char name[32];
	/* More text than the buffer has at first, and more groups than are counted. */
	for (int i = 0; i < 4200; i++) {
		snprintf(name, sizeof name, "a-group-with-a-name-%d", i);
		write_group_usage(name, 1);
	}
	open_sum();
	assert_near(used(), 0, 0);
	write_group_usage("a", 2);
	write_group_usage("a-group-with-a-name-1000", 3);
	assert_near(used(), 3, 1e-9);
}

/* Who is in a group, of which there are few. */
static void it_is_known_whom_it_suits(void **state)
{
	static const struct {
		const char *own;
		int others;
		bool suits;
	} groups[] = {{"/", 0, false}, {"/a", 0, true}, {"/a/b", 63, true}, {"/a", 64, false}};
	(void)state;
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		bool suits = !groups[i].suits;
		char name[16];
		have_groups(groups[i].own);
		for (int k = 0; k < groups[i].others; k++) {
			snprintf(name, sizeof name, "g%d", k);
			write_group_usage(name, 1);
		}
		group_sum_close(group_sum_open(&env, &suits, error), &env);
		assert_int_equal(suits, groups[i].suits);
	}
}

static void what_has_no_root_is_refused(void **state)
{
	(void)state;
	remove_file(MOUNTS);
	assert_refused("no control groups of version 2 are mounted");
	write_file(MOUNTS, "32 31 0:29 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n");
	assert_refused("no control groups of version 2 are mounted");
	/* A part, as in a container without a namespace; a namespace, whose root has a type; a file system of somebody else. */
	static const char container[] = "/sys/fs/cgroup is not the machine's root group, but that of a container";
	write_file(MOUNTS, "30 23 0:26 /docker/17 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	assert_refused(container);
	have_groups("/");
	write_file(GROUP "cgroup.type", "domain\n");
	assert_refused(container);
	remove_file(GROUP "cgroup.type");
	remove_file(GROUP "cgroup.controllers");
	assert_refused(container);
	have_groups("/");
	write_file(GROUP "a/cpu.stat", "nr_periods 0\n");
	assert_refused("no group below /sys/fs/cgroup counts processor time");
	file_at(GROUP "cgroup.controllers")->error = EIO;
	assert_refused("can't read /sys/fs/cgroup: Input/output error");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(children_are_added_up),
		TEST(groups_come_and_go),
		TEST(what_is_used_after_the_last_reading_is_lost),
		TEST(what_a_child_has_read_counts),
		TEST(many_groups),
		TEST(it_is_known_whom_it_suits),
		TEST(what_has_no_root_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
