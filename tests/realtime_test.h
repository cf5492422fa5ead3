/* SPDX-License-Identifier: MIT */
/* The module realtime on a machine that consists of a few files. */
#ifndef TESTS_REALTIME_TEST_H
#define TESTS_REALTIME_TEST_H

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "module_test.h"

enum {
	STAT,
	CMDLINE,
	USAGE,
	PERCPU,
	POSSIBLE,
	MOUNTS,
	GROUPS,
	GROUP_USAGE,
	GROUP_MAX,
	GROUP_CPUS,
	ONLINE,
	STATUS,
	SIBLINGS,
	FILES
};

static const char *const paths[FILES] = {"/proc/stat", "/proc/cmdline", "/sys/fs/cgroup/cpuacct/cpuacct.usage",
	"/sys/fs/cgroup/cpuacct/cpuacct.usage_percpu", "/sys/devices/system/cpu/possible", "/proc/self/mountinfo",
	"/proc/self/cgroup", "/sys/fs/cgroup/a/cpu.stat", "/sys/fs/cgroup/a/cpu.max", "/sys/fs/cgroup/a/cpuset.cpus.effective",
	"/sys/devices/system/cpu/online", "/proc/self/status", "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list"};
static struct {
	char text[65536];
	bool exists;
	int opened, reads, error;
} file[FILES];
static int64_t now_ns;
static struct module_test test;

static inline int open_file(const struct sst_env *env, const char *path)
{
	(void)env;
	for (int i = 0; i < FILES; i++)
		if (strcmp(path, paths[i]) == 0 && file[i].exists) {
			file[i].opened++;
			return i;
		}
	errno = ENOENT;
	return -1;
}

static inline ssize_t read_file(const struct sst_env *env, int handle, void *buffer, size_t size, int64_t *when_ns)
{
	(void)env;
	file[handle].reads++;
	*when_ns = now_ns;
	if (file[handle].error) {
		errno = file[handle].error;
		return -1;
	}
	const size_t length = strlen(file[handle].text);
	memcpy(buffer, file[handle].text, length < size ? length : size);
	return (ssize_t)(length < size ? length : size);
}

static inline void close_file(const struct sst_env *env, int handle)
{
	(void)env;
	file[handle].opened--;
}

static inline void write_file(int which, const char *text)
{
	file[which].exists = true;
	snprintf(file[which].text, sizeof file[which].text, "%s", text);
}

/* Two processors; in ticks of 10 ms since boot. */
static inline void write_stat(unsigned busy0, unsigned idle0, unsigned busy1, unsigned idle1)
{
	char text[512];
	snprintf(text, sizeof text,
		"cpu  %u 0 0 %u 0 0 0 0 0 0\ncpu0 %u 0 0 %u 0 0 0 0 0 0\ncpu1 %u 0 0 %u 0 0 0 0 0 0\nintr 0\nctxt 1\nbtime "
		"2\nprocesses 3\n",
		busy0 + busy1, idle0 + idle1, busy0, idle0, busy1, idle1);
	write_file(STAT, text);
}

static inline void write_usage(uint64_t ns)
{
	char text[32];
	snprintf(text, sizeof text, "%llu\n", (unsigned long long)ns);
	write_file(USAGE, text);
}

static inline int enter(void **state)
{
	(void)state;
	memset(file, 0, sizeof file);
	now_ns = 1000 * NS_PER_S;
	write_stat(100, 200, 300, 400);
	return sysconf(_SC_CLK_TCK) == 100 ? 0 : -1;
}

static inline int leave(void **state)
{
	(void)state;
	for (int i = 0; i < FILES; i++)
		assert_int_equal(file[i].opened, 0);
	return 0;
}

/* What the host says of the controlled workloads. */
static const struct sst_cpus *controlled;

static inline const char *load(const char *options)
{
	const char *refused = module_test_open(&test, SST_FEEDBACK, "realtime", options);
	test.env.cpus = controlled;
	test.host.open = open_file;
	test.host.read = read_file;
	test.host.close = close_file;
	return refused ? refused : module_test_prepare(&test);
}

static inline void start(const char *options)
{
	const char *refused = load(options);
	if (refused)
		fail_msg("'%s' is refused: %s", options ? options : "", refused);
}

static inline struct sst_reading read_now(void)
{
	struct sst_reading reading = {0};
	if (test.module.feedback->read(test.module.state, &test.env, &reading) != 0)
		fail_msg("can't read: %s", strerror(errno));
	assert_int_equal(reading.when_ns, now_ns);
	return reading;
}

static inline bool sample(const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	return test.module.feedback->sample(test.module.state, before, now, sample);
}

static inline void assert_source(const char *source)
{
	char option[32];
	snprintf(option, sizeof option, "source=%s", source);
	if (!strstr(module_test_options(&test), option))
		fail_msg("found '%s', expected %s", test.printed, option);
}

/* What is not asked for. */
#define ANY (-1)

/* With these options that source is chosen, and so many processors are measured. */
static inline void expect(const char *options, const char *source, double processors)
{
	start(options);
	if (source)
		assert_source(source);
	if (processors != ANY)
		assert_near(read_now().processors, processors, 0);
	module_test_end(&test);
}

/* The reading of now, and what it makes with the one before. */
static inline struct sst_reading expect_sample(const struct sst_reading *before, double work, double capacity)
{
	struct sst_sample found;
	const struct sst_reading now = read_now();
	assert_true(sample(before, &now, &found));
	assert_near(found.work, work, 1e-12);
	assert_near(found.capacity, capacity, 1e-12);
	return now;
}

#endif
