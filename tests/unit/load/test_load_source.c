/* SPDX-License-Identifier: MIT */
#include "load/load_source.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "fake_root.h"

#define MOUNTS "32 31 0:29 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n"
#define USAGE "/sys/fs/cgroup/cpuacct/cpuacct.usage"

static char error[LINUX_LOAD_SOURCE_ERROR_MAX];

static const char start[] = "cpu  1000 0 0 5000 0 0 0 100\n"
			    "cpu0 500 0 0 2500 0 0 0 50\n"
			    "cpu2 500 0 0 2500 0 0 0 50\n"
			    "intr 1 2 3\nprocesses 7\nprocs_running 3\n";
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
	clock_sleep_until(clock_now() + 2000000);
	return source;
}

static void assert_refused(const struct linux_load_settings *settings, const char *expected)
{
	assert_null(linux_load_source_open(settings, error));
	if (!strstr(error, expected))
		fail_msg("'%s' should contain '%s'", error, expected);
}

static void ticks(void **state)
{
	const char *const root = *state;
	const struct linux_load_settings settings = {.root = root, .kind = LINUX_LOAD_KIND_TICKS, .per_cpu = true};
	struct linux_load_source *const source = open_source(&settings);
	const int64_t first = linux_load_source_when(source);
	struct sst_sample sample;
	assert_int_equal(linux_load_source_now(source)->stat.running, 3);
	fake_file(root, "/proc/stat", later);
	assert_int_equal(linux_load_source_read(source), 0);
	assert_true(linux_load_source_when(source) > first);
	assert_true(linux_load_source_sample(source, &sample));
	assert_true(fabs(sample.work - 1.2) < 1e-9 && fabs(sample.capacity - 2) < 1e-9);
	assert_true(linux_load_source_sample_cpu(source, 2, &sample));
	assert_true(fabs(sample.work - 0.2) < 1e-9 && fabs(sample.capacity - 1) < 1e-9);
	assert_false(linux_load_source_sample_cpu(source, 1, &sample));
	assert_int_equal(linux_load_source_now(source)->stat.running, 4);
	assert_true(linux_load_source_steal(source) > 0);
	assert_true(linux_load_source_noise(source, 2) > 0);
	assert_false(linux_load_source_has_ended(source));
	/* Not a text of /proc/stat any more. */
	fake_file(root, "/proc/stat", "");
	assert_int_equal(linux_load_source_read(source), -1);
	linux_load_source_close(source);
}

static void subset(void **state)
{
	const char *const root = *state;
	const struct sst_cpus two = {.count = 1, .cpu = (const unsigned[]){2}}, one = {.count = 1, .cpu = (const unsigned[]){1}},
			      nine = {.count = 1, .cpu = (const unsigned[]){9}};
	struct linux_load_settings settings = {.root = root, .kind = LINUX_LOAD_KIND_TICKS, .cpus = &two};
	struct linux_load_source *const source = open_source(&settings);
	struct sst_sample sample;
	fake_file(root, "/proc/stat", later);
	assert_int_equal(linux_load_source_read(source), 0);
	assert_true(linux_load_source_sample(source, &sample));
	assert_true(fabs(sample.work - 0.2) < 1e-9 && fabs(sample.capacity - 1) < 1e-9);
	/* It goes offline, and there is no load until it comes back. */
	fake_file(root, "/proc/stat", "cpu  1 1 1 1\ncpu0 1 1 1 1\n");
	assert_int_equal(linux_load_source_read(source), 0);
	assert_false(linux_load_source_sample(source, &sample));
	fake_file(root, "/proc/stat", start);
	assert_int_equal(linux_load_source_read(source), 0);
	assert_false(linux_load_source_sample(source, &sample));
	fake_file(root, "/proc/stat", later);
	assert_int_equal(linux_load_source_read(source), 0);
	assert_true(linux_load_source_sample(source, &sample));
	linux_load_source_close(source);

	settings.cpus = &one;
	assert_refused(&settings, "none of these processors is online");
	fake_file(root, "/sys/devices/system/cpu/possible", "0-3\n");
	assert_refused(&settings, "none of these processors is online");
	settings.cpus = &nine;
	assert_refused(&settings, "no processor 9");
}

/* The work is in the file; the capacity comes from the clock. */
static void assert_work(const struct linux_load_source *source, double work, double processors, int64_t from_ns)
{
	struct sst_sample sample;
	assert_true(linux_load_source_sample(source, &sample));
	assert_true(fabs(sample.work - work) < 1e-9);
	assert_true(fabs(sample.capacity - (double)(linux_load_source_when(source) - from_ns) / 1e9 * processors) < 1e-9);
}

static void cpuacct(void **state)
{
	const char *const root = *state;
	struct linux_load_settings settings = {.root = root, .kind = LINUX_LOAD_KIND_CPUACCT};
	assert_refused(&settings, "mountinfo");
	fake_file(root, "/proc/self/mountinfo", MOUNTS);
	assert_refused(&settings, "cpuacct.usage");
	fake_file(root, USAGE, "1000000000\n");
	struct linux_load_source *source = open_source(&settings);
	int64_t from_ns = linux_load_source_when(source);
	fake_file(root, USAGE, "1250000000\n");
	assert_int_equal(linux_load_source_read(source), 0);
	assert_work(source, 0.25, 2, from_ns);
	struct sst_sample sample;
	assert_false(linux_load_source_sample_cpu(source, 0, &sample));
	fake_file(root, USAGE, "0\n"); /* who writes to the file resets the counter */
	assert_int_equal(linux_load_source_read(source), 0);
	assert_false(linux_load_source_sample(source, &sample));
	linux_load_source_close(source);

	/* By processor: the second number is of processor 2 when 1 is not possible. */
	const struct sst_cpus two = {.count = 1, .cpu = (const unsigned[]){2}};
	fake_file(root, USAGE "_percpu", "1000000000 2000000000 \n");
	fake_file(root, "/sys/devices/system/cpu/possible", "0,2\n");
	settings.per_cpu = true;
	source = open_source(&settings);
	from_ns = linux_load_source_when(source);
	fake_file(root, USAGE "_percpu", "1500000000 2125000000 \n");
	assert_int_equal(linux_load_source_read(source), 0);
	assert_work(source, 0.625, 2, from_ns);
	assert_true(linux_load_source_sample_cpu(source, 2, &sample));
	assert_true(fabs(sample.work - 0.125) < 1e-9);
	assert_false(linux_load_source_sample_cpu(source, 1, &sample));
	linux_load_source_close(source);

	settings.cpus = &two;
	source = open_source(&settings);
	from_ns = linux_load_source_when(source);
	fake_file(root, USAGE "_percpu", "9500000000 2625000000 \n");
	assert_int_equal(linux_load_source_read(source), 0);
	assert_work(source, 0.5, 1, from_ns);
	linux_load_source_close(source);
}

static void cgroup(void **state)
{
	const char *const root = *state;
	struct linux_load_settings settings = {.root = root, .kind = LINUX_LOAD_KIND_CGROUP, .cgroup = "mine"};
	fake_file(root, "/proc/self/mountinfo", MOUNTS);
	assert_refused(&settings, "no cgroup 'mine'");
	fake_file(root, "/sys/fs/cgroup/cpuacct/mine/cpuacct.usage", "5\n");
	struct linux_load_source *const source = open_source(&settings);
	const int64_t from_ns = linux_load_source_when(source);
	fake_file(root, "/sys/fs/cgroup/cpuacct/mine/cpuacct.usage", "500000005\n");
	assert_int_equal(linux_load_source_read(source), 0);
	assert_work(source, 0.5, 2, from_ns);
	linux_load_source_close(source);
}

static void tree(void **state)
{
	const char *const root = *state;
	struct linux_load_settings settings = {.root = root, .kind = LINUX_LOAD_KIND_TREE, .pid = 70};
	assert_refused(&settings, "there is no process 70");
	fake_file(root, "/proc/70/stat", "70 (x) S 1 70 70 0 -1 0 0 0 0 0 100 100 0 0 20 0 1 0 5 0 0\n");
	struct linux_load_source *const source = open_source(&settings);
	const int64_t from_ns = linux_load_source_when(source);
	fake_file(root, "/proc/70/stat", "70 (x) S 1 70 70 0 -1 0 0 0 0 0 120 105 0 0 20 0 1 0 5 0 0\n");
	assert_int_equal(linux_load_source_read(source), 0);
	assert_work(source, 25 / linux_stat_hz(), 2, from_ns);
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
	const char *const root = *state;
	char *const text = malloc(1 << 18);
	assert_non_null(text);
	size_t used = 0;
	for (int i = 0; i < 1500; i++)
		used += (size_t)snprintf(text + used, (1 << 18) - used, "cpu%d 1000000 2000000 3000000 4000000 0 0 0 0 0 0\n", i);
	snprintf(text + used, (1 << 18) - used, "procs_running 9\n");
	fake_file(root, "/proc/stat", text);
	free(text);
	const struct linux_load_settings settings = {.root = root, .kind = LINUX_LOAD_KIND_IDLE};
	struct linux_load_source *const source = open_source(&settings);
	assert_int_equal(linux_load_source_now(source)->count, 1500);
	assert_int_equal(linux_load_source_now(source)->stat.running, 9);
	linux_load_source_close(source);
}

static void no_stat(void **state)
{
	const char *const root = *state;
	const struct linux_load_settings settings = {.root = root, .kind = LINUX_LOAD_KIND_IDLE};
	fake_file(root, "/proc/stat", "intr 5\n");
	assert_refused(&settings, "no line of a processor");
	fake_remove(root, "/proc/stat");
	assert_refused(&settings, "/proc/stat: No such file");
}

static int set_up(void **state)
{
	static char root[PATH_MAX];
	fake_root_make(root);
	fake_file(root, "/proc/stat", start);
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
		cmocka_unit_test_setup_teardown(ticks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(subset, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cpuacct, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cgroup, set_up, tear_down),
		cmocka_unit_test_setup_teardown(tree, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_processors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_stat, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
