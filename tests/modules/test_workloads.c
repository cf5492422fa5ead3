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

enum { STAT, CLOCK, ONLINE };

static struct module_test test;
static const char *stat_text, *online_text;
static int64_t now_ns, used_ns;
static int opened, stat_reads, stat_error;
static bool has_clock;

static int open_file(const struct sst_env *env, const char *path)
{
	(void)env;
	const int handle = strcmp(path, "/proc/stat") == 0                                      ? STAT
			   : strcmp(path, "/proc/loadavg") == 0 && has_clock                    ? CLOCK
			   : strcmp(path, "/sys/devices/system/cpu/online") == 0 && online_text ? ONLINE
												: -1;
	opened += handle >= 0;
	errno = ENOENT;
	return handle;
}

static ssize_t read_file(const struct sst_env *env, int handle, void *buffer, size_t size, int64_t *when_ns)
{
	(void)env;
	const char *text = handle == STAT ? stat_text : handle == ONLINE ? online_text : "0.00 0.00 0.00 1/100 1000\n";
	*when_ns = now_ns;
	stat_reads += handle == STAT;
	if (handle == STAT && stat_error) {
		errno = stat_error;
		return -1;
	}
	const size_t length = strlen(text) < size ? strlen(text) : size;
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
	if (used_ns < 0)
		errno = (int)-used_ns;
	return used_ns < 0 ? -1 : used_ns;
}

static int enter(void **state)
{
	(void)state;
	stat_text = "cpu  1 0 0 1 0 0 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\nintr 0\n";
	now_ns = 1000 * NS_PER_S;
	used_ns = 5 * NS_PER_S;
	opened = stat_reads = stat_error = 0;
	has_clock = true;
	online_text = NULL;
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
	const char *refused = module_test_open(&test, SST_FEEDBACK, "workloads", options);
	test.host.open = open_file;
	test.host.read = read_file;
	test.host.close = close_file;
	test.host.tree_cpu_time = tree_cpu_time;
	return refused ? refused : module_test_prepare(&test);
}

static struct sst_reading read_now(void)
{
	struct sst_reading now = {0};
	assert_int_equal(test.module.feedback->read(test.module.state, &test.env, &now), 0);
	assert_int_equal(now.when_ns, now_ns);
	return now;
}

static void their_time_is_relative_to_the_machine(void **state)
{
	(void)state;
	struct sst_sample found;
	assert_null(load(NULL));
	const struct sst_reading before = read_now();
	assert_near(before.processors, 2, 0);
	now_ns += 500 * NS_PER_MS;
	used_ns += 250 * NS_PER_MS;
	const struct sst_reading now = read_now();
	assert_true(test.module.feedback->sample(test.module.state, &before, &now, &found));
	assert_near(found.work, 0.25, 1e-12);
	assert_near(found.capacity, 1, 1e-12);
	assert_false(test.module.feedback->sample(test.module.state, &now, &now, &found));
	assert_false(test.module.feedback->sample(test.module.state, &now, &before, &found));
	struct sst_reading back = now;
	back.when_ns++;
	back.counter[0]--;
	assert_false(test.module.feedback->sample(test.module.state, &now, &back, &found));
	module_test_end(&test);
}

static void processors_are_counted_once_a_second(void **state)
{
	(void)state;
	assert_null(load(NULL));
	read_now();
	const int reads = stat_reads;
	stat_text = "cpu  1 0 0 1 0 0 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0 0 0\nintr 0\n";
	now_ns += NS_PER_S / 2;
	assert_near(read_now().processors, 2, 0);
	assert_int_equal(stat_reads, reads);
	now_ns += NS_PER_S / 2;
	assert_near(read_now().processors, 1, 0);
	assert_int_equal(stat_reads, reads + 1);
	module_test_end(&test);
	/* Without a shorter file the time comes from /proc/stat. */
	has_clock = false;
	assert_null(load(NULL));
	read_now();
	module_test_end(&test);
}

static void processors_that_go_are_noticed_at_once(void **state)
{
	(void)state;
	online_text = "0-1\n";
	assert_null(load(NULL));
	assert_near(read_now().processors, 2, 0);
	stat_text = "cpu  1 0 0 1 0 0 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0 0 0\nintr 0\n";
	online_text = "0\n";
	now_ns += 10 * NS_PER_MS;
	const int reads = stat_reads;
	assert_near(read_now().processors, 1, 0);
	read_now();
	assert_int_equal(stat_reads, reads + 1);
	/* As long as they can't be counted there is no reading. */
	online_text = "0-1\n";
	stat_error = EIO;
	struct sst_reading reading;
	for (int i = 0; i < 2; i++) {
		now_ns += 10 * NS_PER_MS;
		assert_int_equal(test.module.feedback->read(test.module.state, &test.env, &reading), -1);
		assert_int_equal(errno, EIO);
	}
	stat_error = 0;
	assert_near(read_now().processors, 1, 0);
	module_test_end(&test);
}

static const struct sst_cpus *present;
static uint64_t present_moves;

static const struct sst_cpus *present_cpus(const struct sst_env *env, uint64_t *moves)
{
	(void)env;
	*moves = present_moves;
	return present;
}

static void processors_are_those_that_they_may_use(void **state)
{
	(void)state;
	const unsigned one[] = {1};
	const struct sst_cpus cpus = {.count = 1, .cpu = one};
	const char *refused = module_test_open(&test, SST_FEEDBACK, "workloads", NULL);
	assert_null(refused);
	test.host.open = open_file;
	test.host.read = read_file;
	test.host.close = close_file;
	test.host.tree_cpu_time = tree_cpu_time;
	test.host.cpus = present_cpus;
	test.env.cpus = &cpus;
	assert_null(module_test_prepare(&test));
	assert_near(read_now().processors, 1, 0);
	/* Moved to others it is looked at once. */
	test.env.moving = true;
	present = &cpus;
	assert_near(read_now().processors, 1, 0);
	present = NULL;
	present_moves = 1;
	assert_near(read_now().processors, 2, 0);
	present = &cpus;
	present_moves = 2;
	assert_near(read_now().processors, 1, 0);
	module_test_end(&test);
}

static double ceiling(void)
{
	return test.module.feedback->ceiling(test.module.state, &test.env);
}

/* Two processors are twice what makes a load of 100 %, half of it, or just that. */
static void the_ceiling_is_what_all_processors_make(void **state)
{
	(void)state;
	assert_null(load(NULL));
	assert_int_equal(test.module.feedback->scope(test.module.state), SST_SCOPE_WORKLOADS);
	assert_near(ceiling(), 1, 0);
	module_test_end(&test);
	assert_null(load("processors=4"));
	assert_near(read_now().processors, 4, 0);
	assert_near(ceiling(), 0.5, 0);
	module_test_end(&test);
	assert_null(load("processors=1"));
	assert_near(read_now().processors, 1, 0);
	assert_near(ceiling(), 2, 0);
	stat_text = "cpu  1 0 0 1 0 0 0 0 0 0\ncpu0 1 0 0 1 0 0 0 0 0 0\nintr 0\n";
	now_ns += NS_PER_S;
	assert_near(read_now().processors, 1, 0);
	assert_near(ceiling(), 1, 0);
	module_test_end(&test);
}

static void errors_are_passed_on(void **state)
{
	(void)state;
	struct sst_reading now;
	assert_null(load(NULL));
	used_ns = -EAGAIN; /* no workloads yet */
	assert_int_equal(read_now().counter[0], 0);
	used_ns = -EIO;
	assert_int_equal(test.module.feedback->read(test.module.state, &test.env, &now), -1);
	assert_int_equal(errno, EIO);
	used_ns = 1;
	now_ns += 2 * NS_PER_S;
	stat_error = EIO;
	assert_int_equal(test.module.feedback->read(test.module.state, &test.env, &now), -1);
	assert_int_equal(errno, EIO);
	module_test_end(&test);
	assert_string_equal(load(NULL), "can't read /proc/stat: Input/output error");
	stat_error = 0;
	stat_text = "nonsense\n";
	assert_string_equal(load(NULL), "can't read /proc/stat: it has no line of a processor");
	assert_non_null(strstr(load("base=0"), "option 'base': '0' is out of range"));
}

static void filter_and_interval_have_their_options(void **state)
{
	(void)state;
	assert_null(load("400m,share=160m"));
	const struct sst_sample equal = {.work = 0.4, .capacity = 0.4};
	assert_near(test.module.feedback->estimate(test.module.state, 0.2, &equal), 0.6, 1e-12);
	assert_near(test.module.feedback->estimate(test.module.state, NAN, &equal), 1, 1e-12);
	assert_int_equal(test.module.feedback->interval(test.module.state, 2), 80 * NS_PER_MS);
	assert_int_equal(test.module.feedback->interval(test.module.state, 1000), 10 * NS_PER_MS);
	module_test_end(&test);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(their_time_is_relative_to_the_machine),
		TEST(processors_are_counted_once_a_second),
		TEST(processors_that_go_are_noticed_at_once),
		TEST(processors_are_those_that_they_may_use),
		TEST(the_ceiling_is_what_all_processors_make),
		TEST(errors_are_passed_on),
		TEST(filter_and_interval_have_their_options),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
