/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "module_test.h"

static struct module_test test;
static const char *pressure;
static int opened, error;
static int64_t now_ns;

static int open_file(const struct sst_env *env, const char *path)
{
	(void)env;
	assert_string_equal(path, "/proc/pressure/cpu");
	if (!pressure) {
		errno = ENOENT;
		return -1;
	}
	opened++;
	return 5;
}

static ssize_t read_file(const struct sst_env *env, int handle, void *buffer, size_t size, int64_t *when_ns)
{
	(void)env;
	assert_int_equal(handle, 5);
	*when_ns = now_ns;
	if (error) {
		errno = error;
		return -1;
	}
	const size_t length = strlen(pressure);
	assert_true(length <= size);
	memcpy(buffer, pressure, length);
	return (ssize_t)length;
}

static void close_file(const struct sst_env *env, int handle)
{
	(void)env;
	assert_int_equal(handle, 5);
	opened--;
}

static const char *load(void)
{
	const char *refused = module_test_open(&test, SST_FEEDBACK, "skeleton", NULL);
	test.host.open = open_file;
	test.host.read = read_file;
	test.host.close = close_file;
	return refused ? refused : module_test_prepare(&test);
}

static int read_now(struct sst_reading *reading)
{
	return test.module.feedback->read(test.module.state, &test.env, reading);
}

static void time_under_pressure_is_the_load(void **state)
{
	(void)state;
	struct sst_reading before;
	struct sst_reading now;
	struct sst_sample sample;
	pressure = "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=5\n";
	now_ns = NS_PER_S;
	assert_null(load());
	assert_int_equal(opened, 1);
	assert_int_equal(read_now(&before), 0);
	assert_int_equal(before.when_ns, NS_PER_S);
	pressure = "some avg10=0.00 avg60=0.00 avg300=0.00 total=1250000\n";
	now_ns = 2 * NS_PER_S;
	assert_int_equal(read_now(&now), 0);
	assert_true(test.module.feedback->sample(test.module.state, &before, &now, &sample));
	assert_near(sample.work / sample.capacity, 0.25, 1e-12); /* 250,000 µs of a second */
	assert_false(test.module.feedback->sample(test.module.state, &now, &now, &sample));
	assert_false(test.module.feedback->sample(test.module.state, &now, &before, &sample));
	assert_true(test.module.feedback->interval(test.module.state, 2) > 0);
	assert_near(test.module.feedback->estimate(test.module.state, 0, &(const struct sst_sample){0.333, 0.333}), 0.5, 1e-12);
	module_test_end(&test);
	assert_int_equal(opened, 0);
}

static void trouble_is_told(void **state)
{
	(void)state;
	struct sst_reading reading;
	pressure = NULL;
	assert_string_equal(load(), "can't open /proc/pressure/cpu: No such file or directory");
	pressure = "nonsense";
	assert_null(load());
	errno = 0;
	assert_int_equal(read_now(&reading), -1);
	assert_int_equal(errno, EINVAL);
	error = EOPNOTSUPP; /* what a kernel without pressure accounting answers */
	assert_int_equal(read_now(&reading), -1);
	assert_int_equal(errno, EOPNOTSUPP);
	error = 0;
	module_test_end(&test);
	assert_int_equal(opened, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_under_pressure_is_the_load),
		cmocka_unit_test(trouble_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
