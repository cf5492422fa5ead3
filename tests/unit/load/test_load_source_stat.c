/* SPDX-License-Identifier: MIT */
#include "load/load_source.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"

#define HZ 100.0

static struct linux_load_reading parse(const char *text, int64_t s, const struct sst_cpus *subset)
{
	struct linux_load_reading reading = {0};
	assert_int_equal(linux_load_parse(text, strlen(text), s * NS_PER_S, subset, &reading), 0);
	return reading;
}

/* The samples of both kinds of counters between two texts that lie so many seconds apart. */
static bool differ(
	const char *before_text, const char *now_text, int64_t s, enum linux_load_counters counters, struct sst_sample *sample)
{
	struct linux_load_reading before = parse(before_text, 1, NULL), now = parse(now_text, 1 + s, NULL);
	const bool result = linux_load_sample(&before, &now, counters, HZ, sample);
	linux_load_free(&before);
	linux_load_free(&now);
	return result;
}

static void assert_sample(const struct sst_sample *sample, double work, double capacity)
{
	if (fabs(sample->work - work) > 1e-9 || fabs(sample->capacity - capacity) > 1e-9)
		fail_msg("work %g of %g, expected %g of %g", sample->work, sample->capacity, work, capacity);
}

static const char start[] = "cpu  1000 0 0 5000 0 0 0 100\n"
			    "cpu0 500 0 0 2500 0 0 0 50\n"
			    "cpu1 500 0 0 2500 0 0 0 50\n";

static void same_processors(void **unused)
{
	(void)unused;
	static const char now[] = "cpu  1100 0 0 5080 0 0 0 120\n"
				  "cpu0 590 0 0 2500 0 0 0 60\n"
				  "cpu1 510 0 0 2580 0 0 0 60\n";
	struct sst_sample sample;
	assert_true(differ(start, now, 1, LINUX_LOAD_IDLE, &sample));
	assert_sample(&sample, 1.2, 2);
	assert_true(differ(start, now, 1, LINUX_LOAD_TICKS, &sample));
	assert_sample(&sample, 1.2, 2);

	struct linux_load_reading before = parse(start, 1, NULL), later = parse(now, 2, NULL);
	assert_true(linux_load_sample_cpu(&before, &later, 0, LINUX_LOAD_IDLE, HZ, &sample));
	assert_sample(&sample, 1, 1);
	assert_true(linux_load_sample_cpu(&before, &later, 1, LINUX_LOAD_TICKS, HZ, &sample));
	assert_sample(&sample, 0.2, 1);
	assert_false(linux_load_sample_cpu(&before, &later, 2, LINUX_LOAD_IDLE, HZ, &sample));
	assert_true(fabs(linux_load_steal(&before, &later, HZ) - 0.1) < 1e-9);
	assert_false(linux_load_sample(&later, &before, LINUX_LOAD_IDLE, HZ, &sample));
	assert_true(isnan(linux_load_steal(&later, &before, HZ)));
	linux_load_free(&before);
	linux_load_free(&later);
}

/* When a processor goes, the summary jumps: the kernel counts its idle time in another way then. */
static void processor_goes(void **unused)
{
	(void)unused;
	static const char now[] = "cpu  1100 0 0 9999 0 0 0 120\n"
				  "cpu0 590 0 0 2500 0 0 0 60\n";
	struct sst_sample sample;
	assert_true(differ(start, now, 1, LINUX_LOAD_IDLE, &sample));
	assert_sample(&sample, 1, 1);
	assert_true(differ(start, now, 1, LINUX_LOAD_TICKS, &sample));
	assert_sample(&sample, 1, 1);
	/* And when it comes back. */
	static const char again[] = "cpu  1200 0 0 5300 0 0 0 120\n"
				    "cpu0 690 0 0 2500 0 0 0 60\n"
				    "cpu1 510 0 0 2 0 0 0 60\n";
	assert_true(differ(now, again, 1, LINUX_LOAD_IDLE, &sample));
	assert_sample(&sample, 1, 1);
	struct linux_load_reading before = parse(start, 1, NULL), later = parse(now, 2, NULL);
	assert_true(fabs(linux_load_steal(&before, &later, HZ) - 0.1) < 1e-9);
	assert_true(linux_load_has_cpu(&before, 1));
	assert_false(linux_load_has_cpu(&later, 1));
	linux_load_free(&before);
	linux_load_free(&later);
}

/* Off and on again between two readings: the same processors, but a counter that began again. */
static void processor_was_away(void **unused)
{
	(void)unused;
	static const char now[] = "cpu  1100 0 0 2550 0 0 0 100\n"
				  "cpu0 550 0 0 2550 0 0 0 50\n"
				  "cpu1 550 0 0 2 0 0 0 50\n";
	struct sst_sample sample;
	assert_true(differ(start, now, 1, LINUX_LOAD_IDLE, &sample));
	assert_sample(&sample, 0.5, 1);
	/* Forward: an hour of idle time in a second. */
	static const char jumped[] = "cpu  1100 0 0 365050 0 0 0 100\n"
				     "cpu0 550 0 0 2550 0 0 0 50\n"
				     "cpu1 550 0 0 362500 0 0 0 50\n";
	assert_true(differ(start, jumped, 1, LINUX_LOAD_IDLE, &sample));
	assert_sample(&sample, 0.5, 1);
}

static void nothing_in_common(void **unused)
{
	(void)unused;
	struct sst_sample sample = {.work = -5};
	assert_false(differ("cpu  1 1 1 1\ncpu0 1 1 1 1\n", "cpu  2 2 2 2\ncpu1 2 2 2 2\n", 1, LINUX_LOAD_TICKS, &sample));
	assert_false(differ("cpu  1 1 1 1\ncpu1 1 1 1 1\n", "cpu  2 2 2 2\ncpu0 2 2 2 2\n", 1, LINUX_LOAD_TICKS, &sample));
	assert_true(sample.work == -5);
	/* No tick has passed. */
	assert_false(differ(start, start, 1, LINUX_LOAD_TICKS, &sample));
	/* That is all work for the other source. */
	assert_true(differ(start, start, 1, LINUX_LOAD_IDLE, &sample));
	assert_sample(&sample, 2, 2);
}

static void subset_offline(void **unused)
{
	(void)unused;
	const struct sst_cpus subset = {.count = 2, .cpu = (const unsigned[]){1, 7}};
	struct linux_load_reading here = parse(start, 1, &subset), gone = parse("cpu  1 1 1 1\ncpu0 1 1 1 1\n", 2, &subset);
	struct sst_sample sample;
	assert_int_equal(here.stat.processors, 1);
	assert_int_equal(here.count, 1);
	assert_int_equal(here.cpu[0].id, 1);
	assert_int_equal(gone.stat.processors, 0);
	assert_false(linux_load_sample(&here, &gone, LINUX_LOAD_IDLE, HZ, &sample));
	assert_true(isnan(linux_load_steal(&here, &gone, HZ)));
	linux_load_free(&here);
	linux_load_free(&gone);
	struct linux_load_reading bad = {0};
	errno = 0;
	assert_int_equal(linux_load_parse("nothing\n", 8, 1, &subset, &bad), -1);
	assert_int_equal(errno, EINVAL);
	linux_load_free(&bad);
}

/* The memory is used again for texts with more and fewer processors, and lines out of order are put in order. */
static void reuse(void **unused)
{
	(void)unused;
	struct linux_load_reading reading = {0};
	static const char four[] = "cpu3 1 1 1 1\ncpu1 1 1 1 1\ncpu2 1 1 1 1\ncpu0 1 1 1 1\n";
	assert_int_equal(linux_load_parse(start, strlen(start), 5, NULL, &reading), 0);
	assert_int_equal(reading.count, 2);
	assert_int_equal(linux_load_parse(four, strlen(four), 6, NULL, &reading), 0);
	assert_int_equal(reading.count, 4);
	assert_int_equal(reading.when_ns, 6);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(reading.cpu[i].id, i);
	assert_int_equal(linux_load_parse(start, strlen(start), 7, NULL, &reading), 0);
	assert_int_equal(reading.count, 2);
	linux_load_free(&reading);
}

/* Kernels before 2.6.11 count no steal. */
static void no_steal(void **unused)
{
	(void)unused;
	struct linux_load_reading before = parse("cpu  1 1 1 1\ncpu0 1 1 1 1\n", 1, NULL),
				  now = parse("cpu  2 2 2 2\ncpu0 2 2 2 2\n", 2, NULL);
	assert_true(isnan(linux_load_steal(&before, &now, HZ)));
	linux_load_free(&before);
	linux_load_free(&now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_processors),
		cmocka_unit_test(processor_goes),
		cmocka_unit_test(processor_was_away),
		cmocka_unit_test(nothing_in_common),
		cmocka_unit_test(subset_offline),
		cmocka_unit_test(reuse),
		cmocka_unit_test(no_steal),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
