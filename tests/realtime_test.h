/* SPDX-License-Identifier: MIT */
/* A machine of two processors that consists of a few files, and the module realtime on it. */
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

#define STAT "/proc/stat"
#define SCHEDSTAT "/proc/schedstat"
#define CMDLINE "/proc/cmdline"
#define USAGE "/sys/fs/cgroup/cpuacct/cpuacct.usage"
#define PERCPU "/sys/fs/cgroup/cpuacct/cpuacct.usage_percpu"
#define POSSIBLE "/sys/devices/system/cpu/possible"
#define ONLINE "/sys/devices/system/cpu/online"
#define SIBLINGS "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list"
#define STATUS "/proc/self/status"
#define MOUNTS "/proc/self/mountinfo"
#define GROUPS "/proc/self/cgroup"
#define GROUP "/sys/fs/cgroup/"
#define GROUP_MAX GROUP "a/cpu.max"
#define GROUP_CPUS GROUP "a/cpuset.cpus.effective"

/* ---- Files ------------------------------------------------------------------------------------------------------------ */

#define FILES 6000

static struct file {
	char path[96];
	char *text; /* NULL: it isn't there */
	int opened, reads, error;
} file[FILES];
static size_t files;
static int64_t now_ns;

/* One that isn't there takes the place of one that is gone. */
static inline struct file *file_at(const char *path)
{
	struct file *place = NULL;
	for (size_t i = 0; i < files; i++) {
		if (strcmp(file[i].path, path) == 0)
			return &file[i];
		if (!file[i].text && !file[i].opened)
			place = &file[i];
	}
	if (!place)
		place = &file[files++];
	assert_true(files < FILES);
	memset(place, 0, sizeof *place);
	snprintf(place->path, sizeof place->path, "%s", path);
	return place;
}

static inline void remove_file(const char *path)
{
	struct file *const gone = file_at(path);
	free(gone->text);
	gone->text = NULL;
}

static inline void write_file(const char *path, const char *text)
{
	char *const copy = strdup(text);
	remove_file(path);
	file_at(path)->text = copy;
}

static inline int open_file(const struct sst_env *env, const char *path)
{
	(void)env;
	for (size_t i = 0; i < files; i++)
		if (strcmp(path, file[i].path) == 0 && file[i].text) {
			file[i].opened++;
			return (int)i;
		}
	errno = ENOENT;
	return -1;
}

static inline ssize_t read_file(const struct sst_env *env, int handle, void *buffer, size_t size, int64_t *when_ns)
{
	(void)env;
	file[handle].reads++;
	*when_ns = now_ns;
	if (file[handle].error || !file[handle].text) {
		errno = file[handle].error ? file[handle].error : ENODEV;
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

/* The name of the folder in `path` that has this file: its length, 0 for a file of `path` itself, or -1 for one of elsewhere. */
static inline ssize_t folder_in(const char *path, const struct file *of, const char **name)
{
	const size_t length = strlen(path);
	if (!of->text || strncmp(of->path, path, length) != 0 || of->path[length] != '/')
		return -1;
	*name = of->path + length + 1;
	const char *const end = strchr(*name, '/');
	return end ? end - *name : 0;
}

static inline ssize_t list_files(const struct sst_env *env, const char *path, char *names, size_t size)
{
	size_t used = 0;
	bool is_there = false;
	for (size_t i = 0; i < files; i++) {
		const char *name, *other;
		const ssize_t length = folder_in(path, &file[i], &name);
		bool is_known = length <= 0;
		is_there |= length >= 0;
		for (size_t k = 0; k < i && !is_known; k++)
			is_known = folder_in(path, &file[k], &other) == length && memcmp(name, other, (size_t)length) == 0;
		if (is_known)
			continue;
		if (used + (size_t)length + 1 <= size) {
			memcpy(names + used, name, (size_t)length);
			names[used + (size_t)length] = '\0';
		}
		used += (size_t)length + 1;
	}
	return is_there ? (ssize_t)used : module_test_list(env, path, names, size);
}

/* ---- The machine ------------------------------------------------------------------------------------------------------ */

/* Of each processor, in s since boot: what its columns say, and how long tasks have run. */
static struct {
	double busy, idle, ran;
} cpu[2];
static unsigned online_cpus;
static double idle_rate; /* by how much the idle columns pass faster than the clock */

/* What the host says of the controlled workloads: where they start, and where they are now, if they are moved. */
static const struct sst_cpus *controlled, *current;
static bool moving;
static uint64_t moves;

static inline void write_number(const char *path, const char *before, double number)
{
	char text[64];
	snprintf(text, sizeof text, "%s%.0f\n", before, number);
	write_file(path, text);
}

static inline int stat_line(char *to, size_t size, const char *name, double busy, double idle)
{
	return snprintf(to, size, "%s %.0f 0 0 %.0f 0 0 0 0 0 0\n", name, floor(100 * busy + 1e-6), floor(100 * idle + 1e-6));
}

static inline void write_stat(void)
{
	char text[512], tasks[256];
	const double both = online_cpus == 2;
	size_t end =
		(size_t)stat_line(text, sizeof text, "cpu ", cpu[0].busy + both * cpu[1].busy, cpu[0].idle + both * cpu[1].idle);
	int ran = 0;
	for (unsigned i = 0; i < online_cpus; i++) {
		end += (size_t)stat_line(text + end, sizeof text - end, i ? "cpu1" : "cpu0", cpu[i].busy, cpu[i].idle);
		ran += snprintf(tasks + ran, sizeof tasks - (size_t)ran, "cpu%u 0 0 0 0 0 0 %.0f 0 0\n", i, 1e9 * cpu[i].ran);
	}
	snprintf(text + end, sizeof text - end, "intr 0\nctxt 1\nbtime 2\nprocesses 3\n");
	write_file(STAT, text);
	if (file_at(SCHEDSTAT)->text)
		write_file(SCHEDSTAT, tasks);
}

/* Lets time pass, in which the processors have these loads. */
static inline void pass(double s, double load0, double load1)
{
	const double load[] = {load0, load1};
	now_ns += llround(s * 1e9);
	for (int i = 0; i < 2; i++) {
		cpu[i].busy += load[i] * s;
		cpu[i].ran += load[i] * s;
		cpu[i].idle += (1 - load[i]) * s * idle_rate;
	}
	write_stat();
}

static inline void have_schedstat(void)
{
	write_file(SCHEDSTAT, "");
	write_stat();
}

/* A group has used so many seconds. */
static inline void write_group_usage(const char *group, double s)
{
	char path[96];
	snprintf(path, sizeof path, GROUP "%s/cpu.stat", group);
	write_number(path, "usage_usec ", 1e6 * s);
}

static inline void remove_group(const char *group)
{
	char path[96];
	snprintf(path, sizeof path, GROUP "%s/cpu.stat", group);
	remove_file(path);
}

/* Groups of version 2, of which this process is in that one. */
static inline void have_groups(const char *own)
{
	char text[64];
	snprintf(text, sizeof text, "0::%s\n", own);
	write_file(MOUNTS, "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	write_file(GROUPS, text);
	write_file(GROUP "cgroup.controllers", "cpu\n");
	write_group_usage("a", 1);
}

/* 0, or how many files are open. */
static inline int leave(void **state)
{
	int opened = 0;
	(void)state;
	for (size_t i = 0; i < files; i++) {
		opened += file[i].opened;
		free(file[i].text);
	}
	memset(file, 0, files * sizeof *file);
	files = 0;
	return opened;
}

static inline int enter(void **state)
{
	leave(state); /* what a test that failed has left */
	now_ns = 1000 * NS_PER_S;
	online_cpus = 2;
	idle_rate = 1;
	controlled = current = NULL;
	moving = false;
	moves = 0;
	cpu[0].busy = cpu[0].ran = 1;
	cpu[0].idle = 2;
	cpu[1].busy = cpu[1].ran = 3;
	cpu[1].idle = 4;
	write_stat();
	return sysconf(_SC_CLK_TCK) == 100 ? 0 : -1;
}

/* ---- The module ------------------------------------------------------------------------------------------------------- */

static struct module_test test;

static inline const struct sst_cpus *current_cpus(const struct sst_env *env, uint64_t *count)
{
	(void)env;
	*count = moves;
	return current;
}

static inline void use_files(struct sst_host *host)
{
	host->open = open_file;
	host->read = read_file;
	host->close = close_file;
	host->list = list_files;
	host->cpus = current_cpus;
}

static inline const char *load(const char *options)
{
	const char *refused = module_test_open(&test, SST_FEEDBACK, "realtime", options);
	test.env.cpus = controlled;
	test.env.moving = moving;
	use_files(&test.host);
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

static inline void assert_no_reading(int error)
{
	struct sst_reading reading;
	errno = 0;
	assert_int_equal(test.module.feedback->read(test.module.state, &test.env, &reading), -1);
	assert_int_equal(errno, error);
}

static inline bool sample(const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	return test.module.feedback->sample(test.module.state, before, now, sample);
}

static inline void assert_option(const char *option)
{
	if (!strstr(module_test_options(&test), option))
		fail_msg("found '%s', expected %s", test.printed, option);
}

static inline void assert_source(const char *source)
{
	char option[32];
	snprintf(option, sizeof option, "source=%s", source);
	assert_option(option);
}

static inline void assert_scope(enum sst_scope scope)
{
	assert_int_equal(test.module.feedback->scope(test.module.state), scope);
}

/* What is not asked for. */
#define ANY (-1)

/* With these options that source is chosen, so many processors are measured, and that is known of whose work it is. */
static inline void expect(const char *options, const char *source, double processors, int scope)
{
	start(options);
	if (source)
		assert_source(source);
	if (processors != ANY)
		assert_near(read_now().processors, processors, 0);
	if (scope != ANY)
		assert_scope((enum sst_scope)scope);
	module_test_end(&test);
}

/* The reading of now, and what it makes with the one before. */
static inline struct sst_reading expect_near(const struct sst_reading *before, double work, double capacity, double tolerance)
{
	struct sst_sample found;
	const struct sst_reading now = read_now();
	assert_true(sample(before, &now, &found));
	assert_near(found.work, work, tolerance);
	assert_near(found.capacity, capacity, 2e-9);
	return now;
}

static inline struct sst_reading expect_sample(const struct sst_reading *before, double work, double capacity)
{
	return expect_near(before, work, capacity, 2e-9);
}

#endif
