/* SPDX-License-Identifier: MIT */
#include "groups/cgroup_text.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char mounts_v2[] = "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
				"30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
static const char mounts_v1[] = "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
				"32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 master:1 - cgroup cgroup rw,cpu,cpuacct\n"
				"33 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
				"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

static ssize_t parse(enum linux_cgroup_format format, const char *text, uint64_t *ns, size_t room)
{
	return linux_cgroup_usage_parse(format, text, strlen(text), ns, room);
}

static void texts(void **unused)
{
	(void)unused;
	uint64_t ns[3] = {0};
	assert_int_equal(parse(LINUX_CGROUP_V1, "177495246132\n", ns, 1), 1);
	assert_int_equal(ns[0], 177495246132);
	assert_int_equal(parse(LINUX_CGROUP_V2, "usage_usec 172630999\nuser_usec 139546454\nsystem_usec 33084545\n", ns, 1), 1);
	assert_int_equal(ns[0], 172630999000);
	assert_int_equal(parse(LINUX_CGROUP_V2, "nr_periods 0\nusage_usec 7", ns, 1), 1);
	assert_int_equal(ns[0], 7000);
	assert_int_equal(parse(LINUX_CGROUP_PER_CPU, "48884035190 128611210942 \n", ns, 3), 2);
	assert_int_equal(ns[0], 48884035190);
	assert_int_equal(ns[1], 128611210942);
	/* More than there is room for. */
	ns[1] = 5;
	assert_int_equal(parse(LINUX_CGROUP_PER_CPU, "1 2 3 4 5 \n", ns, 1), 5);
	assert_int_equal(ns[0], 1);
	assert_int_equal(ns[1], 5);

	static const struct {
		enum linux_cgroup_format format;
		const char *text;
	} wrong[] = {
		{LINUX_CGROUP_V1, ""},
		{LINUX_CGROUP_V1, "x\n"},
		{LINUX_CGROUP_V1, "1 2\n"},
		{LINUX_CGROUP_V1, "99999999999999999999\n"},
		{LINUX_CGROUP_V2, ""},
		{LINUX_CGROUP_V2, "nr_periods 0\nnr_throttled 0\n"}, /* v1's cpu.stat */
		{LINUX_CGROUP_V2, "usage_usec \n"},
		{LINUX_CGROUP_V2, "usage_usec 5x\n"},
		{LINUX_CGROUP_V2, "usage_usec 18446744073709551615\n"},
		{LINUX_CGROUP_PER_CPU, "1 2 -3\n"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		errno = 0;
		assert_int_equal(parse(wrong[i].format, wrong[i].text, ns, 3), -1);
		assert_int_equal(errno, EINVAL);
	}
}

static void mounts(void **unused)
{
	(void)unused;
	char point[64], part[64];
	assert_int_equal(linux_cgroup_find_mount(mounts_v2, strlen(mounts_v2), "cgroup2", NULL, point, part, 64), 0);
	assert_string_equal(point, "/sys/fs/cgroup");
	assert_string_equal(part, "/");
	assert_int_equal(linux_cgroup_find_mount(mounts_v1, strlen(mounts_v1), "cgroup", "cpuacct", point, part, 64), 0);
	assert_string_equal(point, "/sys/fs/cgroup/cpu,cpuacct");
	errno = 0;
	assert_int_equal(linux_cgroup_find_mount(mounts_v2, strlen(mounts_v2), "cgroup", "cpuacct", point, part, 64), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(linux_cgroup_find_mount(mounts_v1, strlen(mounts_v1), "cgroup", "cpuac", point, part, 64), -1);
	assert_int_equal(linux_cgroup_find_mount("\n\n1 2 3\n - \n", 12, "cgroup", NULL, point, part, 64), -1);
	static const char odd[] = "1 2 0:1 /a\\040b /with\\040blank\\134 rw - cgroup2 none rw";
	assert_int_equal(linux_cgroup_find_mount(odd, strlen(odd), "cgroup2", NULL, point, part, 64), 0);
	assert_string_equal(point, "/with blank\\");
	assert_string_equal(part, "/a b");
	/* A path that doesn't fit is not cut. */
	assert_int_equal(linux_cgroup_find_mount(odd, strlen(odd), "cgroup2", NULL, point, part, 5), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(mounts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
