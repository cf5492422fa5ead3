/* SPDX-License-Identifier: MIT */
/* Control groups on made-up trees: as a host of each version shows them, and containers with and without a namespace. */
#include "groups/cgroup.h"
#include "load/container.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cpus.h"
#include "base/units.h"
#include "fake_root.h"
#include "self/host.h"

#define MOUNT_V2 "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define MOUNTS_V1                                                                                                                \
	"31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup "           \
	"rw,cpu,cpuacct\n"                                                                                                       \
	"33 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
#define MOUNT_UNIFIED "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"

static char root[PATH_MAX];
static struct host_env host;
static struct linux_cgroup group;
static struct linux_cgroup_capacity capacity;
static char error[LINUX_CGROUP_ERROR_MAX];

static int enter(void **state)
{
	(void)state;
	fake_root_make(root);
	host_env_init(&host, root, 1, 0);
	memset(&capacity, 0, sizeof capacity);
	group = LINUX_CGROUP_NONE;
	fake_file(root, "/sys/devices/system/cpu/online", "0-3\n");
	return 0;
}

static int leave(void **state)
{
	(void)state;
	fake_remove(root, "");
	return 0;
}

static void own(const char *mounts, const char *groups)
{
	fake_file(root, "/proc/self/mountinfo", mounts);
	fake_file(root, "/proc/self/cgroup", groups);
}

static void put(const char *folder, const char *file, const char *text)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", folder, file);
	fake_file(root, path, text);
}

static bool is(double found, double expected)
{
	if (found - expected < 1e-9 && expected - found < 1e-9)
		return true;
	fprintf(stderr, "found %g, expected %g\n", found, expected);
	return false;
}

/* The quota of the container that the own group is in, and what is said about it. */
static double quota(const char *text)
{
	struct linux_cgroup_container container;
	char described[PATH_MAX + 256] = "";
	const bool found = linux_cgroup_find_container(&host.env, &container);
	if (found)
		linux_container_describe(&(struct linux_container){.group = container}, described, sizeof described);
	assert_true(found == (container.quota > 0 || container.cpus));
	free(container.cpus);
	if (text)
		assert_string_equal(described, text);
	return container.quota;
}

static void open_group(const char *path, double processors)
{
	if (linux_cgroup_open(&group, &host.env, path, &capacity, error) != 0)
		fail_msg("%s is refused: %s", path, error);
	assert_true(is(atomic_load(&capacity.processors), processors));
}

static struct sst_reading read_group(void)
{
	struct sst_reading now = {0};
	assert_int_equal(linux_cgroup_read(&group, &host.env, &capacity, &now), 0);
	return now;
}

static void close_group(void)
{
	linux_cgroup_close(&group, &host.env);
	linux_cgroup_close(&group, &host.env); /* twice does no harm */
}

/* ---- Texts ------------------------------------------------------------------------------------------------------------ */

static double max_of(const char *text)
{
	return linux_cgroup_parse_max(text, strlen(text));
}

static void quotas_are_parsed(void **state)
{
	(void)state;
	assert_true(is(max_of("150000 100000\n"), 1.5));
	assert_true(is(max_of("200000 50000"), 4));
	static const char *const none[] = {"", "max 100000\n", "garbage", "100000", "100000 ", "100000 0\n", "-1 100000", " 1 1",
		"1\n1", "99999999999999999999 1"};
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_true(is(max_of(none[i]), 0));
}

static void the_own_group_is_parsed(void **state)
{
	(void)state;
	static const char text[] = "nonsense\n:\n::\n12:cpuset:/x\n4:cpu,cpuacct:/a:b\n3:xcpu:/no\n1:name=systemd:/y\n0::/z\n";
	char path[16];
	assert_true(linux_cgroup_parse_own(text, strlen(text), "cpu", path, sizeof path));
	assert_string_equal(path, "/a:b");
	assert_true(linux_cgroup_parse_own(text, strlen(text), "cpuacct", path, sizeof path));
	assert_string_equal(path, "/a:b");
	assert_true(linux_cgroup_parse_own(text, strlen(text), "cpuset", path, sizeof path));
	assert_string_equal(path, "/x");
	assert_false(linux_cgroup_parse_own(text, strlen(text), "memory", path, sizeof path));
	assert_true(linux_cgroup_parse_own("0::/z", 5, NULL, path, sizeof path)); /* without its newline */
	assert_string_equal(path, "/z");
	/* What doesn't fit isn't cut. */
	assert_false(linux_cgroup_parse_own("0::/123456789012345\n", 20, NULL, path, sizeof path));
	assert_false(linux_cgroup_parse_own("0::\n", 4, NULL, path, sizeof path));
	assert_false(linux_cgroup_parse_own("0::relative\n", 12, NULL, path, sizeof path));
}

static void groups_lie_below_what_is_mounted(void **state)
{
	(void)state;
	assert_string_equal(linux_cgroup_below("/", "/"), "");
	assert_string_equal(linux_cgroup_below("/a/b", "/"), "/a/b");
	assert_string_equal(linux_cgroup_below("/docker/17", "/docker/17"), "");
	assert_string_equal(linux_cgroup_below("/docker/17/x", "/docker/17"), "/x");
	assert_string_equal(linux_cgroup_below("/../b/c", "/../b"), "/c");
	static const char *const outside[][2] = {{"/docker/178", "/docker/17"}, {"/", "/docker/17"}, {"/", "/../.."},
		{"/..", "/"}, {"/../a", "/"}, {"/a/../..", "/a"}};
	for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
		assert_null(linux_cgroup_below(outside[i][0], outside[i][1]));
	assert_string_equal(linux_cgroup_below("/..a", "/"), "/..a");
}

/* ---- Containers ------------------------------------------------------------------------------------------------------- */

static void without_files_there_is_no_container(void **state)
{
	(void)state;
	assert_true(is(quota(""), 0));
	own(MOUNT_V2, "");
	assert_true(is(quota(""), 0));
	own(MOUNT_V2, "0::/user.slice\n");
	assert_true(is(quota(""), 0));
	own(MOUNTS_V1, "4:cpu,cpuacct:/a\n");
	assert_true(is(quota(""), 0));
	own("", "nonsense\n\n:\n::\n0:\n");
	assert_true(is(quota(""), 0));
}

static void every_ancestor_counts_and_the_smallest_wins(void **state)
{
	(void)state;
	own(MOUNT_V2, "0::/a/b/c\n");
	put("/a/b/c", "cpu.max", "400000 100000\n"); /* as much as there is: takes nothing away */
	assert_true(is(quota(""), 0));
	put("/a/b", "cpu.max", "50000 100000\n");
	put("/a", "cpu.max", "300000 100000\n");
	assert_true(is(quota("a quota of 0.5 processors (/sys/fs/cgroup/a/b)"), 0.5));
	put("/a/b", "cpu.max", "max 100000\n");
	assert_true(is(quota("a quota of 3 processors (/sys/fs/cgroup/a)"), 3));
	/* The mount point itself: what a container sees of its own group. */
	put("", "cpu.max", "100000 100000\n");
	assert_true(is(quota("a quota of 1 processor (/sys/fs/cgroup)"), 1));
	own(MOUNT_V2, "0::/\n");
	assert_true(is(quota(NULL), 1));
	/* A group that can't be seen is below what is mounted all the same. */
	own(MOUNT_V2, "0::/../elsewhere\n");
	assert_true(is(quota("a quota of 1 processor (/sys/fs/cgroup)"), 1));
}

static void version_1_has_two_files(void **state)
{
	(void)state;
	own(MOUNTS_V1, "12:cpuset:/x\n4:cpu,cpuacct:/a\n1:name=systemd:/y\n");
	put("/cpu,cpuacct/a", "cpu.cfs_quota_us", "250000\n");
	assert_true(is(quota(""), 0)); /* one alone says nothing */
	put("/cpu,cpuacct/a", "cpu.cfs_period_us", "100000\n");
	assert_true(is(quota("a quota of 2.5 processors (/sys/fs/cgroup/cpu,cpuacct/a)"), 2.5));
	put("/cpu,cpuacct/a", "cpu.cfs_quota_us", "-1\n");
	assert_true(is(quota(""), 0));
	put("/cpu,cpuacct/a", "cpu.cfs_quota_us", "100000\n");
	put("/cpu,cpuacct/a", "cpu.cfs_period_us", "0\n");
	assert_true(is(quota(""), 0));
	/* Controllers whose names only look like it. */
	put("/cpu,cpuacct/a", "cpu.cfs_period_us", "100000\n");
	own(MOUNTS_V1, "4:cpuset:/a\n5:cpuacct:/a\n6:xcpu:/a\n");
	assert_true(is(quota(""), 0));
}

static void cpusets_are_containers(void **state)
{
	(void)state;
	own(MOUNTS_V1, "12:cpuset:/x/y\n4:cpu,cpuacct:/a\n");
	put("/cpuset", "cpuset.effective_cpus", "0-3\n");
	assert_true(is(quota(""), 0)); /* y isn't there, the root takes nothing away */
	put("/cpuset/x/y", "cpuset.effective_cpus", "1,3\n");
	quota("processors 1,3");
	put("/cpu,cpuacct/a", "cpu.cfs_quota_us", "150000\n");
	put("/cpu,cpuacct/a", "cpu.cfs_period_us", "100000\n");
	assert_true(is(quota("a quota of 1.5 processors (/sys/fs/cgroup/cpu,cpuacct/a), processors 1,3"), 1.5));
	/* A quota of more than the cpuset has takes nothing away. */
	put("/cpu,cpuacct/a", "cpu.cfs_quota_us", "200000\n");
	assert_true(is(quota("processors 1,3"), 0));
	/* Version 2: that of the nearest group that has one. */
	fake_remove(root, "/sys/fs/cgroup");
	own(MOUNT_V2, "0::/a/b\n");
	put("/a", "cpuset.cpus.effective", "2\n");
	put("/a/b", "cpu.max", "max 100000\n");
	quota("processors 2");
}

/* Every second one of 4,000 processors: a list of nearly 10,000 bytes. */
static void long_lists_of_processors(void **state)
{
	(void)state;
	struct linux_cgroup_container container;
	char list[16384];
	int used = 0;
	for (int cpu = 1; cpu < 4000; cpu += 2)
		used += snprintf(list + used, sizeof list - (size_t)used, "%d,", cpu);
	list[used - 1] = '\n';
	own(MOUNTS_V1, "12:cpuset:/x\n4:cpu,cpuacct:/a\n");
	fake_file(root, "/sys/devices/system/cpu/online", "0-3999\n");
	put("/cpuset/x", "cpuset.effective_cpus", list);
	assert_true(linux_cgroup_find_container(&host.env, &container));
	assert_non_null(container.cpus);
	assert_int_equal(container.cpus->count, 2000);
	free(container.cpus);
}

static void both_versions_together(void **state)
{
	(void)state;
	own(MOUNTS_V1 MOUNT_UNIFIED, "2:cpu,cpuacct:/a\n0::/b\n");
	put("/cpu,cpuacct/a", "cpu.cfs_quota_us", "300000\n");
	put("/cpu,cpuacct/a", "cpu.cfs_period_us", "100000\n");
	assert_true(is(quota(NULL), 3));
	put("/unified/b", "cpu.max", "100000 100000\n");
	assert_true(is(quota("a quota of 1 processor (/sys/fs/cgroup/unified/b)"), 1));
}

static void without_a_namespace_a_part_is_mounted(void **state)
{
	(void)state;
	own("50 40 0:29 /docker/17 /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
	    "51 40 0:31 /docker/17 /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n",
		"4:cpu,cpuacct:/docker/17\n3:cpuset:/docker/17\n");
	put("/cpu,cpuacct", "cpu.cfs_quota_us", "150000\n");
	put("/cpu,cpuacct", "cpu.cfs_period_us", "100000\n");
	put("/cpu,cpuacct", "cpuacct.usage", "17\n");
	assert_true(is(quota("a quota of 1.5 processors (/sys/fs/cgroup/cpu,cpuacct)"), 1.5));
	open_group("self", 1.5);
	assert_int_equal(read_group().counter[0], 17);
	close_group();
	assert_int_equal(linux_cgroup_open_container(&group, &host.env, &capacity, error), 0);
	assert_int_equal(read_group().counter[0], 17);
	close_group();
}

static void the_group_with_the_quota_is_the_container(void **state)
{
	(void)state;
	own(MOUNTS_V1, "4:cpu,cpuacct:/pod/one\n");
	put("/cpu,cpuacct/pod", "cpu.cfs_quota_us", "200000\n");
	put("/cpu,cpuacct/pod", "cpu.cfs_period_us", "100000\n");
	put("/cpu,cpuacct/pod", "cpuacct.usage", "2000\n");
	put("/cpu,cpuacct/pod/one", "cpuacct.usage", "1000\n");
	assert_int_equal(linux_cgroup_open_container(&group, &host.env, &capacity, error), 0);
	assert_int_equal(read_group().counter[0], 2000);
	assert_true(is(read_group().processors, 2));
	close_group();
	/* The own group is another thing; what it may use is the same. */
	open_group("self", 2);
	assert_int_equal(read_group().counter[0], 1000);
	close_group();
	put("/cpu,cpuacct/pod", "cpu.cfs_quota_us", "-1\n");
	assert_int_equal(linux_cgroup_open_container(&group, &host.env, &capacity, error), -1);
	assert_non_null(strstr(error, "no quota"));
	open_group("self", 4);
	close_group();
}

static void without_proc_nothing_is_known(void **state)
{
	(void)state;
	assert_int_equal(linux_cgroup_open_container(&group, &host.env, &capacity, error), -1);
	assert_string_equal(error, "can't read /proc/self/mountinfo: No such file or directory");
	assert_int_equal(linux_cgroup_open(&group, &host.env, "self", &capacity, error), -1);
	assert_string_equal(error, "can't read /proc/self/mountinfo: No such file or directory");
}

static void groups_of_different_names_are_refused(void **state)
{
	(void)state;
	static const char apart[] = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
				    "33 31 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n" MOUNT_UNIFIED;
	own(apart, "2:cpu:/a\n3:cpuacct:/\n0::/b\n");
	put("/cpu/a", "cpu.cfs_quota_us", "100000\n");
	put("/cpu/a", "cpu.cfs_period_us", "100000\n");
	put("/cpuacct", "cpuacct.usage", "5000\n");
	put("/unified/b", "cpu.stat", "usage_usec 3\n");
	assert_int_equal(linux_cgroup_open_container(&group, &host.env, &capacity, error), -1);
	assert_non_null(strstr(error, "own cgroup cpu:/a (in cpuacct it is another one)"));
	assert_int_equal(linux_cgroup_open(&group, &host.env, "self", &capacity, error), -1);
	/* Version 2 will do if its group has the name. */
	own(apart, "2:cpu:/a\n3:cpuacct:/\n0::/a\n");
	put("/unified/a", "cpu.stat", "usage_usec 3\n");
	open_group("self", 1);
	assert_int_equal(read_group().counter[0], 3000);
	close_group();
	own(apart, "3:cpuacct:/\n");
	assert_int_equal(linux_cgroup_open(&group, &host.env, "self", &capacity, error), -1);
	/* The root of a namespace has the same name in all hierarchies, whatever it is. */
	own("32 31 0:29 /../a /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n33 31 0:30 /../a /sys/fs/cgroup/cpuacct rw - cgroup "
	    "cgroup rw,cpuacct\n" MOUNT_UNIFIED,
		"2:cpu:/\n3:cpuacct:/\n0::/\n");
	put("/unified", "cpu.stat", "usage_usec 3\n");
	assert_int_equal(linux_cgroup_open(&group, &host.env, "self", &capacity, error), -1);
	/* A namespace without mounts of its own: the path is known, where it is isn't. */
	own("30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/\n");
	put("", "cpu.stat", "usage_usec 3\n");
	assert_int_equal(linux_cgroup_open(&group, &host.env, "self", &capacity, error), -1);
	assert_non_null(strstr(error, "nothing that is mounted counts"));
}

static void a_namespace_with_the_mounts_outside_is_searched(void **state)
{
	(void)state;
	char self[32];
	snprintf(self, sizeof self, "1\n%d\n", (int)getpid());
	own("30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/\n");
	put("/a/x", "cgroup.procs", "1\n");
	put("/a/y", "cgroup.procs", "");
	put("/b/z/deeper", "cgroup.procs", self);
	put("/b/z", "cgroup.procs", self);
	put("/b/z", "cpu.stat", "usage_usec 5\n");
	put("/b", "cpu.max", "150000 100000\n");
	put("", "cgroup.procs", self);
	open_group("self", 1.5);
	assert_int_equal(read_group().counter[0], 5000);
	close_group();
	assert_true(is(quota("a quota of 1.5 processors (/sys/fs/cgroup/b)"), 1.5));
	/* Below the namespace's root, and outside it. */
	put("/b/z/deeper", "cpu.stat", "usage_usec 6\n");
	own("30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/deeper\n");
	open_group("self", 1.5);
	assert_int_equal(read_group().counter[0], 6000);
	close_group();
	own("30 23 0:26 /../../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/../deeper\n");
	open_group("self", 1.5);
	assert_int_equal(read_group().counter[0], 6000);
	close_group();
	/* What is mounted is beside the own group. */
	own("30 23 0:26 /../../b /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "0::/\n");
	assert_int_equal(linux_cgroup_open(&group, &host.env, "self", &capacity, error), -1);
}

/* ---- Named groups ----------------------------------------------------------------------------------------------------- */

static void groups_are_named_in_three_ways(void **state)
{
	(void)state;
	own(MOUNT_V2, "0::/\n");
	put("/a/b", "cpu.stat", "usage_usec 12\nuser_usec 5\n");
	put("/a", "cpu.max", "50000 100000\n");
	static const char *const names[] = {"a/b", "/a/b", "/a/b/", "/sys/fs/cgroup/a/b"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		open_group(names[i], 0.5);
		assert_int_equal(read_group().counter[0], 12000);
		close_group();
	}
	/* The whole hierarchy. */
	put("", "cpu.stat", "usage_usec 99\n");
	static const char *const wholes[] = {"/", "/sys/fs/cgroup", "/sys/fs/cgroup/"};
	for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
		open_group(wholes[i], 4);
		assert_int_equal(read_group().counter[0], 99000);
		close_group();
	}
	assert_int_equal(linux_cgroup_open(&group, &host.env, "none", &capacity, error), -1);
	assert_string_equal(error, "no cgroup 'none': neither cpu.stat with usage_usec nor cpuacct.usage below /sys/fs/cgroup");
	assert_int_equal(linux_cgroup_open(&group, &host.env, "../a", &capacity, error), -1);
	assert_non_null(strstr(error, "expected a path without '..'"));
	/* That folder is there, and what was opened of it is closed again. */
	const int next = dup(0);
	close(next);
	assert_int_equal(linux_cgroup_open(&group, &host.env, "/sys/fs/cgroup/a/../a/b", &capacity, error), -1);
	assert_int_equal(dup(0), next);
	close(next);
	own("", "0::/\n");
	assert_int_equal(linux_cgroup_open(&group, &host.env, "none", &capacity, error), -1);
	assert_non_null(strstr(error, "no cgroup file system is mounted"));
	fake_remove(root, "/proc/self/mountinfo");
	assert_int_equal(linux_cgroup_open(&group, &host.env, "none", &capacity, error), -1);
	assert_string_equal(error, "can't read /proc/self/mountinfo: No such file or directory");
}

static void the_directory_of_one_hierarchy_is_that_of_all(void **state)
{
	(void)state;
	own(MOUNTS_V1, "4:cpu,cpuacct:/\n3:cpuset:/\n");
	put("/cpu,cpuacct/a", "cpuacct.usage", "7\n");
	put("/cpuset/a", "cpuset.cpus", "0-1\n");
	open_group("/sys/fs/cgroup/cpu,cpuacct/a", 2);
	assert_int_equal(read_group().counter[0], 7);
	close_group();
	/* That of another controller leads there as well. */
	open_group("/sys/fs/cgroup/cpuset/a", 2);
	assert_int_equal(read_group().counter[0], 7);
	close_group();
	put("/cpu,cpuacct/a", "cpu.cfs_quota_us", "50000\n");
	put("/cpu,cpuacct/a", "cpu.cfs_period_us", "100000\n");
	open_group("a", 0.5);
	close_group();
	/* Nothing that says how many processors there are. */
	fake_remove(root, "/sys/devices/system/cpu/online");
	fake_remove(root, "/sys/fs/cgroup/cpuset/a/cpuset.cpus");
	put("/cpu,cpuacct/a", "cpu.cfs_quota_us", "-1\n");
	assert_int_equal(linux_cgroup_open(&group, &host.env, "a", &capacity, error), -1);
	assert_non_null(strstr(error, "nothing says how many processors"));
}

/* ---- Readings --------------------------------------------------------------------------------------------------------- */

static void capacity_is_looked_at_again_once_a_second(void **state)
{
	(void)state;
	own(MOUNT_V2, "0::/a\n");
	put("/a", "cpu.stat", "usage_usec 1000000\n");
	put("/a", "cpu.max", "100000 100000\n");
	open_group("self", 1);
	const struct sst_reading before = read_group();
	assert_true(is(before.processors, 1));
	put("/a", "cpu.max", "50000 100000\n");
	put("/a", "cpu.stat", "usage_usec 1250000\n");
	assert_true(is(read_group().processors, 1));
	/* As if a second had passed. */
	atomic_store(&capacity.looked_ns, atomic_load(&capacity.looked_ns) - NS_PER_S);
	struct sst_reading now = read_group();
	assert_true(is(now.processors, 0.5));
	now.when_ns = before.when_ns + NS_PER_S;
	struct sst_sample sample = {0};
	assert_true(sst_sample_ns(&before, &now, &sample));
	assert_true(is(sample.work, 0.25) && is(sample.capacity, 0.75));
	assert_false(sst_sample_ns(&now, &now, &sample));
	assert_false(sst_sample_ns(&now, &before, &sample));
	struct sst_reading back = now;
	back.when_ns++;
	back.counter[0]--;
	assert_false(sst_sample_ns(&now, &back, &sample));
	/* A quota that can't be read any more is none. */
	put("/a", "cpu.max", "");
	atomic_store(&capacity.looked_ns, 0);
	assert_true(is(read_group().processors, 4));
	/* Where nothing says anything any more, as when a group is being removed, it is what it was. */
	put("/a", "cpu.max", "50000 100000\n");
	atomic_store(&capacity.looked_ns, 0);
	assert_true(is(read_group().processors, 0.5));
	put("/a", "cpu.max", "");
	fake_file(root, "/sys/devices/system/cpu/online", "");
	atomic_store(&capacity.looked_ns, 0);
	assert_true(is(read_group().processors, 0.5));
	/* What is no usage is an error. */
	put("/a", "cpu.stat", "nr_periods 0\n");
	assert_int_equal(linux_cgroup_read(&group, &host.env, &capacity, &now), -1);
	assert_int_equal(errno, EINVAL);
	close_group();
}

/* A quota above the processors that may be used is none; lxcfs alone gives processors numbers of its own. */
static void fewer_processors_by_affinity(void **state)
{
	(void)state;
	struct linux_container found;
	own(MOUNT_V2, "0::/a\n");
	put("/a", "cpu.max", "250000 100000\n");
	fake_file(root, "/proc/self/status", "Name:\tx\nCpus_allowed_list:\t1-3\n");
	fake_file(root, "/proc/stat", "cpu  1 0 0 1\ncpu0 1 0 0 1\ncpu1 1 0 0 1\ncpu2 1 0 0 1\ncpu3 1 0 0 1\n");
	for (int usable = 3; usable >= 2; usable--) {
		if (usable == 2)
			fake_file(root, "/proc/self/status", "Name:\tx\nCpus_allowed_list:\t2-3\n");
		assert_true(linux_container_find(&host.env, &found));
		assert_true(found.by_affinity);
		assert_int_equal(found.group.cpus->count, usable);
		assert_true(is(found.group.quota, usable == 3 ? 2.5 : 0));
		assert_true(linux_container_keeps_numbers(&host.env, &found));
		found.lxcfs = true;
		assert_false(linux_container_keeps_numbers(&host.env, &found));
		linux_container_free(&found);
	}
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(quotas_are_parsed),
		TEST(the_own_group_is_parsed),
		TEST(groups_lie_below_what_is_mounted),
		TEST(without_files_there_is_no_container),
		TEST(every_ancestor_counts_and_the_smallest_wins),
		TEST(version_1_has_two_files),
		TEST(cpusets_are_containers),
		TEST(long_lists_of_processors),
		TEST(both_versions_together),
		TEST(without_a_namespace_a_part_is_mounted),
		TEST(the_group_with_the_quota_is_the_container),
		TEST(without_proc_nothing_is_known),
		TEST(groups_of_different_names_are_refused),
		TEST(a_namespace_with_the_mounts_outside_is_searched),
		TEST(groups_are_named_in_three_ways),
		TEST(the_directory_of_one_hierarchy_is_that_of_all),
		TEST(capacity_is_looked_at_again_once_a_second),
		TEST(fewer_processors_by_affinity),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
