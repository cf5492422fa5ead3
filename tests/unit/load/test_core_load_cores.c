/* SPDX-License-Identifier: MIT */
#include "load/core_load.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "fake_root.h"
#include "self/host.h"

static char root[PATH_MAX];
static struct host_env host;
static struct linux_cores cores;

static int enter(void **state)
{
	(void)state;
	fake_root_make(root);
	host_env_init(&host, root, 1, 0);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	linux_cores_free(&cores);
	fake_remove(root, "");
	return 0;
}

static void siblings(unsigned processor, const char *list)
{
	char path[96];
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", processor);
	fake_file(root, path, list);
}

static int find(const unsigned *id, size_t count)
{
	struct linux_stat_cpu processor[16] = {{0}};
	for (size_t i = 0; i < count; i++)
		processor[i].id = id[i];
	return linux_cores_read(&cores, &host.env, processor, count);
}

static void siblings_share_a_core(void **state)
{
	(void)state;
	static const unsigned all[] = {0, 1, 2, 3};
	siblings(0, "0,2\n");
	siblings(1, "1,3\n");
	siblings(2, "0,2\n");
	siblings(3, "1,3\n");
	assert_int_equal(find(all, 4), 0);
	assert_int_equal(cores.count, 2);
	assert_true(cores.are_shared);
	assert_int_equal(linux_cores_of(&cores, 0), linux_cores_of(&cores, 2));
	assert_int_equal(linux_cores_of(&cores, 1), linux_cores_of(&cores, 3));
	assert_int_not_equal(linux_cores_of(&cores, 0), linux_cores_of(&cores, 1));
	assert_int_equal(linux_cores_of(&cores, 4), LINUX_CORES_NONE);
}

/* As in a virtual machine, and with cores of which one thread is offline. */
static void neighbours_may_be_siblings(void **state)
{
	(void)state;
	static const unsigned all[] = {0, 1, 2, 7};
	siblings(0, "0-1\n");
	siblings(2, "2\n");
	siblings(7, "6-7\n");
	assert_int_equal(find(all, 4), 0);
	assert_int_equal(cores.count, 3);
	assert_true(cores.are_shared);
	assert_int_equal(linux_cores_of(&cores, 6), LINUX_CORES_NONE);
}

/* A core of which only one thread is asked for is shared with nobody. */
static void only_those_asked_for_count(void **state)
{
	(void)state;
	static const unsigned part[] = {0, 1};
	siblings(0, "0,2\n");
	siblings(1, "1,3\n");
	assert_int_equal(find(part, 2), 0);
	assert_int_equal(cores.count, 2);
	assert_false(cores.are_shared);
}

static void what_cannot_be_read_is_said(void **state)
{
	(void)state;
	static const unsigned all[] = {0, 1};
	assert_int_equal(find(all, 2), -1);
	assert_int_equal(errno, ENOENT);
	linux_cores_free(&cores);
	siblings(0, "what?\n");
	assert_int_equal(find(all, 2), -1);
	assert_int_equal(errno, EINVAL);
	linux_cores_free(&cores);
	static const unsigned absurd[] = {4000000000};
	assert_int_equal(find(absurd, 1), -1);
	assert_int_equal(errno, EINVAL);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(siblings_share_a_core),
		TEST(neighbours_may_be_siblings),
		TEST(only_those_asked_for_count),
		TEST(what_cannot_be_read_is_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
