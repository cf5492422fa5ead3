/* SPDX-License-Identifier: MIT */
/* In containers, and of cores. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "realtime_test.h"

/* The own group of cgroup v2 with what is written to its files; NULL: no such file. */
static void write_group(const char *max, const char *cpus)
{
	have_groups("/a");
	write_file(GROUP "cgroup.type", "domain\n"); /* a namespace: the machine's root isn't to be seen */
	write_file(ONLINE, "0-1\n");
	remove_file(GROUP_MAX);
	remove_file(GROUP_CPUS);
	if (max)
		write_file(GROUP_MAX, max);
	if (cpus)
		write_file(GROUP_CPUS, cpus);
}

static void with_a_quota_the_group_is_measured(void **state)
{
	(void)state;
	struct sst_sample found;
	write_group("50000 100000\n", NULL);
	start(NULL);
	assert_source("cgroup");
	assert_scope(SST_SCOPE_CONTAINER);
	assert_null(test.module.feedback->trouble(test.module.state));
	const struct sst_reading before = read_now();
	assert_near(before.processors, 0.5, 0);
	pass(0.5, 1, 1); /* what the machine does doesn't matter */
	write_group_usage("a", 1.1);
	const struct sst_reading now = expect_sample(&before, 0.1, 0.25);
	assert_false(sample(&now, &before, &found));
	/* A quota that is changed is noticed within a second. */
	write_file(GROUP_MAX, "100000 100000\n");
	now_ns += NS_PER_S;
	assert_near(read_now().processors, 1, 0);
	assert_int_equal(test.module.feedback->interval(test.module.state, 0.5), 80 * NS_PER_MS);
	module_test_end(&test);
}

static void without_a_quota_nothing_changes(void **state)
{
	(void)state;
	static const char *const nothing[][2] = {
		{NULL, NULL}, {"max 100000\n", "0-1\n"}, {"200000 100000\n", NULL}, {NULL, "\n"}};
	for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
		write_group(nothing[i][0], nothing[i][1]);
		expect(NULL, "idle", ANY, ANY);
		assert_null(strstr(test.printed, "cpus="));
	}
	/* What the user says goes first. */
	static const char *const options[] = {"container=no", "source=idle", "cpus=0"};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		write_group("50000 100000\n", "1\n");
		expect(options[i], "idle", i == 2 ? 1 : 2, ANY);
	}
}

static void a_cpuset_is_a_subset_of_processors(void **state)
{
	(void)state;
	write_number(USAGE, "", 3.9e9);
	for (int i = 0; i < 2; i++) {
		write_group("max 100000\n", "1\n");
		start(NULL);
		assert_source(i ? "schedstat" : "idle");
		assert_option("cpus=1");
		assert_scope(SST_SCOPE_CONTAINER);
		const struct sst_reading before = read_now();
		assert_near(before.processors, 1, 0);
		pass(0.5, 0, 0.8);
		expect_sample(&before, 0.4, 0.5);
		module_test_end(&test);
		have_schedstat();
	}
	/* Where /proc/stat is the container's own its numbers are others. */
	write_group(NULL, "5-6\n");
	write_file(ONLINE, "0-7\n");
	expect(NULL, "combined", 2, ANY);
}

static void write_allowed(const char *cpus)
{
	char text[256];
	snprintf(text, sizeof text, "Name:\tshowstopper\nCpus_allowed:\t2\nCpus_allowed_list:\t%s\nMems_allowed:\t1\n", cpus);
	write_file(STATUS, text);
}

/* No control group that is mounted says anything: what may be used is measured. */
static void processors_that_may_be_used_are_a_container_where_nothing_says_more(void **state)
{
	(void)state;
	write_number(USAGE, "", 3.9e9);
	/* 2 to 7 are offline. */
	static const char *const lists[] = {"1", "1-7", "1,3,5"};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		write_allowed(lists[i]);
		expect(NULL, "idle", 1, SST_SCOPE_CONTAINER);
		assert_non_null(strstr(test.printed, "cpus=1"));
	}
	/* All of them, none that there is, and what says nothing. */
	static const char *const nothing[] = {"0-1", "0-63", "5", "", "x"};
	for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
		write_allowed(nothing[i]);
		expect(NULL, "combined", 2, ANY);
		assert_null(strstr(test.printed, "cpus="));
	}
	/* Its last line ends with the file; a quota beside it that more than one processor would use up. */
	write_file(STATUS, "Name:\tx\nCpus_allowed_list:\t");
	expect(NULL, "combined", ANY, ANY);
	write_allowed("1");
	write_group("150000 100000\n", NULL);
	expect(NULL, "idle", 1, ANY);
	write_group("50000 100000\n", NULL);
	expect(NULL, "cgroup", ANY, ANY);
	remove_file(MOUNTS);
	remove_file(GROUPS);
	expect("container=no", "combined", 2, ANY);
	/* A cpuset that can be seen, and that takes nothing away: the affinity is the user's own. */
	write_group(NULL, "0-1\n");
	expect(NULL, "combined", 2, SST_SCOPE_MACHINE);
}

static void what_is_allowed_can_be_asked_for(void **state)
{
	(void)state;
	write_group(NULL, "0-1\n");
	write_allowed("1");
	/* Who is bound by taskset alone may start what is not. */
	expect("cpus=allowed", "idle", 1, SST_SCOPE_UNKNOWN);
	assert_non_null(strstr(test.printed, "cpus=1"));
	write_allowed("0-63");
	expect("cpus=allowed,source=ticks", "ticks", 2, SST_SCOPE_MACHINE);
	/* It goes before what the workloads may use. */
	static const unsigned zero[] = {0};
	static const struct sst_cpus first = {1, zero};
	controlled = &first;
	write_allowed("1");
	start("cpus=allowed");
	assert_option("cpus=1");
	module_test_end(&test);
	controlled = NULL;
	remove_file(STATUS);
	assert_string_equal(load("cpus=allowed"), "option 'cpus': /proc/self/status doesn't say which processors are allowed");
	assert_non_null(strstr(load("cpus=alowed"), "expected a list of processors such as 0-3,8, or allowed"));
}

/* lxcfs shows processors 5 and 6 as 0 and 1. */
static void lxcfs_is_believed_but_for_its_numbers(void **state)
{
	(void)state;
	static const unsigned five[] = {5};
	static const struct sst_cpus some = {1, five};
	static const char lxcfs[] = "50 1 0:44 /proc/stat /proc/stat rw,nosuid - fuse.lxcfs lxcfs rw,user_id=0,group_id=0\n";
	write_number(USAGE, "", 3.9e9); /* the machine's, or the container's: it is not looked at */
	write_file(MOUNTS, lxcfs);
	write_allowed("5-6");
	static const char *const options[] = {NULL, "cpus=allowed"};
	for (size_t i = 0; i < 2; i++) {
		expect(options[i], "idle", 2, SST_SCOPE_CONTAINER);
		assert_null(strstr(test.printed, "cpus="));
	}
	assert_non_null(strstr(load("cpus=1"), "lxcfs has numbers of its own"));
	controlled = &some;
	assert_non_null(strstr(load(NULL), "lxcfs has numbers of its own"));
	start("cpus=allowed");
	module_test_end(&test);
	controlled = NULL;
	/* The first processors of the machine have the same numbers in it. */
	write_allowed("0-1");
	expect("cpus=1", NULL, 1, ANY);
	/* Elsewhere than over /proc/stat it changes nothing. */
	write_file(MOUNTS, "50 1 0:44 / /var/lib/lxcfs rw,nosuid - fuse.lxcfs lxcfs rw,user_id=0,group_id=0\n");
	expect(NULL, "combined", ANY, ANY);
}

static void a_quota_that_cannot_be_measured_is_refused(void **state)
{
	(void)state;
	write_group("50000 100000\n", NULL);
	remove_group("a");
	assert_string_equal(load(NULL),
		"a quota of 0.5 processors holds for /sys/fs/cgroup/a: nothing that is mounted counts the processor "
		"time of the own cgroup /a (container=no measures the machine)");
	assert_non_null(strstr(load("source=cgroup"), "source=cgroup: nothing that is mounted"));
	write_group("max 100000\n", NULL);
	assert_string_equal(load("source=cgroup"), "source=cgroup: no quota takes anything away from the own cgroup");
	assert_non_null(strstr(load("source=cgroup,cpus=0"), "option 'cpus' can't be had with source=cgroup"));
	start("container=no");
	module_test_end(&test);
}

/* ---- Cores ------------------------------------------------------------------------------------------------------------ */

static void cores_are_busy_when_any_thread_is(void **state)
{
	(void)state;
	write_file(SIBLINGS, "0-1\n");
	write_number(USAGE, "", 3.9e9);
	for (int i = 0; i < 2; i++) {
		start("unit=core");
		assert_source(i ? "schedstat" : "idle");
		assert_int_equal(test.module.feedback->unit(test.module.state), SST_UNIT_CORE);
		assert_scope(SST_SCOPE_UNKNOWN);
		assert_int_equal(test.module.feedback->interval(test.module.state, 64), 10 * NS_PER_MS);
		const struct sst_reading before = read_now();
		assert_near(before.processors, 1, 0);
		pass(0.02, 1, 0);
		expect_sample(&before, 0.02, 0.02);
		pass(0.02, 0, 0);
		expect_sample(&before, 0.02, 0.04);
		module_test_end(&test);
		have_schedstat();
	}
}

static void processors_are_the_unit_otherwise(void **state)
{
	(void)state;
	static const char *const options[] = {NULL, "unit=processor"};
	write_file(SIBLINGS, "0-1\n");
	for (size_t i = 0; i < 2; i++) {
		start(options[i]);
		assert_int_equal(test.module.feedback->unit(test.module.state), SST_UNIT_PROCESSOR);
		assert_near(read_now().processors, 2, 0);
		module_test_end(&test);
	}
}

static void cores_are_refused_where_they_cannot_be_had(void **state)
{
	(void)state;
	assert_string_equal(load("unit=core"),
		"unit=core is unavailable: can't find out which processors share a core "
		"(/sys/devices/system/cpu/cpu*/topology/thread_siblings_list: No such file or directory)");
	write_file(SIBLINGS, "0-1\n");
	static const char alone[] =
		"unit=core is unavailable: no two of these processors share a core, so that cores and processors have "
		"the same load";
	assert_string_equal(load("unit=core,cpus=0"), alone);
	write_file(SIBLINGS, "0\n");
	assert_non_null(strstr(load("unit=core"), "cpu*/topology/thread_siblings_list: No such file")); /* of processor 1 */
	write_file(SIBLINGS, "0-1\n");
	assert_string_equal(load("unit=core,source=ticks"),
		"unit=core can't be had with source=ticks, which doesn't tell cores apart: expected idle or schedstat");
	write_group("50000 100000\n", NULL);
	assert_string_equal(load("unit=core"), "unit=core can't be had with source=cgroup, which doesn't tell cores apart: "
					       "expected idle or schedstat, or container=no");
	start("unit=core,container=no");
	module_test_end(&test);
	start("unit=core,source=idle");
	module_test_end(&test);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(with_a_quota_the_group_is_measured),
		TEST(without_a_quota_nothing_changes),
		TEST(a_cpuset_is_a_subset_of_processors),
		TEST(processors_that_may_be_used_are_a_container_where_nothing_says_more),
		TEST(what_is_allowed_can_be_asked_for),
		TEST(lxcfs_is_believed_but_for_its_numbers),
		TEST(a_quota_that_cannot_be_measured_is_refused),
		TEST(cores_are_busy_when_any_thread_is),
		TEST(processors_are_the_unit_otherwise),
		TEST(cores_are_refused_where_they_cannot_be_had),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
