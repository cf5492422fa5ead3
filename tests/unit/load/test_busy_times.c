/* SPDX-License-Identifier: MIT */
#include "load/busy_times.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"

static struct busy_times times;
static struct busy_total total;

static int enter(void **state)
{
	(void)state;
	total = (struct busy_total){0};
	const int result = busy_open(&times);
	times.hz = 100;
	return result;
}

static int leave(void **state)
{
	(void)state;
	busy_close(&times);
	return 0;
}

static void count(const char *text, double at_s, const struct busy_news *news)
{
	const struct busy_news none = {.witness = NAN};
	assert_int_equal(busy_count(&times, text, strlen(text), (int64_t)(at_s * NS_PER_S), news ? news : &none, &total), 0);
}

static void assert_sum(double work, double capacity)
{
	if (fabs(total.work - work) > 1e-9 || fabs(total.capacity - capacity) > 1e-9)
		fail_msg("work %g of %g, expected %g of %g", total.work, total.capacity, work, capacity);
}

static void assert_of(unsigned id, double work, double known)
{
	double its_work = NAN, its_known = NAN;
	assert_true(busy_of(&times, id, &its_work, &its_known));
	if (fabs(its_work - work) > 1e-9 || fabs(its_known - known) > 1e-9)
		fail_msg("processor %u: work %g of %g, expected %g of %g", id, its_work, its_known, work, known);
}

/* ---- Readings of two texts -------------------------------------------------------------------------------------------- */

static const char start[] = "cpu  1000 0 0 5000 0 0 0 100\n"
			    "cpu0 500 0 0 2500 0 0 0 50\n"
			    "cpu1 500 0 0 2500 0 0 0 50\n";

static void the_same_processors(void **state)
{
	static const char now[] = "cpu  1100 0 0 5080 0 0 0 120\n"
				  "cpu0 590 0 0 2500 0 0 0 60\n"
				  "cpu1 510 0 0 2580 0 0 0 60\n";
	(void)state;
	for (int source = BUSY_IDLE; source <= BUSY_TICKS; source++) {
		enter(NULL);
		times.source = (enum busy_source)source;
		count(start, 5, NULL);
		assert_sum(0, 0);
		count(now, 6, NULL);
		assert_sum(1.2, 2);
		assert_of(0, 1, 1);
		assert_of(1, 0.2, 1);
		assert_true(fabs(total.steal - 0.2) < 1e-9);
		assert_true(total.processors == 2);
		double ignored;
		assert_false(busy_of(&times, 2, &ignored, &ignored));
		/* A reading that is no later counts nothing. */
		count(start, 6, NULL);
		assert_sum(1.2, 2);
		leave(NULL);
	}
	enter(NULL);
}

/* The first line is cut to the unit once: that of two processors with 9.9 ms each has 10 ms more. It isn't used where it says something else. */
static void the_first_line_is_the_finer_one(void **state)
{
	(void)state;
	count("cpu  0 0 0 100\ncpu0 0 0 0 50\ncpu1 0 0 0 50\n", 5, NULL);
	count("cpu  0 0 0 201\ncpu0 0 0 0 100\ncpu1 0 0 0 100\n", 5.5, NULL);
	assert_sum(1 - 1.01, 1);
	count("cpu  0 0 0 0\ncpu0 0 0 0 150\ncpu1 0 0 0 150\n", 6, NULL);
	assert_sum(1 - 1.01, 2);
}

static void a_line_of_zeros_is_made_up(void **state)
{
	(void)state;
	count("cpu  0 0 0 0 0 0 0 0\ncpu0 20 0 0 80\ncpu1 20 0 0 80\n", 5, NULL);
	for (int i = 1; i <= 8; i++) {
		char text[128];
		snprintf(text, sizeof text, "cpu  0 0 0 0 0 0 0 0\ncpu0 %d 0 0 %d\ncpu1 %d 0 0 %d\n", 20 + 10 * i, 80 + 40 * i,
			20 + 10 * i, 80 + 40 * i);
		count(text, 5 + 0.5 * i, NULL);
		assert_sum(0.2 * i, i);
	}
}

/* When a processor goes, the summary jumps: the kernel counts its idle time in another way then. */
static void processors_come_and_go(void **state)
{
	(void)state;
	count(start, 1, NULL);
	count("cpu  1100 0 0 9999 0 0 0 120\ncpu0 590 0 0 2500 0 0 0 60\n", 2, NULL);
	assert_sum(1, 1);
	assert_true(total.processors == 1);
	count("cpu  1200 0 0 5300 0 0 0 120\ncpu0 690 0 0 2500 0 0 0 60\ncpu1 510 0 0 2 0 0 0 60\n", 3, NULL);
	assert_sum(2, 2);
	/* Off and on again between two readings: a counter that began again, and one that is far ahead. */
	count("cpu  1300 0 0 5300 0 0 0 120\ncpu0 790 0 0 2500 0 0 0 60\ncpu1 510 0 0 1 0 0 0 60\n", 4, NULL);
	assert_sum(3, 3);
	count("cpu  1400 0 0 9999 0 0 0 120\ncpu0 890 0 0 2500 0 0 0 60\ncpu1 510 0 0 362500 0 0 0 60\n", 5, NULL);
	assert_sum(4, 4);
}

static void some_processors_are_measured(void **state)
{
	const struct sst_cpus some = {.count = 2, .cpu = (const unsigned[]){1, 7}};
	(void)state;
	times.cpus = &some;
	count(start, 1, NULL);
	assert_true(total.processors == 1);
	count("cpu  1100 0 0 5050 0 0 0 120\ncpu0 590 0 0 2500 0 0 0 60\ncpu1 560 0 0 2550 0 0 0 50\n", 2, NULL);
	assert_sum(0.5, 1);
	count("cpu  1 1 1 1\ncpu0 1 1 1 1\n", 3, NULL);
	assert_sum(0.5, 1);
	assert_true(total.processors == 0);
	assert_int_equal(busy_count(&times, "nothing\n", 8, 4 * NS_PER_S, &(struct busy_news){0}, &total), -1);
	assert_int_equal(errno, EINVAL);
}

static void lines_out_of_order(void **state)
{
	struct busy_reading reading = {0};
	static const char four[] = "cpu3 1 1 1 1\ncpu1 1 1 1 1\ncpu2 1 1 1 1\ncpu0 1 1 1 1\n";
	(void)state;
	assert_int_equal(busy_parse(start, strlen(start), &reading), 0);
	assert_int_equal(reading.count, 2);
	assert_int_equal(busy_parse(four, strlen(four), &reading), 0);
	assert_int_equal(reading.count, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(reading.cpu[i].id, i);
	assert_true(busy_has_cpu(&reading, 3));
	assert_false(busy_has_cpu(&reading, 4));
	/* A kernel for one processor. */
	assert_int_equal(busy_parse("cpu  1 2 3 4\n", 13, &reading), 0);
	assert_int_equal(reading.count, 1);
	busy_reading_free(&reading);
}

/* ---- Columns that can't be true --------------------------------------------------------------------------------------- */

/* What the columns of a processor do in a second, in s; `other` is what processor 1 does. */
struct rates {
	double busy, idle, iowait;
};

/* One who looks at the machine every so many seconds for ten of them: what each row says. */
struct scene {
	const char *name;
	struct rates zero, one;
	double start_iowait; /* of both */
	double interval;
	double witness; /* CPU-seconds in a second; 0: none */
	bool is_whole;
	double idle[3], ticks[3]; /* load by either source in the first second, in the fourth, and in the tenth; NaN: not known */
	unsigned trouble;         /* at the end, by idle */
};

#define UNKNOWN_LOAD                                                                                                             \
	{                                                                                                                        \
		NAN, NAN, NAN                                                                                                    \
	}

static const struct scene scenes[] = {
	{"true", {0.2, 0.8, 0}, {0.2, 0.8, 0}, 0, 0.5, 0, false, {0.2, 0.2, 0.2}, {0.2, 0.2, 0.2}, 0},
	{"iowait falls while idle goes on (proc(5))", {0.2, 0.8, -0.15}, {0.2, 0.8, 0}, 10, 0.5, 0, false, {0.2, 0.2, 0.2},
		{0.2, 0.2, 0.2}, 0},
	{"the idle time of one stands still (lxcfs)", {0.2, 0, 0}, {0.2, 0.8, 0}, 8.3e14, 0.5, 0, false, {0.2, 0.2, 0.2},
		{0.2, 0.2, 0.2}, BUSY_UNKNOWN},
	{"the same in rows of five seconds", {0.2, 0, 0}, {0.2, 0.8, 0}, 0, 5, 0, false, {0.2, 0.2, 0.2}, {0.2, 0.2, 0.2},
		BUSY_UNKNOWN},
	{"nothing moves", {0, 0, 0}, {0, 0, 0}, 100, 0.5, 0, false, UNKNOWN_LOAD, UNKNOWN_LOAD, BUSY_UNKNOWN | BUSY_STOPPED},
	{"idle is fast", {0.2, 0.848, 0}, {0.2, 0.848, 0}, 0, 0.5, 0, false, {0.152, 0.2, 0.2}, {0.2 / 1.048, 0.2, 0.2},
		BUSY_FAST},
	{"idle is fast in long rows", {0.2, 0.848, 0}, {0.2, 0.848, 0}, 0, 2.5, 0, false, {0.2, 0.2, 0.2}, {0.2, 0.2, 0.2},
		BUSY_FAST},
	{"idle is fast, less than ticks explain", {0.5, 0.51, 0}, {0.5, 0.51, 0}, 0, 0.5, 0, false, {0.49, 0.49, 0.49},
		{0.5 / 1.01, 0.5 / 1.01, 0.5 / 1.01}, 0},
	{"and a witness of all tasks", {0.5, 0.52, 0}, {0.5, 0.52, 0}, 0, 0.1, 1, true, {0.48, 0.5, 0.5}, {0.5 / 1.02, 0.5, 0.5},
		BUSY_FAST},
	{"and the workloads themselves", {0.5, 0.52, 0}, {0.5, 0.52, 0}, 0, 0.1, 1, false, {0.48, 0.5, 0.5},
		{0.5 / 1.02, 0.5, 0.5}, BUSY_FAST},
	{"ticks charge too much, says a witness of all tasks", {0.54, 0.5, 0}, {0.54, 0.5, 0}, 0, 0.1, 1, true, {0.5, 0.5, 0.5},
		{0.54 / 1.04, 0.54 / 1.04, 0.54 / 1.04}, 0},
	{"the columns are slow", {0.38, 0.57, 0}, {0.38, 0.57, 0}, 0, 0.5, 0, false, {0.43, 0.4, 0.4}, {0.4, 0.4, 0.4},
		BUSY_SLOW},
	{"ticks charge too little, says a witness of all tasks", {0.46, 0.5, 0}, {0.46, 0.5, 0}, 0, 0.5, 1, true, {0.5, 0.5, 0.5},
		{0.46 / 0.96, 0.46 / 0.96, 0.46 / 0.96}, 0},
	{"far too fast", {0.8, 0.8, 0}, {0.2, 0.8, 0}, 0, 0.5, 0, false, {0.2, 0.2, 0.2}, {0.2, 0.2, 0.2}, BUSY_UNKNOWN},
};

static int print_cpu(
	char *to, size_t size, const char *name, const struct rates *a, const struct rates *b, double iowait, double at)
{
	const double busy = a->busy * at + (b ? b->busy * at : 0), idle = a->idle * at + (b ? b->idle * at : 0);
	return snprintf(to, size, "%s %.0f 0 0 %.0f %.0f 0 0 0 0 0\n", name, floor(100 * (1e3 + busy)), floor(100 * (1e3 + idle)),
		floor(100 * (iowait + a->iowait * at + (b ? b->iowait * at : 0))));
}

static void read_scene(const struct scene *scene, double at)
{
	char text[512];
	const struct busy_news news = {.witness = scene->witness > 0 ? scene->witness * at : NAN, .is_whole = scene->is_whole};
	int length = print_cpu(text, sizeof text, "cpu ", &scene->zero, &scene->one, 2 * scene->start_iowait, at);
	length += print_cpu(text + length, sizeof text - (size_t)length, "cpu0", &scene->zero, NULL, scene->start_iowait, at);
	print_cpu(text + length, sizeof text - (size_t)length, "cpu1", &scene->one, NULL, scene->start_iowait, at);
	count(text, 1000 + at, &news);
}

/* Mean load over the second that ends there, or the row that does. */
static void look_at(const struct scene *scene, enum busy_source source)
{
	static const double ends[] = {1, 4, 10};
	const double *const expected = source == BUSY_IDLE ? scene->idle : scene->ticks;
	struct busy_total before = {0};
	size_t found = 0;
	enter(NULL);
	times.source = source;
	read_scene(scene, 0);
	for (int row = 1; found < 3; row++) {
		const double at = row * scene->interval;
		/* A second ago, or a row. */
		if (at - scene->interval <= ends[found] - 1 + 1e-6)
			before = total;
		read_scene(scene, at);
		if (at < ends[found] - 1e-6)
			continue;
		const double load = (total.work - before.work) / (total.capacity - before.capacity);
		if (isnan(load) != isnan(expected[found]) || fabs(load - expected[found]) > 0.021)
			fail_msg("%s, by %s: %g at %g s, expected %g", scene->name, source == BUSY_IDLE ? "idle" : "ticks", load,
				at, expected[found]);
		found++;
		before = total;
	}
	if (source == BUSY_IDLE && total.trouble != scene->trouble)
		fail_msg("%s: trouble %u, expected %u", scene->name, (unsigned)total.trouble, scene->trouble);
	leave(NULL);
}

static void columns_that_cannot_be_true(void **state)
{
	(void)state;
	leave(NULL);
	for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
		look_at(&scenes[i], BUSY_IDLE);
		look_at(&scenes[i], BUSY_TICKS);
	}
	enter(NULL);
}

/* The machine stood still for ten seconds, and the clock went on: that is no sample, and no reason to believe nothing. */
static void a_pause_is_no_sample(void **state)
{
	const struct scene half = {.zero = {0.5, 0.5, 0}, .one = {0.5, 0.5, 0}};
	(void)state;
	for (int i = 0; i < 100; i++)
		read_scene(&half, 0.05 * i);
	const struct busy_total before = total;
	char text[512];
	int length = print_cpu(text, sizeof text, "cpu ", &half.zero, &half.one, 0, 5);
	length += print_cpu(text + length, sizeof text - (size_t)length, "cpu0", &half.zero, NULL, 0, 5);
	print_cpu(text + length, sizeof text - (size_t)length, "cpu1", &half.one, NULL, 0, 5);
	count(text, 1015, NULL);
	assert_true(total.work == before.work && total.capacity == before.capacity);
	assert_int_equal(total.trouble, 0);
}

static void processors_that_are_not_believed_are_named(void **state)
{
	const struct scene still = {.zero = {0.2, 0, 0}, .one = {0.2, 0.8, 0}};
	char text[64];
	(void)state;
	for (int i = 0; i < 10; i++)
		read_scene(&still, 0.5 * i);
	busy_describe_unknown(&times, text, sizeof text);
	assert_string_equal(text, "processor 0");
}

/* ---- The time of tasks ------------------------------------------------------------------------------------------------ */

static struct busy_news schedstat(const char *text)
{
	return (struct busy_news){.schedstat = text, .length = strlen(text), .witness = NAN};
}

static void lines_of_schedstat(void **state)
{
	struct busy_reading reading = {0};
	static const char two[] = "version 15\ntimestamp 4294937296\ncpu0 0 0 0 0 0 0 77 8 9\ndomain0 3 1 2 3 4 5 6 7\n"
				  "cpu1 0 0 0 0 0 0 88 8 9\ndomain0 3 1 2 3 4 5 6 7\n";
	(void)state;
	assert_int_equal(busy_parse(start, strlen(start), &reading), 0);
	assert_true(busy_schedstat_has(&reading, two, strlen(two)));
	assert_false(busy_schedstat_has(&reading, two, strlen(two) - 30)); /* cut off */
	static const char short_line[] = "cpu0 0 0 0 0 0 0 77 8 9\ncpu1 0 0 0 0 0 0\n";
	assert_false(busy_schedstat_has(&reading, short_line, strlen(short_line)));
	assert_false(busy_schedstat_has(&reading, "", 0));
	busy_reading_free(&reading);
}

/*
 * Of two processors one is idle, and one runs a task for 50 ms of each 100 ms; its time is known when it stops. Readings are `every` s apart,
 * `fast` is by how much the idle columns pass faster: slower where interrupts take of the idle time what no column has.
 */
static double by_schedstat(double fast, double every, double seconds, double most)
{
	char text[256], tasks[128];
	double before = 0;
	enter(NULL);
	times.source = BUSY_SCHEDSTAT;
	for (int i = 0; every * i <= seconds; i++) {
		const double at = every * i, rounds = floor(at / 0.1), into = at - 0.1 * rounds;
		const double known = 0.05 * rounds + (into >= 0.05 ? 0.05 : 0), ran = 0.05 * rounds + fmin(into, 0.05);
		const double idle0 = (at - ran) * fast, idle1 = at * fast;
		snprintf(text, sizeof text, "cpu  %.0f 0 0 %.0f 0 0 0 0\ncpu0 %.0f 0 0 %.0f 0 0 0 0\ncpu1 0 0 0 %.0f 0 0 0 0\n",
			100 * ran, floor(100 * (idle0 + idle1)), 100 * ran, floor(100 * idle0), floor(100 * idle1));
		snprintf(tasks, sizeof tasks, "cpu0 0 0 0 0 0 0 %.0f 0 0\ncpu1 0 0 0 0 0 0 1 0 0\n", 1 + known * 1e9);
		const struct busy_news news = schedstat(tasks);
		count(text, 1000 + at, &news);
		/* Never further from the truth than a reading, and the unit. */
		if (fabs(total.work - ran) > most)
			fail_msg("%g s worked at %g s, expected %g", total.work, at, ran);
		before = ran;
	}
	const double error = total.work - before;
	leave(NULL);
	return error;
}

static void tasks_are_counted_to_the_last_switch(void **state)
{
	(void)state;
	leave(NULL);
	assert_true(fabs(by_schedstat(1, 0.03, 60, 0.045)) < 0.045);
	/* As on Linux 7.3: the idle columns alone would be 2.7 s off by then. */
	assert_true(fabs(by_schedstat(1.06, 0.03, 60, 0.045)) < 0.045);
	/* As with an emulator's expensive interrupts: those of the time before a first stretch count once. */
	assert_true(fabs(by_schedstat(0.95, 0.2, 60, 0.2)) < 0.2);
	enter(NULL);
}

/* Two hundredths of a machine tell nothing of interrupts, and what runs outside of groups counts all the same. */
static void a_stretch_with_little_work_tells_enough(void **state)
{
	char text[256], tasks[128];
	(void)state;
	times.source = BUSY_IDLE;
	for (int i = 0; i <= 50; i++) {
		snprintf(text, sizeof text, "cpu  %d 0 0 %d\ncpu0 %d 0 0 %d\ncpu1 0 0 0 %d\n", 2 * (i / 5), 20 * i - 2 * (i / 5),
			2 * (i / 5), 10 * i - 2 * (i / 5), 10 * i);
		snprintf(tasks, sizeof tasks, "cpu0 0 0 0 0 0 0 %d 0 0\ncpu1 0 0 0 0 0 0 1 0 0\n", 1 + 20000000 * (i / 5));
		const struct busy_news news = schedstat(tasks);
		count(text, 1000 + 0.1 * i, &news);
		if (i < 20)
			assert_false(busy_has_ratio(&times));
	}
	assert_true(busy_has_ratio(&times));
}

/* One that runs for ten seconds without a switch is late by as much: the idle column, which stands still, says that it runs. */
static void a_task_that_never_stops_is_seen(void **state)
{
	char text[256];
	(void)state;
	times.source = BUSY_SCHEDSTAT;
	const struct busy_news news = schedstat("cpu0 0 0 0 0 0 0 5 0 0\ncpu1 0 0 0 0 0 0 5 0 0\n");
	for (int i = 0; i <= 100; i++) {
		snprintf(text, sizeof text, "cpu  %d 0 0 %d 0 0 0 0\ncpu0 %d 0 0 0 0 0 0 0\ncpu1 0 0 0 %d 0 0 0 0\n", 10 * i,
			10 * i, 10 * i, 10 * i);
		count(text, 1000 + 0.1 * i, &news);
	}
	assert_sum(10, 20);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(the_same_processors),
		TEST(the_first_line_is_the_finer_one),
		TEST(a_line_of_zeros_is_made_up),
		TEST(processors_come_and_go),
		TEST(some_processors_are_measured),
		TEST(lines_out_of_order),
		TEST(columns_that_cannot_be_true),
		TEST(a_pause_is_no_sample),
		TEST(processors_that_are_not_believed_are_named),
		TEST(lines_of_schedstat),
		TEST(tasks_are_counted_to_the_last_switch),
		TEST(a_stretch_with_little_work_tells_enough),
		TEST(a_task_that_never_stops_is_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
