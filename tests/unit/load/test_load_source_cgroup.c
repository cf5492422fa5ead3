/* SPDX-License-Identifier: MIT */
#include "load/load_source.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_root.h"

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

static void groups(void **state)
{
	const char *const root = *state;
	char error[LINUX_CGROUP_ERROR_MAX] = "";
	struct linux_cgroup_usage usage = {.fd = -1};
	uint64_t ns;
	int64_t when_ns;
	/* No cgroups at all. */
	assert_int_equal(linux_cgroup_usage_open(&usage, root, "one", error), -1);
	assert_non_null(strstr(error, "mountinfo"));
	fake_file(root, "/proc/self/mountinfo", "1 2 0:1 / / rw - ext4 /dev/sda rw\n");
	assert_int_equal(linux_cgroup_usage_open(&usage, root, "one", error), -1);
	assert_non_null(strstr(error, "no cgroup file system is mounted"));

	fake_file(root, "/proc/self/mountinfo", mounts_v1);
	assert_int_equal(linux_cgroup_usage_open(&usage, root, "one", error), -1);
	assert_non_null(strstr(error, "'one'"));
	assert_non_null(strstr(error, "/sys/fs/cgroup/cpu,cpuacct"));
	assert_non_null(strstr(error, "/sys/fs/cgroup/unified"));

	/* In v1 by name, and by the directory. */
	fake_file(root, "/sys/fs/cgroup/cpu,cpuacct/one/cpuacct.usage", "12\n");
	fake_file(root, "/sys/fs/cgroup/cpu,cpuacct/one/cpu.stat", "nr_periods 0\n");
	static const char *const names[] = {"one", "/one", "/sys/fs/cgroup/cpu,cpuacct/one"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		assert_int_equal(linux_cgroup_usage_open(&usage, root, names[i], error), 0);
		assert_int_equal(linux_cgroup_usage_read(&usage, &ns, 1, &when_ns), 1);
		assert_int_equal(ns, 12);
		linux_cgroup_usage_close(&usage);
	}
	/* v2 comes first. */
	fake_file(root, "/sys/fs/cgroup/unified/one/cpu.stat", "usage_usec 12\n");
	assert_int_equal(linux_cgroup_usage_open(&usage, root, "one", error), 0);
	assert_int_equal(linux_cgroup_usage_read(&usage, &ns, 1, &when_ns), 1);
	assert_int_equal(ns, 12000);
	fake_file(root, "/sys/fs/cgroup/unified/one/cpu.stat", "usage_usec 13\n");
	assert_int_equal(linux_cgroup_usage_read(&usage, &ns, 1, &when_ns), 1);
	assert_int_equal(ns, 13000);
	linux_cgroup_usage_close(&usage);
	assert_int_equal(usage.fd, -1);
}

static void machine(void **state)
{
	const char *const root = *state;
	char error[LINUX_CGROUP_ERROR_MAX] = "";
	struct linux_cgroup_usage usage = {.fd = -1};
	uint64_t ns[2000];
	int64_t when_ns = 0;
	fake_file(root, "/proc/self/mountinfo", mounts_v2);
	assert_int_equal(linux_cgroup_usage_open_machine(&usage, root, 0, error), -1);
	assert_non_null(strstr(error, "no cpuacct"));
	fake_file(root, "/proc/self/mountinfo", mounts_v1);
	assert_int_equal(linux_cgroup_usage_open_machine(&usage, root, 0, error), -1);
	assert_non_null(strstr(error, "cpuacct.usage"));
	fake_file(root, "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage", "77\n");
	assert_int_equal(linux_cgroup_usage_open_machine(&usage, root, 0, error), 0);
	assert_int_equal(linux_cgroup_usage_read(&usage, ns, 1, &when_ns), 1);
	assert_int_equal(ns[0], 77);
	assert_true(when_ns > 0);
	linux_cgroup_usage_close(&usage);

	/* More text than the first buffer holds. */
	char text[2000 * 8] = "";
	size_t used = 0;
	for (int i = 0; i < 1500; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%d ", 10000 + i);
	fake_file(root, "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage_percpu", text);
	assert_int_equal(linux_cgroup_usage_open_machine(&usage, root, 1, error), 0);
	assert_int_equal(linux_cgroup_usage_read(&usage, ns, 2000, &when_ns), 1500);
	assert_int_equal(ns[0], 10000);
	assert_int_equal(ns[1499], 11499);
	linux_cgroup_usage_close(&usage);

	/* Containers show a group of theirs as the root. */
	fake_file(root, "/proc/self/mountinfo", "32 31 0:29 /docker/17 /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n");
	assert_int_equal(linux_cgroup_usage_open_machine(&usage, root, 0, error), -1);
	assert_non_null(strstr(error, "container"));
	fake_file(root, "/proc/self/mountinfo", mounts_v1);
	fake_file(root, "/proc/self/ns/x", "");
	char link[2 * PATH_MAX];
	snprintf(link, sizeof link, "%s/proc/self/ns/cgroup", root);
	assert_int_equal(symlink("cgroup:[4026532000]", link), 0);
	assert_int_equal(linux_cgroup_usage_open_machine(&usage, root, 0, error), -1);
	assert_non_null(strstr(error, "container"));
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("cgroup:[4026531835]", link), 0);
	assert_int_equal(linux_cgroup_usage_open_machine(&usage, root, 0, error), 0);
	linux_cgroup_usage_close(&usage);
}

static int set_up(void **state)
{
	static char root[PATH_MAX];
	fake_root_make(root);
	*state = root;
	return 0;
}

static int tear_down(void **state)
{
	fake_remove(*state, "");
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(mounts),
		cmocka_unit_test_setup_teardown(groups, set_up, tear_down),
		cmocka_unit_test_setup_teardown(machine, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
