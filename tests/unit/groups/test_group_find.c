/* SPDX-License-Identifier: MIT */
/* Groups by path and by short name, in trees of folders as systemd, LXC, Docker and others make them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "fake_root.h"
#include "groups/group_find.h"

#define ID1 "3f9c0a1b2c3d4e5f60718293a4b5c6d7e8f9010203040506070809a0b0c0d0e0"
#define ID2 "3f9d0a1b2c3d4e5f60718293a4b5c6d7e8f9010203040506070809a0b0c0d0e0"

static char root[PATH_MAX];
static struct group_mounts mounts;
static char error[GROUP_FIND_ERROR_MAX];

/* A group and those above it; each has its processes, and what else is named. */
static void make(const char *path, const char *file)
{
	char part[PATH_MAX];
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof part, "/%.*s/cgroup.procs", (int)(slash - path), path);
		fake_file(root, part, "");
	}
	snprintf(part, sizeof part, "/%s/cgroup.procs", path);
	fake_file(root, part, "");
	snprintf(part, sizeof part, "/%s/%s", path, file);
	fake_file(root, part, "");
}

/* Both versions, as in systemd's hybrid set-up, or one of them. */
static void mount(bool unified, bool v1)
{
	static const char *const names[GROUP_HIERARCHIES] = {[GROUP_UNIFIED] = "unified",
		[GROUP_FREEZER] = "freezer",
		[GROUP_CPU] = "cpu",
		[GROUP_CPUACCT] = "cpuacct",
		[GROUP_NAMED] = "systemd"};
	for (int i = 0; i < GROUP_HIERARCHIES; i++) {
		mounts.point[i][0] = '\0';
		if (i == GROUP_UNIFIED ? unified : v1)
			snprintf(mounts.point[i], PATH_MAX, "%.3000s/%s", root, names[i]);
	}
}

static int enter(void **state)
{
	(void)state;
	fake_root_make(root);
	mount(true, false);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	fake_remove(root, "");
	return 0;
}

/* Where `name` is found, below the root. */
static void expect(const char *name, enum actuator actuator, const char *where)
{
	char folder[PATH_MAX];
	if (group_find(&mounts, name, actuator, folder, error) != 0)
		fail_msg("%s: %s", name, error);
	assert_true(strncmp(folder, root, strlen(root)) == 0);
	assert_string_equal(folder + strlen(root) + 1, where);
}

static void refuse(const char *name, enum actuator actuator, const char *why)
{
	char folder[PATH_MAX];
	assert_int_equal(group_find(&mounts, name, actuator, folder, error), -1);
	if (!strstr(error, why))
		fail_msg("%s: '%s' lacks '%s'", name, error, why);
}

static void units_are_below_slices(void **state)
{
	(void)state;
	make("unified/system.slice/nginx.service", "cgroup.freeze");
	make("unified/system.slice/system-getty.slice/getty@tty1.service", "cgroup.freeze");
	make("unified/user.slice/user-1000.slice/user@1000.service/app.slice/editor.service", "cgroup.freeze");
	make("unified/user.slice/user-1000.slice/session-3.scope", "cgroup.freeze");
	/* Those within a container are not the machine's. */
	make("unified/lxc.payload.web/system.slice/nginx.service", "cgroup.freeze");
	make("unified/machine.slice/machine-a.scope/payload/system.slice/nginx.service", "cgroup.freeze");
	expect("unit:nginx", ACTUATOR_SIGNALS, "unified/system.slice/nginx.service");
	expect("unit:nginx.service", ACTUATOR_FREEZER, "unified/system.slice/nginx.service");
	expect("unit:getty@tty1", ACTUATOR_SIGNALS, "unified/system.slice/system-getty.slice/getty@tty1.service");
	expect("unit:editor", ACTUATOR_SIGNALS, "unified/user.slice/user-1000.slice/user@1000.service/app.slice/editor.service");
	expect("unit:session-3.scope", ACTUATOR_SIGNALS, "unified/user.slice/user-1000.slice/session-3.scope");
	expect("unit:system.slice", ACTUATOR_SIGNALS, "unified/system.slice");
	refuse("unit:ngin", ACTUATOR_SIGNALS, "there is no control group of unit ngin.service: expected one that runs");
	refuse("unit:", ACTUATOR_SIGNALS, "expected a name");
	refuse("unit:a/b", ACTUATOR_SIGNALS, "expected a name");
	/* The same unit of two users. */
	make("unified/user.slice/user-1001.slice/user@1001.service/app.slice/editor.service", "cgroup.freeze");
	refuse("unit:editor", ACTUATOR_SIGNALS, "'unit:editor' is 2 groups: expected the path of one of them: ");
	assert_non_null(strstr(error, "user-1000.slice/user@1000.service/app.slice/editor.service"));
	assert_non_null(strstr(error, "user-1001.slice/user@1001.service/app.slice/editor.service"));
}

static void lxc_has_three_ways(void **state)
{
	(void)state;
	make("unified/lxc.payload.web", "cgroup.freeze");
	make("unified/lxc.monitor.web", "cgroup.freeze");
	make("unified/lxc.payload.webmail", "cgroup.freeze");
	make("unified/lxc/old", "cgroup.freeze");
	make("unified/lxc.payload/former", "cgroup.freeze");
	expect("lxc:web", ACTUATOR_SIGNALS, "unified/lxc.payload.web");
	expect("lxc:old", ACTUATOR_SIGNALS, "unified/lxc/old");
	expect("lxc:former", ACTUATOR_SIGNALS, "unified/lxc.payload/former");
	refuse("lxc:none", ACTUATOR_SIGNALS, "there is no control group of LXC container none");
}

static void containers_are_known_by_their_ids(void **state)
{
	(void)state;
	make("unified/system.slice/docker-" ID1 ".scope", "cgroup.freeze");
	make("unified/machine.slice/libpod-" ID2 ".scope/container", "cgroup.freeze");
	make("unified/machine.slice/libpod-conmon-" ID2 ".scope", "cgroup.freeze");
	expect("container:3f9c", ACTUATOR_SIGNALS, "unified/system.slice/docker-" ID1 ".scope");
	expect("container:" ID2, ACTUATOR_SIGNALS, "unified/machine.slice/libpod-" ID2 ".scope");
	refuse("container:3f9", ACTUATOR_SIGNALS, "'container:3f9' is 2 groups");
	refuse("container:3f9e", ACTUATOR_SIGNALS, "there is no control group of container with the ID 3f9e");
	refuse("container:web", ACTUATOR_SIGNALS, "'container:web': expected the ID of a container or its beginning");
	refuse("container:", ACTUATOR_SIGNALS, "expected the ID");
	fake_remove(root, "/unified");
	make("unified/docker/" ID1, "cgroup.freeze");
	make("unified/kubepods/burstable/pod1234/" ID2, "cgroup.freeze");
	make("unified/other/" ID2, "cgroup.freeze");
	expect("container:3f9c", ACTUATOR_SIGNALS, "unified/docker/" ID1);
	expect("container:3f9d", ACTUATOR_SIGNALS, "unified/kubepods/burstable/pod1234/" ID2);
}

static void hierarchies_suit_the_actuator(void **state)
{
	(void)state;
	mount(true, true);
	make("unified/system.slice/a.service", "cgroup.freeze");
	make("systemd/system.slice/a.service", "tasks");
	make("cpu/system.slice/a.service", "cpu.cfs_quota_us");
	expect("unit:a", ACTUATOR_SIGNALS, "unified/system.slice/a.service");
	expect("unit:a", ACTUATOR_FREEZER, "unified/system.slice/a.service");
	expect("unit:a", ACTUATOR_QUOTA, "cpu/system.slice/a.service");
	expect("system.slice/a.service", ACTUATOR_QUOTA, "cpu/system.slice/a.service");
	/* Version 1 alone. */
	mount(false, true);
	expect("unit:a", ACTUATOR_SIGNALS, "systemd/system.slice/a.service");
	refuse("unit:a", ACTUATOR_FREEZER, "there is no control group of unit a.service");
	make("freezer/lxc/b", "freezer.state");
	expect("lxc:b", ACTUATOR_FREEZER, "freezer/lxc/b");
	/* Version 2 alone, where the controller isn't handed down. */
	mount(true, false);
	refuse("unit:a", ACTUATOR_QUOTA, "has no quota (neither cpu.max nor cpu.cfs_quota_us): expected");
	refuse("system.slice/a.service", ACTUATOR_QUOTA, "has no quota");
}

static void paths_are_below_a_mount_or_whole(void **state)
{
	(void)state;
	char whole[PATH_MAX];
	make("unified/a/b", "cgroup.freeze");
	expect("a/b", ACTUATOR_SIGNALS, "unified/a/b");
	expect("/a/b/", ACTUATOR_SIGNALS, "unified/a/b");
	snprintf(whole, sizeof whole, "%.3000s/unified/a/b", root);
	expect(whole, ACTUATOR_SIGNALS, "unified/a/b");
	for (size_t i = 0; i < 5; i++) {
		static const char *const bad[] = {"/", "", "..", "a/../b", "../unified/a"};
		refuse(bad[i], ACTUATOR_SIGNALS, i == 2 ? "" : "expected the path of a control group, without '..'");
	}
	refuse("a/c", ACTUATOR_SIGNALS,
		"'a/c' is no control group: expected the path of one that is there, below a mount point such as");
	/* What is a folder isn't a group yet. */
	fake_file(root, "/unified/folder/file", "");
	refuse("folder", ACTUATOR_SIGNALS, "is no control group");
}

static void mounts_are_those_of_mountinfo(void **state)
{
	(void)state;
	static const char text[] = "30 23 0:25 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
				   "31 30 0:26 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
				   "32 30 0:27 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
				   "33 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n";
	enum group_hierarchy hierarchy;
	char below[PATH_MAX], folder[PATH_MAX];
	static const char own[] = "4:cpu,cpuacct:/x\n1:name=systemd:/system.slice/a.service\n0::/\n";
	group_mounts_parse(&mounts, text, sizeof text - 1);
	assert_string_equal(mounts.point[GROUP_UNIFIED], "/sys/fs/cgroup/unified");
	assert_string_equal(mounts.point[GROUP_NAMED], "/sys/fs/cgroup/systemd");
	assert_string_equal(mounts.point[GROUP_CPU], "/sys/fs/cgroup/cpu,cpuacct");
	assert_string_equal(mounts.point[GROUP_CPUACCT], "/sys/fs/cgroup/cpu,cpuacct");
	assert_string_equal(mounts.point[GROUP_FREEZER], "");
	assert_true(group_hierarchy_of(&mounts, "/sys/fs/cgroup/unified/a/b", &hierarchy, below));
	assert_int_equal(hierarchy, GROUP_UNIFIED);
	assert_string_equal(below, "/a/b");
	assert_true(group_hierarchy_of(&mounts, "/sys/fs/cgroup/systemd", &hierarchy, below));
	assert_int_equal(hierarchy, GROUP_NAMED);
	assert_string_equal(below, "");
	assert_false(group_hierarchy_of(&mounts, "/sys/fs/cgroup/freezer/a", &hierarchy, below));
	assert_true(group_of_process(&mounts, own, sizeof own - 1, GROUP_NAMED, folder));
	assert_string_equal(folder, "/sys/fs/cgroup/systemd/system.slice/a.service");
	assert_true(group_of_process(&mounts, own, sizeof own - 1, GROUP_UNIFIED, folder));
	assert_string_equal(folder, "/sys/fs/cgroup/unified");
	assert_false(group_of_process(&mounts, own, sizeof own - 1, GROUP_FREEZER, folder));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(units_are_below_slices, enter, leave),
		cmocka_unit_test_setup_teardown(lxc_has_three_ways, enter, leave),
		cmocka_unit_test_setup_teardown(containers_are_known_by_their_ids, enter, leave),
		cmocka_unit_test_setup_teardown(hierarchies_suit_the_actuator, enter, leave),
		cmocka_unit_test_setup_teardown(paths_are_below_a_mount_or_whole, enter, leave),
		cmocka_unit_test_setup_teardown(mounts_are_those_of_mountinfo, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
