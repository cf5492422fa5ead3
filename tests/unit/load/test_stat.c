/* SPDX-License-Identifier: MIT */
#include "load/stat.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "self/source.h"

/* As the kernels of these series print it. */
static const char linux_2_2[] = "cpu  100 20 30 4000\n"
				"disk 1 2 3 4\n"
				"intr 5 1 2\n"
				"ctxt 77\n"
				"btime 946684800\n"
				"processes 88\n";
static const char linux_2_4[] = "cpu  300 0 60 8000\n"
				"cpu0 100 0 20 3900\n"
				"cpu1 200 0 40 4100\n"
				"page 5741 1808\n"
				"swap 1 0\n"
				"intr 1462898 0 0\n"
				"disk_io: (2,0):(31,30,5764,1,2)\n"
				"ctxt 115315\n"
				"btime 769041601\n"
				"processes 86031\n";
static const char linux_2_6_0[] = "cpu  10 20 30 400 50 6 7\n"
				  "cpu0 10 20 30 400 50 6 7\n"
				  "intr 9 9\n"
				  "ctxt 1\n"
				  "btime 2\n"
				  "processes 3\n"
				  "procs_running 4\n"
				  "procs_blocked 5\n";
/* Processors 1 and 2 are offline; guests have columns of their own. */
static const char linux_6_1[] = "cpu  1000 200 300 40000 500 60 70 80 90 10\n"
				"cpu0 400 100 100 20000 200 30 30 40 45 5\n"
				"cpu3 600 100 200 20000 300 30 40 40 45 5\n"
				"intr 153531 0 0 0 13 143\n"
				"ctxt 323612\n"
				"btime 1795162674\n"
				"processes 4949\n"
				"procs_running 2\n"
				"procs_blocked 1\n"
				"softirq 116684 0 11115 4 2618 61046 0 3 23348 0 18550\n";

static int parse(const char *text, const struct sst_cpus *subset, struct linux_stat *stat)
{
	/* A copy of exact size, so that the sanitizer sees a step beyond the end. */
	const size_t length = strlen(text);
	char *copy = malloc(length > 0 ? length : 1);
	assert_non_null(copy);
	memcpy(copy, text, length);
	const int result = linux_stat_parse(copy, length, subset, stat);
	free(copy);
	return result;
}

static void assert_times(const struct linux_stat_times *times, uint64_t user, uint64_t nice, uint64_t system, uint64_t idle,
	uint64_t iowait, uint64_t irq, uint64_t softirq, uint64_t steal)
{
	assert_int_equal(times->user, user);
	assert_int_equal(times->nice, nice);
	assert_int_equal(times->system, system);
	assert_int_equal(times->idle, idle);
	assert_int_equal(times->iowait, iowait);
	assert_int_equal(times->irq, irq);
	assert_int_equal(times->softirq, softirq);
	assert_int_equal(times->steal, steal);
}

static void kernels(void **unused)
{
	(void)unused;
	struct linux_stat stat;
	assert_int_equal(parse(linux_2_2, NULL, &stat), 0);
	assert_times(&stat.total, 100, 20, 30, 4000, 0, 0, 0, 0);
	assert_int_equal(stat.processors, 1);
	assert_int_equal(
		stat.present, LINUX_STAT_CONTEXT_SWITCHES | LINUX_STAT_BOOT_TIME | LINUX_STAT_FORKS | LINUX_STAT_ALL_PROCESSORS);
	assert_int_equal(stat.context_switches, 77);
	assert_int_equal(stat.boot_time, 946684800);
	assert_int_equal(stat.forks, 88);

	assert_int_equal(parse(linux_2_4, NULL, &stat), 0);
	assert_times(&stat.total, 300, 0, 60, 8000, 0, 0, 0, 0);
	assert_int_equal(stat.processors, 2);
	assert_int_equal(stat.context_switches, 115315);

	assert_int_equal(parse(linux_2_6_0, NULL, &stat), 0);
	assert_times(&stat.total, 10, 20, 30, 400, 50, 6, 7, 0);
	assert_int_equal(stat.processors, 1);
	assert_int_equal(stat.present & LINUX_STAT_STEAL, 0);
	assert_int_equal(stat.running, 4);
	assert_int_equal(stat.blocked, 5);

	assert_int_equal(parse(linux_6_1, NULL, &stat), 0);
	assert_times(&stat.total, 1000, 200, 300, 40000, 500, 60, 70, 80);
	assert_int_equal(stat.processors, 2);
	assert_int_equal(stat.present, 127);
	assert_int_equal(stat.running, 2);
	assert_int_equal(stat.forks, 4949);
	assert_int_equal(linux_stat_busy(&stat.total), 1710);
	assert_int_equal(linux_stat_idle(&stat.total), 40500);
}

static void future_columns(void **unused)
{
	(void)unused;
	struct linux_stat stat;
	assert_int_equal(parse("cpu  1 2 3 4 5 6 7 8 9 10 11 12 99999999999999999999999999 what?\n", NULL, &stat), 0);
	assert_times(&stat.total, 1, 2, 3, 4, 5, 6, 7, 8);
	/* Names that begin alike are other lines. */
	assert_int_equal(parse("cpufreq 1 2 3 4\ncpu_x 1 2 3 4\ncpu0x 1 2 3 4\ncpu7 1 2 3 4\n", NULL, &stat), 0);
	assert_times(&stat.total, 1, 2, 3, 4, 0, 0, 0, 0);
	assert_int_equal(stat.processors, 1);
}

static void subset(void **unused)
{
	(void)unused;
	struct linux_stat stat;
	const struct sst_cpus three = {.count = 1, .cpu = (const unsigned[]){3}};
	assert_int_equal(parse(linux_6_1, &three, &stat), 0);
	assert_times(&stat.total, 600, 100, 200, 20000, 300, 30, 40, 40);
	assert_int_equal(stat.processors, 1);

	const struct sst_cpus both = {.count = 4, .cpu = (const unsigned[]){0, 1, 2, 3}};
	assert_int_equal(parse(linux_6_1, &both, &stat), 0);
	assert_times(&stat.total, 1000, 200, 300, 40000, 500, 60, 70, 80);
	assert_int_equal(stat.processors, 2);

	const struct sst_cpus offline = {.count = 2, .cpu = (const unsigned[]){1, 2}};
	errno = 0;
	assert_int_equal(parse(linux_6_1, &offline, &stat), -1);
	assert_int_equal(errno, EINVAL);
	/* The summary is no processor. */
	const struct sst_cpus zero = {.count = 1, .cpu = (const unsigned[]){0}};
	assert_int_equal(parse(linux_2_2, &zero, &stat), -1);
}

static void no_summary(void **unused)
{
	(void)unused;
	struct linux_stat stat;
	assert_int_equal(parse(strchr(linux_6_1, '\n') + 1, NULL, &stat), 0);
	assert_times(&stat.total, 1000, 200, 300, 40000, 500, 60, 70, 80);
	assert_int_equal(stat.processors, 2);
}

static void unusable(void **unused)
{
	(void)unused;
	static const char *const texts[] = {
		"",
		"\n",
		"cpu",
		"cpu\n",
		"cpu \n",
		"cpu  1 2 3\n",                         /* too few columns */
		"cpu  1 2 3 4",                         /* cut off */
		"cpu  1 2 3 -4\n",                      /* no counter */
		"cpu  1 2 3 4x\n",                      /* no counter */
		"cpu  18446744073709551616 2 3 4\n",    /* 2^64 */
		"cpu  99999999999999999999999 2 3 4\n", /* far beyond */
		"cpu4294967296 1 2 3 4\n",              /* no processor has this number */
		"intr 1 2 3 4\nctxt 5\n",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct linux_stat stat;
		errno = 0;
		assert_int_equal(parse(texts[i], NULL, &stat), -1);
		assert_int_equal(errno, EINVAL);
	}
}

static void long_counters(void **unused)
{
	(void)unused;
	struct linux_stat stat;
	assert_int_equal(parse("cpu  18446744073709551615 10000000000000000000 3 4\ncpu0 1 2 3 4\n", NULL, &stat), 0);
	assert_true(stat.total.user == UINT64_MAX);
	assert_true(stat.total.nice == UINT64_C(10000000000000000000));
}

/* Wherever the text is cut, what is parsed is what whole lines say. */
static void cut_anywhere(void **unused)
{
	(void)unused;
	const size_t length = strlen(linux_6_1);
	const size_t summary = (size_t)(strchr(linux_6_1, '\n') - linux_6_1) + 1;
	for (size_t size = 0; size <= length; size++) {
		char *copy = malloc(size + 1);
		assert_non_null(copy);
		memcpy(copy, linux_6_1, size);
		copy[size] = '\0';
		const bool has_cpu3 = strstr(copy, "45 5\nc") && strstr(copy, "300 30 40 40 45 5\n");
		struct linux_stat stat;
		if (size < summary) {
			assert_int_equal(linux_stat_parse(copy, size, NULL, &stat), -1);
		} else {
			assert_int_equal(linux_stat_parse(copy, size, NULL, &stat), 0);
			assert_times(&stat.total, 1000, 200, 300, 40000, 500, 60, 70, 80);
			assert_int_equal(stat.processors, has_cpu3 ? 2 : 1);
			assert_int_equal((stat.present & LINUX_STAT_FORKS) != 0, strstr(copy, "processes 4949\n") != NULL);
			assert_int_equal((stat.present & LINUX_STAT_ALL_PROCESSORS) != 0, strstr(copy, "13 143\n") != NULL);
			if (stat.present & LINUX_STAT_FORKS)
				assert_int_equal(stat.forks, 4949);
		}
		struct linux_stat_cpu cpu[2];
		const size_t count = linux_stat_parse_cpus(copy, size, NULL, cpu, 2);
		assert_int_equal(count, size < summary ? 0 : has_cpu3 ? 2 : strstr(copy, "45 5\n") ? 1 : 0);
		free(copy);
	}
}

static void processors_one_by_one(void **unused)
{
	(void)unused;
	struct linux_stat_cpu cpu[4];
	assert_int_equal(linux_stat_parse_cpus(linux_6_1, strlen(linux_6_1), NULL, cpu, 4), 2);
	assert_int_equal(cpu[0].id, 0);
	assert_times(&cpu[0].times, 400, 100, 100, 20000, 200, 30, 30, 40);
	assert_int_equal(cpu[1].id, 3);
	assert_times(&cpu[1].times, 600, 100, 200, 20000, 300, 30, 40, 40);

	const struct sst_cpus three = {.count = 2, .cpu = (const unsigned[]){2, 3}};
	assert_int_equal(linux_stat_parse_cpus(linux_6_1, strlen(linux_6_1), &three, cpu, 4), 1);
	assert_int_equal(cpu[0].id, 3);

	/* Too little room is told and not overrun. */
	cpu[1].id = 12345;
	assert_int_equal(linux_stat_parse_cpus(linux_6_1, strlen(linux_6_1), NULL, cpu, 1), 2);
	assert_int_equal(cpu[1].id, 12345);
	assert_int_equal(linux_stat_parse_cpus(linux_6_1, strlen(linux_6_1), NULL, NULL, 0), 2);
	assert_int_equal(linux_stat_parse_cpus(linux_2_2, strlen(linux_2_2), NULL, cpu, 4), 0);
}

/* A machine of 1,536 processors, every third of them offline. */
static void many_processors(void **unused)
{
	(void)unused;
	const size_t size = 1 << 20;
	char *text = malloc(size);
	unsigned *odd = malloc(1536 * sizeof *odd);
	assert_true(text && odd);
	size_t used = (size_t)snprintf(text, size, "cpu  1024 2048 3072 4096 0 0 0 0 0 0\n"), odd_count = 0;
	for (unsigned id = 0; id < 1536; id++) {
		if (id % 2 == 1)
			odd[odd_count++] = id;
		if (id % 3 != 2)
			used += (size_t)snprintf(text + used, size - used, "cpu%u 1 2 3 4 0 0 0 0 0 0\n", id);
	}
	used += (size_t)snprintf(text + used, size - used, "intr 0");
	for (int i = 0; i < 4000; i++)
		used += (size_t)snprintf(text + used, size - used, " 0");
	used += (size_t)snprintf(text + used, size - used, "\nctxt 5\nprocs_running 1025\n");
	assert_true(used < size);

	struct linux_stat stat;
	assert_int_equal(linux_stat_parse(text, used, NULL, &stat), 0);
	assert_int_equal(stat.processors, 1024);
	assert_int_equal(stat.total.system, 3072);
	assert_int_equal(stat.running, 1025);
	const struct sst_cpus subset_odd = {.count = odd_count, .cpu = odd};
	assert_int_equal(linux_stat_parse(text, used, &subset_odd, &stat), 0);
	assert_int_equal(stat.processors, 512);
	assert_times(&stat.total, 512, 1024, 1536, 2048, 0, 0, 0, 0);
	free(odd);
	free(text);
}

/* The kernel that we run on. */
static void this_machine(void **unused)
{
	(void)unused;
	const size_t size = 1 << 22;
	char *text = malloc(size);
	assert_non_null(text);
	const int fd = linux_source_open("", "/proc/stat");
	assert_true(fd >= 0);
	int64_t when[2];
	struct linux_stat stat[2];
	for (int i = 0; i < 2; i++) {
		const ssize_t length = linux_source_read(fd, text, size, &when[i]);
		assert_true(length > 0 && (size_t)length < size);
		assert_int_equal(linux_stat_parse(text, (size_t)length, NULL, &stat[i]), 0);
		assert_int_equal(stat[i].present, 127);
		assert_true(stat[i].running >= 1);
		struct linux_stat_cpu cpu;
		assert_true(linux_stat_parse_cpus(text, (size_t)length, NULL, &cpu, 1) >= 1);
	}
	assert_true(when[1] > when[0]);
	assert_true(stat[1].forks >= stat[0].forks && linux_stat_busy(&stat[1].total) >= linux_stat_busy(&stat[0].total));
	/* A buffer that is too small gets the beginning. */
	assert_int_equal(linux_source_read(fd, text, 5, NULL), 5);
	assert_memory_equal(text, "cpu  ", 5);
	close(fd);
	free(text);
	assert_true(linux_stat_hz() >= 1);
}

static void sources(void **unused)
{
	(void)unused;
	errno = 0;
	assert_int_equal(linux_source_open("/nonexistent", "/proc/stat"), -1);
	assert_int_equal(errno, ENOENT);
	char path[8192];
	memset(path, 'x', sizeof path - 1);
	path[sizeof path - 1] = '\0';
	errno = 0;
	assert_int_equal(linux_source_open(path, "/proc/stat"), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	char byte;
	errno = 0;
	assert_int_equal(linux_source_read(-1, &byte, 1, NULL), -1);
	assert_int_equal(errno, EBADF);
	/* A file that holds nothing ends at once. */
	const int fd = linux_source_open("", "/dev/null");
	assert_true(fd >= 0);
	int64_t when = -1;
	assert_int_equal(linux_source_read(fd, &byte, 1, &when), 0);
	assert_true(when > 0);
	close(fd);
}

static const char *online_text;

static int online_open(const struct sst_env *env, const char *path)
{
	(void)env;
	assert_string_equal(path, "/sys/devices/system/cpu/online");
	return 7;
}

static ssize_t online_read(const struct sst_env *env, int handle, void *buffer, size_t size, int64_t *when_ns)
{
	(void)env;
	assert_int_equal(handle, 7);
	assert_true(strlen(online_text) <= size);
	memcpy(buffer, online_text, strlen(online_text));
	*when_ns = 0;
	return (ssize_t)strlen(online_text);
}

static void online_close(const struct sst_env *env, int handle)
{
	(void)env;
	assert_int_equal(handle, 7);
}

/* Each change is told once, whether or not the list gets longer. */
static void changes_of_what_is_online(void **state)
{
	(void)state;
	static const struct sst_host host = {.open = online_open, .read = online_read, .close = online_close};
	static const char *const texts[] = {"0-3\n", "0-2\n", "0,2-3\n", "0,2\n", ""};
	const struct sst_env env = {.host = &host};
	struct linux_online online;
	linux_online_open(&online, &env);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		online_text = texts[i];
		assert_int_equal(linux_online_changed(&online, &env), *online_text != 0);
		assert_false(linux_online_changed(&online, &env));
	}
	linux_online_close(&online, &env);
	assert_false(linux_online_changed(&online, &env));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels),
		cmocka_unit_test(future_columns),
		cmocka_unit_test(subset),
		cmocka_unit_test(no_summary),
		cmocka_unit_test(unusable),
		cmocka_unit_test(long_counters),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(processors_one_by_one),
		cmocka_unit_test(many_processors),
		cmocka_unit_test(changes_of_what_is_online),
		cmocka_unit_test(this_machine),
		cmocka_unit_test(sources),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
