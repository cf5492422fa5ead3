/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "record/recorder.h"

#define ORIGIN (100 * NS_PER_S)

/* A ramp from 0 at the origin to 1 ten seconds later, free in its fifth second. */
static double ramp(void *state, int64_t since_ns)
{
	(void)state;
	const double s = (double)since_ns / 1e9;
	return s >= 4 && s < 5 ? NAN : s / 10;
}

static bool sample(const void *state, const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *out)
{
	(void)state;
	if (now->counter[0] < before->counter[0])
		return false;
	out->work = (double)(int64_t)(now->counter[0] - before->counter[0]) / 1000;
	out->capacity = (double)(now->when_ns - before->when_ns) / 1e9 * now->processors;
	return true;
}

static const struct sst_trace trace = {SST_BASE(trace, SST_TRACE, .name = "fake"), .target = ramp};
static const struct sst_feedback feedback = {SST_BASE(feedback, SST_FEEDBACK, .name = "fake"), .sample = sample};

static struct config config;
static struct run run;
static struct recorder recorder;

static int enter(void **state)
{
	(void)state;
	const size_t none[KINDS] = {0};
	size_t offset[KINDS];
	const size_t size = shared_layout(2, none, offset);
	memset(&run, 0, sizeof run);
	config.workloads = config.controlled = 2;
	run.config = &config;
	run.shared = aligned_alloc(128, size);
	if (!run.shared)
		return -1;
	memset(run.shared, 0, size);
	shared_init(run.shared, 2, size, offset);
	atomic_store(&run.shared->origin_ns, ORIGIN);
	run.module[SST_TRACE].trace = &trace;
	run.module[SST_FEEDBACK].feedback = &feedback;
	return 0;
}

static int leave(void **state)
{
	(void)state;
	recorder_free(&recorder);
	recorder_free(&recorder); /* twice does no harm */
	free(run.shared);
	return 0;
}

static struct sst_reading reading(int64_t ms, uint64_t work_ms)
{
	return (struct sst_reading){.when_ns = ORIGIN + ms * NS_PER_MS, .processors = 2, .counter = {work_ms}};
}

/* What an executor says of its workload from `ms` on. */
static void publish(unsigned index, int64_t ms, double duty, double load, bool running, bool alive)
{
	struct slot_record record;
	latch_read(&run.shared->slot[index].record, &record, LATCH_SIZE(struct slot_record));
	slot_record_advance(&record, ORIGIN + ms * NS_PER_MS);
	record.duty = duty;
	record.load = load;
	record.running = running;
	record.alive = alive;
	latch_write(&run.shared->slot[index].record, &record, LATCH_SIZE(struct slot_record));
}

static bool is(double found, double expected)
{
	if (fabs(found - expected) < 1e-9)
		return true;
	fprintf(stderr, "found %.17g, expected %.17g\n", found, expected);
	return false;
}

static void means_are_over_exactly_the_interval(void **state)
{
	(void)state;
	struct record record;
	assert_int_equal(recorder_init(&recorder, &run, 500 * NS_PER_MS, true), 0);
	publish(0, 900, 0.25, 0.2, true, true);
	publish(1, 900, 0.75, NAN, false, true);
	struct sst_reading now = reading(1000, 5000);
	recorder_start(&recorder, &now, 0);
	assert_int_equal(recorder.next_ns, ORIGIN + 1500 * NS_PER_MS);
	publish(0, 1100, 0.5, 0.4, false, true);
	publish(1, 1300, 1, 0.6, true, true);
	now = reading(1500, 5250);
	recorder_end(&recorder, &now, &record);
	assert_int_equal(record.end_ns, ORIGIN + 1500 * NS_PER_MS);
	assert_int_equal(record.length_ns, 500 * NS_PER_MS);
	assert_true(is(record.target, 0.125)); /* the ramp's mean between 0.10 and 0.15 */
	assert_false(record.partly_free);
	assert_true(is(record.load, 0.25)); /* 0.25 s of 2 × 0.5 s */
	assert_true(is(record.machine.work, 0.25) && is(record.machine.capacity, 1));
	assert_true(isnan(record.others) && isnan(record.power_w));
	/* Workload 0: 0.25 for 100 ms, 0.5 for 400; workload 1: 0.75 for 300, 1 for 200. */
	assert_true(is(record.duty, (0.25 * 100 + 0.5 * 400 + 0.75 * 300 + 1 * 200) / 1000));
	assert_true(is(record.duties[0], 0.45) && is(record.duties[1], 0.85));
	assert_true(is(record.runnable, (100.0 + 200) / 500));
	/* 0.2 for 100 ms, 0.4 for 400, and of the other 0.6 for 200; before that it had none. */
	assert_true(is(record.estimate, (0.2 * 100 + 0.4 * 400 + 0.6 * 200) / 700));
	/* The next interval begins where this one ended. */
	recorder_start(&recorder, &now, ORIGIN + 1777 * NS_PER_MS);
	assert_int_equal(recorder.next_ns, ORIGIN + 1777 * NS_PER_MS);
	now = reading(1777, 5250);
	recorder_end(&recorder, &now, &record);
	assert_true(is(record.load, 0));
	assert_true(is(record.duty, 0.75));
	assert_true(is(record.duties[0], 0.5) && is(record.duties[1], 1));
	assert_true(is(record.runnable, 1));
	assert_true(is(record.estimate, 0.5));
}

static void free_workloads_are_left_out(void **state)
{
	(void)state;
	struct record record;
	run.shared->slot[1].free = true;
	assert_int_equal(recorder_init(&recorder, &run, 500 * NS_PER_MS, true), 0);
	publish(0, 900, 0.25, 0.2, false, true);
	publish(1, 900, 1, NAN, true, true);
	struct sst_reading now = reading(1000, 0);
	recorder_start(&recorder, &now, 0);
	now = reading(1500, 250);
	recorder_end(&recorder, &now, &record);
	assert_true(is(record.duty, 0.25));
	assert_true(is(record.runnable, 0));
	/* … but in the column of its own. */
	assert_true(is(record.duties[0], 0.25) && is(record.duties[1], 1));
}

static void free_stretches_have_no_target(void **state)
{
	(void)state;
	struct record record;
	assert_int_equal(recorder_init(&recorder, &run, 500 * NS_PER_MS, false), 0);
	struct sst_reading now = reading(4000, 0);
	recorder_start(&recorder, &now, 0);
	now = reading(4500, 1);
	recorder_end(&recorder, &now, &record);
	assert_true(isnan(record.target));
	assert_true(record.partly_free);
	assert_null(record.duties);
	/* Half free: the mean is that of the other half. */
	recorder_start(&recorder, &now, 0);
	now = reading(5500, 1);
	recorder_end(&recorder, &now, &record);
	assert_true(is(record.target, 0.525));
	assert_true(record.partly_free);
	/* So is the time before the origin. */
	now = reading(-500, 0);
	recorder_start(&recorder, &now, 0);
	now = reading(0, 1);
	recorder_end(&recorder, &now, &record);
	assert_true(isnan(record.target));
	assert_true(record.partly_free);
	recorder_start(&recorder, &now, 0);
	now = reading(1000, 1);
	recorder_end(&recorder, &now, &record);
	assert_true(is(record.target, 0.05));
	assert_false(record.partly_free);
}

static void what_is_unknown_is_no_number(void **state)
{
	(void)state;
	struct record record;
	assert_int_equal(recorder_init(&recorder, &run, 500 * NS_PER_MS, true), 0);
	struct sst_reading now = reading(0, 100);
	recorder_start(&recorder, &now, 0);
	now = reading(500, 50); /* the counter went back */
	recorder_end(&recorder, &now, &record);
	assert_true(isnan(record.load));
	assert_true(isnan(record.estimate)); /* no executor has had one */
	assert_true(isnan(record.duty));     /* no workload lives */
	assert_true(is(record.runnable, 0));
	assert_true(is(record.duties[0], 0));
}

static void loads_are_held_to_their_range(void **state)
{
	(void)state;
	struct record record;
	assert_int_equal(recorder_init(&recorder, &run, 500 * NS_PER_MS, false), 0);
	struct sst_reading now = reading(0, 0);
	recorder_start(&recorder, &now, 0);
	now = reading(500, 1010);
	recorder_end(&recorder, &now, &record);
	assert_true(is(record.load, 1));
}

static void workloads_that_have_ended_do_not_count(void **state)
{
	(void)state;
	struct record record;
	assert_int_equal(recorder_init(&recorder, &run, 1000 * NS_PER_MS, true), 0);
	publish(0, 0, 0.5, NAN, true, true);
	publish(1, 0, 0.8, NAN, true, true);
	struct sst_reading now = reading(0, 0);
	recorder_start(&recorder, &now, 0);
	publish(1, 250, 0, NAN, false, false);
	now = reading(1000, 1);
	recorder_end(&recorder, &now, &record);
	assert_true(is(record.alive, 1.25 / 2));
	/* 0.5 for a second and 0.8 for a quarter of it. */
	assert_true(is(record.duty, (0.5 * 1000 + 0.8 * 250) / 1250));
	assert_true(is(record.duties[1], 0.2));
	assert_true(is(record.runnable, 1.25));
}

/* Of the time of all controlled workloads, as far as they were there. */
/* The recorder reads the machine first, and by the time it looks at the workloads one of them may be further. */
static void an_edge_after_the_reading_is_none_of_it(void **state)
{
	(void)state;
	struct record record;
	assert_int_equal(recorder_init(&recorder, &run, 500 * NS_PER_MS, false), 0);
	publish(0, 900, 1, 0.5, true, true);
	publish(1, 900, 0.5, 0.5, true, true);
	publish(0, 1030, 1, 0.5, true, true);
	struct sst_reading now = reading(1000, 0);
	recorder_start(&recorder, &now, 0);
	publish(0, 1510, 1, 0.5, true, true);
	now = reading(1500, 500);
	recorder_end(&recorder, &now, &record);
	assert_true(is(record.alive, 1) && is(record.duty, 0.75) && is(record.runnable, 2) && is(record.estimate, 0.5));
	recorder_start(&recorder, &now, 0);
	publish(0, 1900, 1, 0.5, true, true);
	now = reading(2000, 1000);
	recorder_end(&recorder, &now, &record);
	assert_true(is(record.alive, 1) && is(record.duty, 0.75) && is(record.runnable, 2) && is(record.estimate, 0.5));
}

static void time_at_the_bounds(void **state)
{
	(void)state;
	struct record record;
	struct slot_record slot;
	assert_int_equal(recorder_init(&recorder, &run, 1000 * NS_PER_MS, false), 0);
	for (unsigned i = 0; i < 2; i++) {
		publish(i, 0, 1, NAN, true, true);
		latch_read(&run.shared->slot[i].record, &slot, LATCH_SIZE(struct slot_record));
		slot.at_bound = i ? 2 : 1;
		latch_write(&run.shared->slot[i].record, &slot, LATCH_SIZE(struct slot_record));
	}
	struct sst_reading now = reading(0, 0);
	recorder_start(&recorder, &now, 0);
	latch_read(&run.shared->slot[0].record, &slot, LATCH_SIZE(struct slot_record));
	slot_record_advance(&slot, ORIGIN + 500 * NS_PER_MS);
	slot.at_bound = BOUND_NEITHER;
	latch_write(&run.shared->slot[0].record, &slot, LATCH_SIZE(struct slot_record));
	now = reading(1000, 1);
	recorder_end(&recorder, &now, &record);
	assert_true(is(record.saturated, 0.25) && is(record.starved, 0.5) && is(record.alive, 1));
	assert_true(isnan(record.free));
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(means_are_over_exactly_the_interval),
		TEST(free_stretches_have_no_target),
		TEST(free_workloads_are_left_out),
		TEST(what_is_unknown_is_no_number),
		TEST(loads_are_held_to_their_range),
		TEST(workloads_that_have_ended_do_not_count),
		TEST(an_edge_after_the_reading_is_none_of_it),
		TEST(time_at_the_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
