/* SPDX-License-Identifier: MIT */
/* On files, and by a clock that the tests set: all of them stand still but for what a test writes. */
#include "cpuload/load_source.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_root.h"

#define V1 "32 31 0:29 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n"
#define UNIFIED "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
#define CPUACCT "/sys/fs/cgroup/cpuacct/"

static char root[PATH_MAX];
static char error[LINUX_LOAD_SOURCE_ERROR_MAX];
static int64_t now_ns;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	if (clock != CLOCK_MONOTONIC || !now_ns)
		return (int)syscall(SYS_clock_gettime, clock, now);
	*now = (struct timespec){.tv_sec = now_ns / NS_PER_S, .tv_nsec = now_ns % NS_PER_S};
	return 0;
}

static const char start[] = "cpu  1000 0 0 5000 0 0 0 100\n"
			    "cpu0 500 0 0 2500 0 0 0 50\n"
			    "cpu2 500 0 0 2500 0 0 0 50\n"
			    "intr 1 2 3\nprocesses 7\nprocs_running 3\n";
/* A second later. */
static const char later[] = "cpu  1100 0 0 5080 0 0 0 120\n"
			    "cpu0 590 0 0 2500 0 0 0 60\n"
			    "cpu2 510 0 0 2580 0 0 0 60\n"
			    "intr 1 2 3\nprocesses 8\nprocs_running 4\n";

static struct linux_load_source *open_source(const struct linux_load_settings *settings)
{
	struct linux_load_source *const source = linux_load_source_open(settings, error);
	if (!source)
		fail_msg("%s", error);
	struct sst_sample sample;
	assert_false(linux_load_source_sample(source, &sample)); /* there is one reading only */
	assert_true(isnan(linux_load_source_steal(source)));
	return source;
}

static void assert_refused(const struct linux_load_settings *settings, const char *expected)
{
	assert_null(linux_load_source_open(settings, error));
	if (!strstr(error, expected))
		fail_msg("'%s' should contain '%s'", error, expected);
}

/* A second later, with that in a file. */
static int read_later(struct linux_load_source *source, const char *path, const char *text)
{
	now_ns += NS_PER_S;
	fake_file(root, path, text);
	return linux_load_source_read(source);
}

static void assert_sample(const struct linux_load_source *source, double work, double capacity)
{
	struct sst_sample sample = {0};
	if (!linux_load_source_sample(source, &sample) || fabs(sample.work - work) > 1e-8 ||
		fabs(sample.capacity - capacity) > 1e-8)
		fail_msg("work %g of %g, expected %g of %g", sample.work, sample.capacity, work, capacity);
}

static void assert_sample_cpu(const struct linux_load_source *source, unsigned id, double work, double capacity)
{
	struct sst_sample sample = {0};
	if (!linux_load_source_sample_cpu(source, id, &sample) || fabs(sample.work - work) > 1e-8 ||
		fabs(sample.capacity - capacity) > 1e-8)
		fail_msg("processor %u: work %g of %g, expected %g of %g", id, sample.work, sample.capacity, work, capacity);
}

static void processors(void **state)
{
	static const enum linux_machine_source sources[] = {LINUX_MACHINE_IDLE, LINUX_MACHINE_TICKS};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct linux_load_settings settings = {.root = root, .source = (int)sources[i], .per_cpu = true};
		struct sst_sample sample;
		char trouble[LINUX_MACHINE_TROUBLE_MAX];
		fake_file(root, "/proc/stat", start);
		struct linux_load_source *const source = open_source(&settings);
		assert_int_equal(linux_load_source_kind(source), sources[i]);
		assert_int_equal(linux_load_source_now(source)->stat.running, 3);
		assert_int_equal(read_later(source, "/proc/stat", later), 0);
		assert_int_equal(linux_load_source_when(source), now_ns);
		assert_sample(source, 1.2, 2);
		assert_sample_cpu(source, 0, 1, 1);
		assert_sample_cpu(source, 2, 0.2, 1);
		assert_false(linux_load_source_sample_cpu(source, 1, &sample));
		assert_int_equal(linux_load_source_now(source)->stat.running, 4);
		assert_true(fabs(linux_load_source_steal(source) - 0.1) < 1e-9);
		assert_true(fabs(linux_load_source_noise(source, 2) - 0.04) < 1e-9);
		assert_true(linux_load_source_processors(source) == 2);
		assert_false(linux_load_source_has_ended(source));
		/* At the same time; when nothing has moved for seconds; when it isn't a text of /proc/stat any more. */
		assert_int_equal(linux_load_source_read(source), 0);
		assert_false(linux_load_source_sample(source, &sample));
		assert_false(linux_load_source_trouble(source, trouble));
		for (int k = 0; k < 4; k++)
			assert_int_equal(read_later(source, "/proc/stat", later), 0);
		assert_true(linux_load_source_trouble(source, trouble));
		assert_non_null(strstr(trouble, "on any processor"));
		assert_int_equal(read_later(source, "/proc/stat", ""), -1);
		linux_load_source_close(source);
	}
}

/* Kernels before 2.6.11 count no steal. */
static void no_steal(void **state)
{
	const struct linux_load_settings settings = {.root = root, .source = LINUX_MACHINE_IDLE};
	(void)state;
	fake_file(root, "/proc/stat", "cpu  100 100 100 100\ncpu0 100 100 100 100\n");
	struct linux_load_source *const source = open_source(&settings);
	assert_int_equal(read_later(source, "/proc/stat", "cpu  120 120 120 140\ncpu0 120 120 120 140\n"), 0);
	assert_sample(source, 0.6, 1);
	assert_true(isnan(linux_load_source_steal(source)));
	linux_load_source_close(source);
}

static void subset(void **state)
{
	(void)state;
	const struct sst_cpus two = {.count = 1, .cpu = (const unsigned[]){2}}, one = {.count = 1, .cpu = (const unsigned[]){1}},
			      nine = {.count = 1, .cpu = (const unsigned[]){9}};
	struct linux_load_settings settings = {.root = root, .source = LINUX_MACHINE_TICKS, .cpus = &two};
	struct linux_load_source *const source = open_source(&settings);
	struct sst_sample sample;
	assert_int_equal(read_later(source, "/proc/stat", later), 0);
	assert_sample(source, 0.2, 1);
	/* It goes offline, and there is no load until it comes back. */
	assert_int_equal(read_later(source, "/proc/stat", "cpu  1 1 1 1\ncpu0 1 1 1 1\n"), 0);
	assert_false(linux_load_source_sample(source, &sample));
	assert_int_equal(read_later(source, "/proc/stat", start), 0);
	assert_false(linux_load_source_sample(source, &sample));
	assert_int_equal(read_later(source, "/proc/stat", later), 0);
	assert_sample(source, 0.2, 1);
	linux_load_source_close(source);

	settings.cpus = &one;
	assert_refused(&settings, "none of these processors is online");
	fake_file(root, "/sys/devices/system/cpu/possible", "0-3\n");
	assert_refused(&settings, "none of these processors is online");
	settings.cpus = &nine;
	assert_refused(&settings, "no processor 9");
}

static void cpuacct(void **state)
{
	(void)state;
	struct linux_load_settings settings = {.root = root, .source = LINUX_MACHINE_CPUACCT};
	struct sst_sample sample;
	assert_refused(&settings, "cpuacct.usage");
	fake_file(root, CPUACCT "cpuacct.usage", "1000000000\n");
	struct linux_load_source *source = open_source(&settings);
	assert_int_equal(read_later(source, CPUACCT "cpuacct.usage", "1250000000\n"), 0);
	assert_sample(source, 0.25, 2);
	assert_false(linux_load_source_sample_cpu(source, 0, &sample));
	/* Who writes to the file resets the counter. */
	assert_int_equal(read_later(source, CPUACCT "cpuacct.usage", "0\n"), 0);
	assert_false(linux_load_source_sample(source, &sample));
	linux_load_source_close(source);
}

/* The machine's other numbers are those of the same moment, and each processor has a sample with each reading. */
static void cpuacct_by_processor(void **state)
{
	(void)state;
	const struct sst_cpus two = {.count = 1, .cpu = (const unsigned[]){2}};
	struct linux_load_settings settings = {.root = root, .source = LINUX_MACHINE_CPUACCT, .per_cpu = true};
	struct sst_sample sample;
	fake_file(root, CPUACCT "cpuacct.usage_percpu", "1000000000 0 2000000000 \n");
	assert_refused(&settings, "cpuacct.usage_percpu"); /* which column is whose can't be told */
	fake_file(root, "/sys/devices/system/cpu/possible", "0-2\n");
	fake_file(root, "/sys/devices/system/cpu/online", "0,2\n");
	struct linux_load_source *source = open_source(&settings);
	assert_int_equal(linux_load_source_now(source)->stat.running, 3);
	fake_file(root, "/proc/stat", later);
	assert_int_equal(read_later(source, CPUACCT "cpuacct.usage_percpu", "1500000000 0 2125000000 \n"), 0);
	assert_sample(source, 0.625, 2);
	assert_sample_cpu(source, 2, 0.125, 1);
	assert_false(linux_load_source_sample_cpu(source, 1, &sample));
	assert_int_equal(linux_load_source_now(source)->stat.running, 4);
	assert_true(fabs(linux_load_source_steal(source) - 0.1) < 1e-9);
	now_ns -= NS_PER_S / 2;
	assert_int_equal(read_later(source, CPUACCT "cpuacct.usage_percpu", "1600000000 0 2225000000 \n"), 0);
	assert_sample_cpu(source, 2, 0.1, 0.5);
	linux_load_source_close(source);

	settings.cpus = &two;
	fake_file(root, "/proc/stat", start);
	source = open_source(&settings);
	assert_int_equal(read_later(source, CPUACCT "cpuacct.usage_percpu", "9500000000 0 2625000000 \n"), 0);
	assert_sample(source, 0.4, 1);
	linux_load_source_close(source);
}

static void group(void **state)
{
	/* By name and by folder; of both versions the second comes first. */
	static const char *const names[] = {"mine", "/mine", "/sys/fs/cgroup/cpuacct/mine"};
	(void)state;
	struct linux_load_settings settings = {.root = root, .cgroup = "mine"};
	struct sst_sample sample;
	char trouble[LINUX_MACHINE_TROUBLE_MAX];
	assert_refused(&settings, "mountinfo");
	fake_file(root, "/proc/self/mountinfo", "1 2 0:1 / / rw - ext4 /dev/sda rw\n");
	assert_refused(&settings, "no cgroup file system is mounted");
	fake_file(root, "/proc/self/mountinfo", V1 UNIFIED);
	assert_refused(&settings,
		"no cgroup 'mine': neither cpu.stat with usage_usec nor cpuacct.usage below /sys/fs/cgroup/unified or "
		"/sys/fs/cgroup/cpuacct");
	fake_file(root, CPUACCT "mine/cpu.stat", "nr_periods 0\n");
	for (size_t i = 0; i < 3; i++) {
		settings.cgroup = names[i];
		fake_file(root, CPUACCT "mine/cpuacct.usage", "5\n");
		struct linux_load_source *const source = open_source(&settings);
		assert_int_equal(read_later(source, CPUACCT "mine/cpuacct.usage", "500000005\n"), 0);
		assert_sample(source, 0.5, 2);
		assert_false(linux_load_source_trouble(source, trouble));
		linux_load_source_close(source);
	}
	settings.cgroup = "mine";
	fake_file(root, "/sys/fs/cgroup/unified/mine/cpu.stat", "usage_usec 12\n");
	struct linux_load_source *const source = open_source(&settings);
	assert_int_equal(read_later(source, "/sys/fs/cgroup/unified/mine/cpu.stat", "usage_usec 13\n"), 0);
	assert_sample(source, 1e-6, 2);
	assert_int_equal(read_later(source, "/sys/fs/cgroup/unified/mine/cpu.stat", "usage_usec 12\n"), 0);
	assert_false(linux_load_source_sample(source, &sample));
	assert_int_equal(read_later(source, "/sys/fs/cgroup/unified/mine/cpu.stat", "?\n"), -1);
	linux_load_source_close(source);
}

static void tree(void **state)
{
	(void)state;
	struct linux_load_settings settings = {.root = root, .pid = 70};
	assert_refused(&settings, "there is no process 70");
	fake_file(root, "/proc/70/stat", "70 (x) S 1 70 70 0 -1 0 0 0 0 0 100 100 0 0 20 0 1 0 5 0 0\n");
	struct linux_load_source *const source = open_source(&settings);
	assert_int_equal(read_later(source, "/proc/70/stat", "70 (x) S 1 70 70 0 -1 0 0 0 0 0 120 105 0 0 20 0 1 0 5 0 0\n"), 0);
	assert_sample(source, 25 / linux_stat_hz(), 2);
	assert_false(linux_load_source_has_ended(source));
	fake_remove(root, "/proc/70");
	assert_int_equal(linux_load_source_read(source), 0);
	assert_true(linux_load_source_has_ended(source));
	struct sst_sample sample;
	assert_false(linux_load_source_sample(source, &sample));
	linux_load_source_close(source);
}

/* A text longer than the buffer at the start. */
static void many_processors(void **state)
{
	(void)state;
	char *const text = malloc(1 << 18);
	assert_non_null(text);
	size_t used = 0;
	for (int i = 0; i < 1500; i++)
		used += (size_t)snprintf(text + used, (1 << 18) - used, "cpu%d 1000000 2000000 3000000 4000000 0 0 0 0 0 0\n", i);
	snprintf(text + used, (1 << 18) - used, "procs_running 9\n");
	fake_file(root, "/proc/stat", text);
	free(text);
	const struct linux_load_settings settings = {.root = root, .source = LINUX_MACHINE_IDLE};
	struct linux_load_source *const source = open_source(&settings);
	assert_int_equal(linux_load_source_now(source)->count, 1500);
	assert_int_equal(linux_load_source_now(source)->stat.running, 9);
	linux_load_source_close(source);
}

static void cores(void **state)
{
	(void)state;
	const struct linux_load_settings settings = {.root = root, .source = LINUX_MACHINE_IDLE, .of_cores = true};
	fake_file(root, "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2\n");
	struct linux_load_source *const source = open_source(&settings);
	/* One of its processors is always busy, also when somebody looks in between. */
	now_ns += NS_PER_S / 2;
	fake_file(root, "/proc/stat", "cpu  1050 0 0 5040 0 0 0 110\ncpu0 545 0 0 2500 0 0 0 55\ncpu2 505 0 0 2540 0 0 0 55\n");
	assert_int_equal(linux_load_source_look(source), 0);
	now_ns -= NS_PER_S / 2;
	assert_int_equal(read_later(source, "/proc/stat", later), 0);
	assert_sample(source, 1, 1);
	assert_true(linux_load_source_processors(source) == 2);
	linux_load_source_close(source);
}

static void no_stat(void **state)
{
	(void)state;
	const struct linux_load_settings settings = {.root = root, .source = LINUX_MACHINE_IDLE};
	fake_file(root, "/proc/stat", "intr 5\n");
	assert_refused(&settings, "no line of a processor");
	fake_remove(root, "/proc/stat");
	assert_refused(&settings, "/proc/stat: No such file");
}

static int set_up(void **state)
{
	(void)state;
	now_ns = 1000 * NS_PER_S;
	fake_root_make(root);
	fake_file(root, "/proc/stat", start);
	return linux_stat_hz() == 100 ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	fake_remove(root, "");
	now_ns = 0;
	return 0;
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(processors),
		TEST(no_steal),
		TEST(subset),
		TEST(cpuacct),
		TEST(cpuacct_by_processor),
		TEST(group),
		TEST(tree),
		TEST(many_processors),
		TEST(cores),
		TEST(no_stat),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
