/* SPDX-License-Identifier: MIT */
/* Two cores of two threads, 0 and 2, 1 and 3, whose columns the tests write. */
#include "load/core_load.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "fake_root.h"
#include "self/host.h"

#define STEP (20 * NS_PER_MS)

static char root[PATH_MAX];
static struct host_env host;
static struct linux_core_load load;
static struct busy_times busy;
static char error[LINUX_CORE_LOAD_ERROR_MAX];
static int64_t now_ns;
static unsigned idle[4], worked[4]; /* ticks */
static bool is_offline[4];

/* Counts on to now, as linux_machine_read does. */
static void count(void)
{
	char text[512];
	struct busy_total total;
	const struct busy_news none = {.witness = NAN};
	int length = snprintf(text, sizeof text, "cpu  0 0 0 %u 0 0 0 0 0 0\n", idle[0] + idle[1] + idle[2] + idle[3]);
	for (unsigned i = 0; i < 4; i++)
		if (!is_offline[i])
			length += snprintf(text + length, sizeof text - (size_t)length, "cpu%u %u 0 0 %u 0 0 0 0 0 0\n", i,
				worked[i], idle[i]);
	assert_int_equal(busy_count(&busy, text, (size_t)length, now_ns, &none, &total), 0);
}

static void siblings(unsigned processor, const char *list)
{
	char path[96];
	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list", processor);
	fake_file(root, path, list);
}

static int enter(void **state)
{
	(void)state;
	fake_root_make(root);
	host_env_init(&host, root, 1, 0);
	assert_int_equal(busy_open(&busy), 0);
	for (unsigned i = 0; i < 4; i++) {
		siblings(i, i % 2 ? "1,3\n" : "0,2\n");
		idle[i] = 1000 + 100 * i;
		worked[i] = 50;
		is_offline[i] = false;
	}
	now_ns = 1000 * NS_PER_S;
	return sysconf(_SC_CLK_TCK) == 100 ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	linux_core_load_close(&load);
	busy_close(&busy);
	fake_remove(root, "");
	return 0;
}

static struct sst_reading read_now(void)
{
	struct sst_reading reading;
	count();
	assert_int_equal(linux_core_load_read(&load, &busy, now_ns, &reading), 0);
	assert_int_equal(reading.when_ns, now_ns);
	return reading;
}

static struct sst_reading start(void)
{
	count();
	assert_int_equal(linux_core_load_open(&load, &host.env, &busy, error), 0);
	return read_now();
}

/* Lets time pass, in which the processors are idle for so many ticks, and busy for the others. */
static void wait_idle(int64_t ns, const unsigned ticks[4])
{
	for (int i = 0; i < 4; i++) {
		idle[i] += ticks[i];
		worked[i] += (unsigned)(ns / (10 * NS_PER_MS)) - ticks[i];
	}
	now_ns += ns;
}

static void step(unsigned idle0, unsigned idle1, unsigned idle2, unsigned idle3)
{
	wait_idle(STEP, (const unsigned[]){idle0, idle1, idle2, idle3});
}

static double load_since(const struct sst_reading *before)
{
	const struct sst_reading now = read_now();
	struct sst_sample sample;
	assert_true(linux_core_load_sample(before, &now, &sample));
	return sample.work / sample.capacity;
}

#define assert_load(before, expected) assert_true(fabs(load_since(before) - (expected)) < 1e-6)

static void a_core_is_busy_when_any_of_its_threads_is(void **state)
{
	(void)state;
	const struct sst_reading before = start();
	assert_true(before.processors == 2);
	step(0, 2, 2, 2);
	assert_load(&before, 0.5);
	step(0, 2, 2, 2);
	assert_load(&before, 0.5);
	step(0, 2, 0, 2); /* both threads of one: still one core */
	assert_load(&before, 0.5);
	step(0, 2, 0, 2);
	const struct sst_reading half = read_now();
	step(0, 0, 0, 2); /* one thread of the other */
	assert_load(&half, 1);
}

/* Each half idle: together a quarter. Over twice the length it is the same, so nothing is extrapolated. */
static void within_an_interval_threads_are_independent(void **state)
{
	(void)state;
	const struct sst_reading before = start();
	for (int i = 0; i < 10; i++) {
		step(1, 1, 1, 1);
		read_now();
	}
	assert_load(&before, 0.75);
}

/* They take turns: over one interval that can be seen, and over two it would be 75 %. What would be missed is added. */
static void what_is_lost_by_longer_intervals_is_added(void **state)
{
	(void)state;
	struct sst_reading before = start();
	step(2, 2, 0, 2);
	before = read_now();
	step(0, 2, 2, 2);
	/* 100 %, and (2 * 100 % - 2 * 75 %) / 2 more, of one of two cores. */
	assert_load(&before, 1.25 / 2);
}

/* Then readings are where workloads stop and start, and nothing is lost. */
static void long_intervals_are_right_as_they_are(void **state)
{
	(void)state;
	struct sst_reading before = start();
	wait_idle(5 * STEP, (const unsigned[]){10, 10, 0, 10});
	before = read_now();
	wait_idle(5 * STEP, (const unsigned[]){0, 10, 10, 10});
	assert_load(&before, 0.5);
}

/* What came online later is left out; those that were there stay, the last one, too. */
static void one_that_comes_online_pushes_out_none(void **state)
{
	(void)state;
	is_offline[0] = true;
	start();
	is_offline[0] = false;
	for (int i = 0; i < 3; i++) {
		step(2, 2, 2, 2);
		read_now();
	}
	const struct sst_reading before = read_now();
	assert_true(before.processors == 2);
	for (int i = 0; i < 3; i++) {
		step(2, 2, 2, 0);
		read_now();
	}
	assert_load(&before, 0.5);
}

/* Idle, but of 2.5 ticks there are 2 and 3 in turn. Errors of both would be multiplied. */
static void the_counters_unit_does_not_add_up(void **state)
{
	(void)state;
	struct sst_reading before = start();
	for (int i = 0; i < 44; i++) {
		const unsigned ticks = i % 2 ? 3 : 2;
		wait_idle(25 * NS_PER_MS, (const unsigned[]){ticks, ticks, ticks, ticks});
		const struct sst_reading now = read_now();
		if (i < 4)
			before = now;
	}
	assert_load(&before, 0);
}

/* Between two ends of intervals it goes on as before, also for a reader that comes late. */
static void a_reading_in_an_interval_goes_on(void **state)
{
	(void)state;
	struct sst_reading before = start();
	wait_idle(2 * STEP, (const unsigned[]){0, 0, 2, 2}); /* one interval: a half idle, for each second thread */
	before = read_now();
	now_ns += LINUX_CORE_LOAD_STEP_NS / 2;
	const double expected = load_since(&before);
	assert_true(expected > 0.4);
	now_ns += LINUX_CORE_LOAD_STEP_NS / 4;
	assert_load(&before, expected);
}

static void all_readers_see_the_same(void **state)
{
	(void)state;
	struct sst_reading seen;
	const struct sst_reading before = start();
	struct linux_core_load other = load; /* as after a fork */
	step(0, 2, 2, 2);
	assert_load(&before, 0.5);
	assert_int_equal(linux_core_load_read(&other, &busy, now_ns, &seen), 0);
	assert_int_equal(seen.counter[0], read_now().counter[0]);
}

/* As executors are children of the process that has prepared the modules. */
static void what_a_child_has_read_counts(void **state)
{
	(void)state;
	int ended;
	const struct sst_reading before = start();
	step(0, 2, 2, 2);
	const pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		read_now();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &ended, 0), child);
	assert_int_equal(ended, 0);
	/* Nothing more has happened since, or the counters would have gone on. */
	idle[0] = idle[1] = idle[2] = idle[3] = 0;
	assert_load(&before, 0.5);
}

/* Somebody is at it: the others don't wait, and when it lasts they take over. */
static void nobody_waits(void **state)
{
	(void)state;
	const struct sst_reading before = start();
	step(0, 2, 2, 2);
	assert_load(&before, 0.5);
	assert_true(lease_take(&load.shared->lease, 12345, now_ns, LEASE_LIMIT_NS) != 0);
	const struct sst_reading held = read_now();
	step(2, 2, 2, 2);
	assert_load(&held, 0.5); /* goes on */
	wait_idle(LEASE_LIMIT_NS, (const unsigned[]){25, 25, 25, 25});
	assert_load(&held, 0);
}

static void a_processor_that_goes_is_left_out(void **state)
{
	(void)state;
	start();
	step(2, 2, 2, 0);
	struct sst_reading before = read_now();
	is_offline[3] = true;
	step(2, 2, 2, 0);
	read_now();
	before = read_now();
	assert_true(before.processors == 2);
	step(0, 2, 2, 0);
	read_now();
	is_offline[1] = true;
	step(0, 2, 2, 0);
	assert_true(read_now().processors == 1);
	before = read_now();
	step(0, 2, 2, 0);
	step(0, 2, 2, 0);
	assert_load(&before, 1);
	/* What its counter did meanwhile is nothing. */
	is_offline[1] = is_offline[3] = false;
	step(2, 500, 2, 700);
	read_now();
	before = read_now();
	assert_true(before.processors == 2);
	for (int i = 0; i < 10; i++) {
		step(2, 2, 2, 2);
		read_now();
	}
	assert_true(fabs(load_since(&before)) < 0.1);
}

static void without_shared_cores_it_is_unavailable(void **state)
{
	(void)state;
	const struct sst_cpus first = {2, (const unsigned[]){0, 1}};
	count();
	busy.cpus = &first;
	assert_int_equal(linux_core_load_open(&load, &host.env, &busy, error), -1);
	assert_string_equal(error, "no two of these processors share a core, so that cores and processors have the same load");
	linux_core_load_close(&load);
	busy.cpus = NULL;
	fake_remove(root, "/sys");
	assert_int_equal(linux_core_load_open(&load, &host.env, &busy, error), -1);
	assert_non_null(strstr(error, "thread_siblings_list: No such file"));
}

static void without_any_processor_there_is_no_reading(void **state)
{
	(void)state;
	const struct sst_cpus second = {2, (const unsigned[]){1, 3}};
	struct sst_reading reading;
	busy.cpus = &second;
	start();
	memset(load.shared, 0, sizeof *load.shared);
	is_offline[1] = is_offline[3] = true;
	step(2, 2, 2, 2);
	count();
	errno = 0;
	assert_int_equal(linux_core_load_read(&load, &busy, now_ns, &reading), -1);
	assert_int_equal(errno, ENODATA);
}

/* The reading before has gone on as the interval before it; what follows must not take that back. */
static void an_interval_of_which_nothing_is_known_is_as_the_one_before(void **state)
{
	(void)state;
	const struct sst_reading before = start();
	step(0, 2, 2, 2);
	assert_load(&before, 0.5);
	const struct sst_reading half = read_now();
	step(1000, 1000, 1000, 1000);
	assert_load(&half, 0.5);
	const struct sst_reading then = read_now();
	step(2, 2, 2, 2);
	assert_load(&then, 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(a_core_is_busy_when_any_of_its_threads_is),
		TEST(within_an_interval_threads_are_independent),
		TEST(what_is_lost_by_longer_intervals_is_added),
		TEST(long_intervals_are_right_as_they_are),
		TEST(the_counters_unit_does_not_add_up),
		TEST(one_that_comes_online_pushes_out_none),
		TEST(a_reading_in_an_interval_goes_on),
		TEST(all_readers_see_the_same),
		TEST(what_a_child_has_read_counts),
		TEST(nobody_waits),
		TEST(a_processor_that_goes_is_left_out),
		TEST(without_shared_cores_it_is_unavailable),
		TEST(without_any_processor_there_is_no_reading),
		TEST(an_interval_of_which_nothing_is_known_is_as_the_one_before),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
