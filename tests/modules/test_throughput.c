/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "module_test.h"

static struct module_test test;
static int64_t now_ns, used_ns, count;
static int opened;

static int open_file(const struct sst_env *env, const char *path)
{
	(void)env;
	errno = ENOENT;
	if (strcmp(path, "/proc/stat") != 0)
		return -1;
	opened++;
	return 0;
}

static ssize_t read_file(const struct sst_env *env, int handle, void *buffer, size_t size, int64_t *when_ns)
{
	static const char text[] = "cpu  1 0 0 1 0 0 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\nintr 0\n";
	(void)env;
	(void)handle;
	*when_ns = now_ns;
	const size_t length = sizeof text - 1 < size ? sizeof text - 1 : size;
	memcpy(buffer, text, length);
	return (ssize_t)length;
}

static void close_file(const struct sst_env *env, int handle)
{
	(void)env;
	(void)handle;
	opened--;
}

static int64_t tree_cpu_time(const struct sst_env *env)
{
	(void)env;
	return used_ns;
}

static int count_iterations(const struct sst_env *env)
{
	(void)env;
	return 0;
}

static int64_t iterations(const struct sst_env *env)
{
	(void)env;
	return count;
}

static int enter(void **state)
{
	(void)state;
	now_ns = 1000 * NS_PER_S;
	used_ns = count = 0;
	opened = 0;
	return 0;
}

static int leave(void **state)
{
	(void)state;
	assert_int_equal(opened, 0);
	return 0;
}

static const char *load(const char *options)
{
	const char *refused = module_test_open(&test, SST_FEEDBACK, "throughput", options);
	test.host.open = open_file;
	test.host.read = read_file;
	test.host.close = close_file;
	test.host.tree_cpu_time = tree_cpu_time;
	test.host.count_iterations = count_iterations;
	test.host.iterations = iterations;
	test.env.workloads = 2;
	return refused ? refused : module_test_prepare(&test);
}

static const struct sst_feedback *module(void)
{
	return test.module.feedback;
}

static struct sst_reading read_now(void)
{
	struct sst_reading now = {0};
	assert_int_equal(module()->read(test.module.state, &test.env, &now), 0);
	return now;
}

/* Both processors work for so long, and each iteration takes 100 ms of one: the count at the end of it, as time goes by in steps of 10 ms. */
static void work(int64_t length_ns, double share)
{
	for (int64_t passed = 0; passed < length_ns; passed += 10 * NS_PER_MS) {
		now_ns += 10 * NS_PER_MS;
		used_ns += (int64_t)(2 * share * 10 * NS_PER_MS);
		count = 2 * (used_ns / (200 * NS_PER_MS));
		read_now();
	}
}

static int calibrate(enum sst_calibration step)
{
	return module()->calibrate(test.module.state, &test.env, step);
}

static void what_is_100_percent_is_one_of_two(void **state)
{
	(void)state;
	assert_non_null(strstr(load("calibrate=1s,max=3"), "expected one of them"));
	assert_null(load(NULL));
	assert_int_equal(module()->calibration(test.module.state), 10 * NS_PER_S);
	assert_true(isnan(module()->maximum(test.module.state)));
	module_test_end(&test);
	assert_null(load("max=20"));
	assert_int_equal(module()->calibration(test.module.state), 0);
	assert_near(module()->maximum(test.module.state), 20, 0);
	assert_true(isinf(module()->ceiling(test.module.state, &test.env)));
	module_test_end(&test);
	assert_null(load("3s"));
	assert_int_equal(module()->calibration(test.module.state), 3 * NS_PER_S);
	module_test_end(&test);
}

static void the_load_is_known_when_the_maximum_is(void **state)
{
	(void)state;
	struct sst_sample sample;
	assert_null(load("2s"));
	const struct sst_reading first = read_now();
	assert_int_equal(calibrate(SST_CALIBRATION_BEGINS), 0);
	for (int i = 0; i < 200; i++) {
		work(10 * NS_PER_MS, 1);
		assert_int_equal(calibrate(i < 199 ? SST_CALIBRATION_GOES_ON : SST_CALIBRATION_IS_OVER), 0);
		const struct sst_reading now = read_now();
		assert_int_equal(module()->sample(test.module.state, &first, &now, &sample), i == 199);
	}
	assert_near(module()->maximum(test.module.state), 20, 0.1);
	const struct sst_reading before = read_now();
	work(10 * NS_PER_S, 0.4);
	const struct sst_reading now = read_now();
	assert_true(module()->sample(test.module.state, &before, &now, &sample));
	assert_near(sample.capacity, 20, 1e-9);
	assert_near(sample.work / sample.capacity, 0.4, 0.01);
	assert_false(module()->sample(test.module.state, &now, &now, &sample));
	assert_false(module()->sample(test.module.state, &now, &before, &sample));
	module_test_end(&test);
}

/* Iterations of 100 ms, samples of 20 ms: each has about what was done in it, and no iteration makes a step. */
static void what_is_between_two_counts_is_reckoned(void **state)
{
	(void)state;
	struct sst_sample sample;
	assert_null(load("max=20"));
	work(20 * NS_PER_S, 0.5);
	for (int i = 0; i < 200; i++) {
		const struct sst_reading before = read_now();
		const double share = i % 2 ? 0.8 : 0;
		work(20 * NS_PER_MS, share);
		const struct sst_reading now = read_now();
		assert_true(module()->sample(test.module.state, &before, &now, &sample));
		assert_near(sample.work / sample.capacity, share, 0.15);
	}
	module_test_end(&test);
}

static void who_counts_nothing_is_told_so(void **state)
{
	(void)state;
	struct sst_reading now;
	assert_null(load("1s"));
	assert_int_equal(calibrate(SST_CALIBRATION_BEGINS), 0);
	now_ns += NS_PER_S;
	used_ns += 2 * NS_PER_S;
	assert_int_equal(calibrate(SST_CALIBRATION_IS_OVER), -1);
	assert_non_null(strstr(test.message, "no workload has finished an iteration in 1.0 s"));
	module_test_end(&test);
	assert_null(load("max=20"));
	read_now();
	now_ns += 100 * NS_PER_S; /* stopped: nothing can be finished */
	read_now();
	now_ns += 9 * NS_PER_S;
	used_ns += 16 * NS_PER_S;
	read_now();
	now_ns += 2 * NS_PER_S;
	used_ns += 4 * NS_PER_S;
	assert_int_equal(module()->read(test.module.state, &test.env, &now), -1);
	assert_non_null(strstr(test.message, "no workload has finished an iteration in 11.0 s"));
	count = 1;
	now_ns += NS_PER_S;
	read_now();
	module_test_end(&test);
}

static void few_iterations_are_warned_of(void **state)
{
	(void)state;
	assert_null(load("1s"));
	assert_int_equal(calibrate(SST_CALIBRATION_BEGINS), 0);
	work(NS_PER_S, 1);
	assert_int_equal(calibrate(SST_CALIBRATION_IS_OVER), 0);
	assert_non_null(strstr(test.message, "only 20 iterations"));
	module_test_end(&test);
}

static void odd_counts_do_no_harm(void **state)
{
	(void)state;
	static const int64_t odd[] = {0, INT64_MAX, 5, INT64_MAX / 2, 0, 1, INT64_MAX};
	struct sst_sample sample;
	assert_null(load("max=20"));
	struct sst_reading before = read_now();
	for (size_t i = 0; i < 100 * sizeof odd / sizeof *odd; i++) {
		now_ns += NS_PER_S;
		count = odd[i % (sizeof odd / sizeof *odd)];
		const struct sst_reading now = read_now();
		if (module()->sample(test.module.state, &before, &now, &sample)) {
			assert_true(isfinite(sample.work) && sample.work >= 0);
			assert_near(sample.capacity, 2, 1e-9);
		}
		before = now;
	}
	module_test_end(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_100_percent_is_one_of_two, enter, leave),
		cmocka_unit_test_setup_teardown(the_load_is_known_when_the_maximum_is, enter, leave),
		cmocka_unit_test_setup_teardown(what_is_between_two_counts_is_reckoned, enter, leave),
		cmocka_unit_test_setup_teardown(who_counts_nothing_is_told_so, enter, leave),
		cmocka_unit_test_setup_teardown(few_iterations_are_warned_of, enter, leave),
		cmocka_unit_test_setup_teardown(odd_counts_do_no_harm, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
