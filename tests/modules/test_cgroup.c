/* SPDX-License-Identifier: MIT */
/* The module alone; where groups are found is tested in unit/groups/test_cgroup.c. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/units.h"
#include "fake_root.h"
#include "module_test.h"
#include "self/host.h"

static char root[PATH_MAX];
static struct host_env host;
static struct module module;
static char error[MODULE_ERROR_MAX];
static _Alignas(64) char memory[256];

static int enter(void **state)
{
	(void)state;
	fake_root_make(root);
	fake_file(root, "/sys/devices/system/cpu/online", "0-7\n");
	fake_file(root, "/proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	fake_file(root, "/proc/self/cgroup", "0::/own\n");
	fake_file(root, "/sys/fs/cgroup/own/cpu.stat", "usage_usec 5\n");
	fake_file(root, "/sys/fs/cgroup/own/cpu.max", "150000 100000\n");
	fake_file(root, "/sys/fs/cgroup/other/cpu.stat", "usage_usec 1000000\n");
	return 0;
}

static int leave(void **state)
{
	(void)state;
	fake_remove(root, "");
	return 0;
}

/* NULL, or why it is refused. */
static const char *load(const char *options)
{
	host_env_init(&host, root, 1, 0);
	memset(memory, 0, sizeof memory);
	host.env.shared = memory;
	if (module_load(&module, SST_FEEDBACK, SHOWSTOPPER_BUILD "/modules/feedback/cgroup.so", options, error) != 0)
		return error;
	assert_in_range(module.base->shared_size, 1, sizeof memory);
	if (module.base->prepare(module.state, &host.env) == 0)
		return NULL;
	module.base->fini(module.state, &host.env);
	module_unload(&module);
	return host.refusal;
}

static void unload(void)
{
	module.base->fini(module.state, &host.env);
	module_unload(&module);
}

static struct sst_reading read_now(void)
{
	struct sst_reading now = {0};
	assert_int_equal(module.feedback->read(module.state, &host.env, &now), 0);
	return now;
}

static void the_own_group_by_default(void **state)
{
	(void)state;
	const int64_t least = clock_now();
	assert_null(load(NULL));
	const struct sst_reading now = read_now();
	assert_true(now.when_ns >= least && now.when_ns <= clock_now());
	assert_near(now.processors, 1.5, 0);
	assert_int_equal(now.counter[0], 5000);
	unload();
}

static void work_is_relative_to_what_the_group_may_use(void **state)
{
	(void)state;
	struct sst_sample found;
	assert_null(load("other"));
	struct sst_reading before = read_now();
	assert_near(before.processors, 8, 0);
	fake_file(root, "/sys/fs/cgroup/other/cpu.stat", "usage_usec 1500000\n");
	struct sst_reading now = read_now();
	now.when_ns = before.when_ns + 250 * NS_PER_MS;
	assert_true(module.feedback->sample(module.state, &before, &now, &found));
	assert_near(found.work, 0.5, 1e-12);
	assert_near(found.capacity, 2, 1e-12);
	assert_false(module.feedback->sample(module.state, &now, &before, &found));
	unload();
}

static void filter_and_interval_have_their_options(void **state)
{
	(void)state;
	assert_null(load("path=self,base=400m,share=20m"));
	const struct sst_sample equal = {.work = 0.4, .capacity = 0.4};
	assert_near(module.feedback->estimate(module.state, 0.2, &equal), 0.6, 1e-12);
	assert_near(module.feedback->estimate(module.state, NAN, &equal), 1, 1e-12);
	assert_int_equal(module.feedback->interval(module.state, 2), 10 * NS_PER_MS);
	assert_int_equal(module.feedback->interval(module.state, 0.5), 40 * NS_PER_MS);
	assert_int_equal(module.feedback->interval(module.state, 1000), NS_PER_MS);
	unload();
}

static void what_cannot_work_is_refused(void **state)
{
	(void)state;
	assert_non_null(strstr(load("none"), "no cgroup 'none'"));
	assert_non_null(strstr(load("path=/sys/fs/cgroup/none"), "nor in that directory"));
	assert_non_null(strstr(load("path=a/../b"), "without '..'"));
	assert_non_null(strstr(load("path="), "path"));
	fake_remove(root, "/sys/fs/cgroup/own/cpu.stat");
	assert_non_null(strstr(load(NULL), "own cgroup /own"));
	fake_remove(root, "/proc/self/cgroup");
	assert_non_null(strstr(load("self"), "/proc/self/cgroup doesn't name the own cgroup"));
	fake_remove(root, "/proc/self/mountinfo");
	assert_non_null(strstr(load("other"), "can't read /proc/self/mountinfo"));
}

static void a_group_that_goes_is_an_error(void **state)
{
	(void)state;
	struct sst_reading now;
	assert_null(load("other"));
	fake_file(root, "/sys/fs/cgroup/other/cpu.stat", "");
	assert_int_equal(module.feedback->read(module.state, &host.env, &now), -1);
	assert_int_equal(errno, EINVAL);
	unload();
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(the_own_group_by_default),
		TEST(work_is_relative_to_what_the_group_may_use),
		TEST(filter_and_interval_have_their_options),
		TEST(what_cannot_work_is_refused),
		TEST(a_group_that_goes_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
