/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "linux_processors.h"

static char root[64];

static int enter(void **state)
{
	(void)state;
	strcpy(root, "/tmp/test_processors.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s", root);
	return system(command); // NOLINT(cert-env33-c): a name of our own
}

/* A file below root/sys/fs/cgroup. */
static void put(const char *folder, const char *file, const char *text)
{
	char command[512];
	snprintf(command, sizeof command, "d='%s/sys/fs/cgroup%s' && mkdir -p \"$d\" && printf '%%s\\n' '%s' >\"$d/%s\"", root,
		folder, text, file);
	assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): names of our own
}

static bool is(double found, double expected)
{
	if (found - expected < 1e-9 && expected - found < 1e-9)
		return true;
	fprintf(stderr, "found %g, expected %g\n", found, expected);
	return false;
}

static void without_files_there_is_no_quota(void **state)
{
	(void)state;
	assert_true(is(linux_processors_quota(root, ""), 0));
	assert_true(is(linux_processors_quota(root, "0::/user.slice\n"), 0));
	assert_true(is(linux_processors_quota(root, "4:cpu,cpuacct:/a\n"), 0));
	assert_true(is(linux_processors_quota(root, "nonsense\n\n:\n::\n0:\n"), 0));
}

static void version_2_is_read(void **state)
{
	(void)state;
	put("/a/b", "cpu.max", "150000 100000");
	assert_true(is(linux_processors_quota(root, "0::/a/b\n"), 1.5));
	assert_true(is(linux_processors_quota(root, "0::/a/b"), 1.5)); /* without its newline */
	assert_true(is(linux_processors_quota(root, "0::/a\n"), 0));
	put("/a/b", "cpu.max", "max 100000");
	assert_true(is(linux_processors_quota(root, "0::/a/b\n"), 0));
	put("/a/b", "cpu.max", "200000 50000");
	assert_true(is(linux_processors_quota(root, "0::/a/b\n"), 4));
	put("/a/b", "cpu.max", "garbage");
	assert_true(is(linux_processors_quota(root, "0::/a/b\n"), 0));
	put("/a/b", "cpu.max", "100000 0");
	assert_true(is(linux_processors_quota(root, "0::/a/b\n"), 0));
}

static void every_ancestor_counts_and_the_smallest_wins(void **state)
{
	(void)state;
	put("/a/b/c", "cpu.max", "400000 100000");
	put("/a/b", "cpu.max", "50000 100000");
	put("/a", "cpu.max", "300000 100000");
	assert_true(is(linux_processors_quota(root, "0::/a/b/c\n"), 0.5));
	put("/a/b", "cpu.max", "max 100000");
	assert_true(is(linux_processors_quota(root, "0::/a/b/c\n"), 3));
	/* The mount point itself: what a container sees of its own group. */
	put("", "cpu.max", "200000 100000");
	assert_true(is(linux_processors_quota(root, "0::/a/b/c\n"), 2));
	assert_true(is(linux_processors_quota(root, "0::/\n"), 2));
	/* A group that isn't there, as in a container without a namespace of its own. */
	assert_true(is(linux_processors_quota(root, "0::/docker/0123456789\n"), 2));
}

static void version_1_is_read_where_the_controller_is_mounted(void **state)
{
	(void)state;
	static const char text[] = "12:cpuset:/x\n4:cpu,cpuacct:/a\n1:name=systemd:/y\n";
	put("/cpu,cpuacct/a", "cpu.cfs_quota_us", "250000");
	put("/cpu,cpuacct/a", "cpu.cfs_period_us", "100000");
	assert_true(is(linux_processors_quota(root, text), 2.5));
	put("/cpu,cpuacct/a", "cpu.cfs_quota_us", "-1");
	assert_true(is(linux_processors_quota(root, text), 0));
	put("/cpu/a", "cpu.cfs_quota_us", "100000");
	put("/cpu/a", "cpu.cfs_period_us", "100000");
	assert_true(is(linux_processors_quota(root, "4:cpuacct,cpu:/a\n"), 1));
	assert_true(is(linux_processors_quota(root, "4:cpu:/a\n"), 1));
	/* Names that only look like it. */
	assert_true(is(linux_processors_quota(root, "4:cpuset:/a\n5:cpuacct:/a\n6:xcpu:/a\n"), 0));
	put("/cpu/a", "cpu.cfs_period_us", "0");
	assert_true(is(linux_processors_quota(root, "4:cpu:/a\n"), 0));
}

static void both_versions_together(void **state)
{
	(void)state;
	put("/cpu/a", "cpu.cfs_quota_us", "300000");
	put("/cpu/a", "cpu.cfs_period_us", "100000");
	put("/unified/b", "cpu.max", "100000 100000");
	assert_true(is(linux_processors_quota(root, "2:cpu:/a\n0::/b\n"), 1));
	assert_true(is(linux_processors_quota(root, "2:cpu:/a\n0::/c\n"), 3));
}

static void affinity_is_respected(void **state)
{
	(void)state;
	cpu_set_t before;
	cpu_set_t one;
	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	const unsigned usable = linux_processors_usable();
	assert_in_range(usable, 1, (unsigned)CPU_COUNT(&before));
	int first = 0;
	while (!CPU_ISSET(first, &before))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(linux_processors_usable(), 1);
	assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
	assert_int_equal(linux_processors_usable(), usable);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(without_files_there_is_no_quota),
		TEST(version_2_is_read),
		TEST(every_ancestor_counts_and_the_smallest_wins),
		TEST(version_1_is_read_where_the_controller_is_mounted),
		TEST(both_versions_together),
		TEST(affinity_is_respected),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
