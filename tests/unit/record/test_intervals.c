/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "base/units.h"
#include "record/intervals.h"

#define ORIGIN (100 * NS_PER_S)

/* Half load, free in the fifth second. */
static double half(void *state, int64_t since_ns)
{
	(void)state;
	return since_ns >= 4 * NS_PER_S && since_ns < 5 * NS_PER_S ? NAN : 0.5;
}

static bool sample(const void *state, const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *out)
{
	(void)state;
	out->work = (double)(now->counter[0] - before->counter[0]) / 1000;
	out->capacity = (double)(now->when_ns - before->when_ns) / 1e9 * now->processors;
	return true;
}

static const struct sst_trace trace = {SST_BASE(trace, SST_TRACE, .name = "fake"), .target = half};
static const struct sst_feedback feedback = {SST_BASE(feedback, SST_FEEDBACK, .name = "fake"), .sample = sample};

static struct config config;
static struct run run;
static struct intervals intervals;

/* The world: a clock in ms since the origin, and what its owner was told. */
static int64_t now_ms, late_ms;
static uint64_t work_ms;
static bool fails, moves;
static int readings;
static struct record row, last;
static int rows, samples, counted;
static int64_t rows_ns, samples_ns, row_end_ns; /* their lengths together, and where the last row ended */
static double row_work_s;                       /* what all rows say was done */
static bool rows_follow;                        /* each one begins where the one before ended */

static bool read_source(void *context, struct sst_reading *reading)
{
	assert_ptr_equal(context, &run);
	readings++;
	*reading =
		(struct sst_reading){.when_ns = ORIGIN + (now_ms + late_ms) * NS_PER_MS, .processors = 2, .counter = {work_ms}};
	return !fails;
}

static void take_row(void *context, struct record *record)
{
	assert_ptr_equal(context, &run);
	row = *record;
	rows++;
	rows_ns += record->length_ns;
	row_work_s += record->machine.work;
	rows_follow &= !row_end_ns || record->end_ns - record->length_ns == row_end_ns;
	row_end_ns = record->end_ns;
}

static bool take_sample(void *context, const struct record *record, bool counts)
{
	assert_ptr_equal(context, &run);
	last = *record;
	samples++;
	samples_ns += record->length_ns;
	counted += counts;
	return moves;
}

static int enter(void **state)
{
	(void)state;
	const size_t none[KINDS] = {0};
	size_t offset[KINDS];
	const size_t size = shared_layout(1, none, offset);
	config = (struct config){.workloads = 1, .controlled = 1};
	run = (struct run){.config = &config};
	run.shared = aligned_alloc(128, (size + 127) / 128 * 128);
	assert_non_null(run.shared);
	memset(run.shared, 0, size);
	shared_init(run.shared, 1, size, offset);
	atomic_store(&run.shared->origin_ns, ORIGIN);
	run.module[SST_TRACE].trace = &trace;
	run.module[SST_FEEDBACK].feedback = &feedback;
	intervals = (struct intervals){.owner = {read_source, take_row, take_sample, &run}};
	now_ms = late_ms = 0;
	work_ms = 0;
	fails = moves = false;
	readings = rows = samples = counted = 0;
	rows_ns = samples_ns = row_end_ns = 0;
	row_work_s = 0;
	rows_follow = true;
	return intervals_init(&intervals, &run, 300 * NS_PER_MS, false);
}

static int leave(void **state)
{
	(void)state;
	intervals_free(&intervals);
	free(run.shared);
	return 0;
}

static int64_t ms(int64_t moment_ns)
{
	return (moment_ns - ORIGIN) / NS_PER_MS;
}

static void start(int64_t at_ms)
{
	struct sst_reading reading;
	now_ms = at_ms;
	assert_true(read_source(&run, &reading));
	intervals_start(&intervals, &reading);
	readings = 0;
}

static void take(int64_t at_ms, enum intervals_until until)
{
	now_ms = at_ms;
	intervals_take(&intervals, ORIGIN + at_ms * NS_PER_MS, until);
}

/* Takes each one when it is due, until then. */
static void take_to(int64_t end_ms)
{
	while (ms(intervals_next(&intervals)) <= end_ms)
		take(ms(intervals_next(&intervals)), INTERVALS_GO_ON);
}

static void they_end_on_a_grid_that_begins_with_control(void **state)
{
	(void)state;
	static const struct {
		int64_t start_ms, row_ms, sample_ms; /* row and sample that begin there end so */
	} cases[] = {
		{-1250, -950, -750},
		{-310, -10, 0},
		{-250, 0, 0},
		{-2, 0, 0},
		{-1, 300, 500}, /* so close to the origin that it would be no row */
		{0, 300, 500},
		{17, 300, 500},
		{224, 300, 500}, /* a late reading shortens the next one … */
		{226, 600, 500}, /* … down to a quarter */
		{371, 600, 500},
		{374, 600, 500},
		{376, 600, 1000},
		{1374, 1500, 1500},
		{1426, 1800, 2000},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		start(cases[i].start_ms);
		assert_int_equal(ms(intervals.logged.recorder.next_ns), cases[i].row_ms);
		assert_int_equal(ms(intervals.sampled.recorder.next_ns), cases[i].sample_ms);
		assert_int_equal(intervals_read(&intervals), ORIGIN + cases[i].start_ms * NS_PER_MS);
	}
}

static void those_that_end_together_share_a_reading(void **state)
{
	(void)state;
	start(0);
	take(299, INTERVALS_GO_ON);
	assert_int_equal(readings, 0);
	take_to(1500);
	assert_int_equal(rows, 5);
	assert_int_equal(samples, 3);
	assert_int_equal(readings, 5 + 3 - 1);
	assert_int_equal(counted, 3);
	assert_int_equal(intervals.sums.accuracy.samples, 3);
}

/* What is half over in the end counts; what is half over before a pause is a row, but no sample. */
static void the_last_ones_are_shorter(void **state)
{
	(void)state;
	static const struct {
		int64_t at_ms;
		enum intervals_until until;
		int rows, samples;
	} cases[] = {
		{149, INTERVALS_END, 0, 0},
		{150, INTERVALS_END, 1, 0},
		{250, INTERVALS_END, 1, 1},
		{250, INTERVALS_PAUSE, 1, 0},
		{19, INTERVALS_PAUSE, 0, 0},
		{20, INTERVALS_PAUSE, 1, 0},
		{499, INTERVALS_PAUSE, 1, 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		rows = samples = 0;
		start(0);
		take(cases[i].at_ms, cases[i].until);
		assert_int_equal(rows, cases[i].rows);
		assert_int_equal(samples, cases[i].samples);
		if (rows)
			assert_int_equal(row.length_ns, cases[i].at_ms * NS_PER_MS);
	}
	/* A sample of exactly half an interval is none. */
	assert_int_equal(counted, 0);
}

static void what_cannot_be_read_grows(void **state)
{
	(void)state;
	start(0);
	fails = true;
	take_to(1100);
	assert_int_equal(rows + samples, 0);
	assert_int_equal(ms(intervals.logged.recorder.next_ns), 1200);
	fails = false;
	take_to(1500);
	assert_int_equal(samples, 1);
	assert_int_equal(last.length_ns, 1500 * NS_PER_MS);
	/* One sample of the three that there would have been, and nothing more is known. */
	assert_true(fabs(intervals_coverage(&intervals, ORIGIN + 1500 * NS_PER_MS) - 1.0 / 3) < 1e-9);
	assert_int_equal(ms(intervals_read(&intervals)), 1500);
	/* Behind the last reading nothing is known either, if that is more than an interval. */
	assert_true(fabs(intervals_coverage(&intervals, ORIGIN + 2000 * NS_PER_MS) - 1.0 / 3) < 1e-9);
	assert_true(fabs(intervals_coverage(&intervals, ORIGIN + 3500 * NS_PER_MS) - 0.5 / 3.5) < 1e-9);
}

static void nothing_is_covered_of_nothing(void **state)
{
	(void)state;
	start(-1000);
	take_to(0);
	assert_int_equal(samples, 2);
	assert_int_equal(counted, 0);
	assert_true(intervals_coverage(&intervals, ORIGIN + 400 * NS_PER_MS) == 1);
}

static void free_stretches_do_not_count(void **state)
{
	(void)state;
	start(0);
	take_to(6000);
	assert_int_equal(samples, 12);
	assert_int_equal(counted, 10);
	assert_true(intervals_coverage(&intervals, ORIGIN + 6000 * NS_PER_MS) == 1);
}

/* A standstill is noticed late: what was sampled since all were heard of is taken back, and it is no sample where it reaches into. */
static void a_standstill_is_taken_back(void **state)
{
	(void)state;
	start(0);
	take_to(1000);
	intervals_hear(&intervals, false, true, ORIGIN + 1100 * NS_PER_MS);
	take_to(2000);
	intervals_hear(&intervals, false, false, ORIGIN + 2100 * NS_PER_MS);
	assert_int_equal(intervals.sums.accuracy.samples, 4);
	intervals_hear(&intervals, true, false, ORIGIN + 2100 * NS_PER_MS);
	assert_int_equal(intervals.sums.accuracy.samples, 2);
	assert_int_equal(intervals.sums.sampled_ns, NS_PER_S);
	intervals_hear(&intervals, true, false, ORIGIN + 2300 * NS_PER_MS);
	take_to(2700);
	assert_true(isnan(row.target));
	intervals_hear(&intervals, false, true, ORIGIN + 2750 * NS_PER_MS);
	take_to(3300);
	assert_int_equal(ms(row.end_ns), 3300);
	assert_true(row.target == 0.5);
	assert_int_equal(intervals.sums.accuracy.samples, 2);
	take_to(3500);
	assert_int_equal(intervals.sums.accuracy.samples, 3);
	assert_true(fabs(intervals_coverage(&intervals, ORIGIN + 3500 * NS_PER_MS) - 1.5 / 3.5) < 1e-9);
}

/* Who comes late by a second stood still, and with him all that was to be held: no target, no sample, no time under control. */
static void a_pause_of_all_is_no_sample(void **state)
{
	(void)state;
	start(0);
	take_to(1000);
	assert_int_equal(counted, 2);
	take(1499 + 1000, INTERVALS_GO_ON);
	assert_true(isnan(row.target));
	assert_int_equal(ms(row.end_ns), 2499);
	assert_int_equal(counted, 2);
	take_to(3600);
	assert_true(row.target == 0.5);
	assert_int_equal(counted, 4);
	assert_true(intervals_coverage(&intervals, ORIGIN + 3500 * NS_PER_MS) == 1);
}

/* Counters of other processors are compared with none of those before. */
static void a_move_begins_anew(void **state)
{
	(void)state;
	start(0);
	moves = true;
	late_ms = 3;
	take(500, INTERVALS_GO_ON);
	assert_int_equal(readings, 3);
	assert_int_equal(intervals.sampled.recorder.start_ns, ORIGIN + 503 * NS_PER_MS);
	assert_int_equal(ms(intervals.sampled.recorder.next_ns), 1000);
	moves = false;
	take(600, INTERVALS_GO_ON);
	assert_int_equal(readings, 4);
}

static void others_are_what_is_not_of_the_run(void **state)
{
	(void)state;
	intervals.usage_s = 7;
	intervals.free_s = 2;
	start(0);
	work_ms = 400;
	intervals.usage_s = 7.25;
	intervals.free_s = 2.1;
	take(500, INTERVALS_GO_ON);
	assert_true(fabs(last.others - 0.15) < 1e-9 && fabs(last.free - 0.1) < 1e-9);
	assert_true(fabs(beside_mean(&intervals.sums.others) - 0.15) < 1e-9);
	/* A simulator knows them, whatever the counters say. */
	intervals.others_s = 3;
	start(1000);
	intervals.others_s = 3.5;
	take(1500, INTERVALS_GO_ON);
	assert_true(fabs(last.others - 0.5) < 1e-9 && fabs(row.others - 0.5) < 1e-9);
}

/* It is taken out of the others, and is of what the source measures, or of the processors that the owner says. */
static void what_is_watched_is_none_of_the_others(void **state)
{
	(void)state;
	intervals.watches = 2;
	intervals.usage_s = 7;
	intervals.watched_s[0] = 3;
	intervals.watched_s[1] = 100;
	start(0);
	work_ms = 400;
	intervals.usage_s = 7.25;
	intervals.watched_s[0] = 3.1;
	take_to(300);
	assert_true(fabs(row.watched[0] - 0.1 / 0.6) < 1e-9 && row.watched[1] == 0);
	take(500, INTERVALS_GO_ON);
	assert_true(fabs(last.watched[0] - 0.1) < 1e-9 && last.watched[1] == 0 && fabs(last.watched_all - 0.1) < 1e-9);
	assert_true(fabs(last.others - 0.05) < 1e-9);
	assert_true(fabs(beside_mean(&intervals.sums.watched[0]) - 0.1) < 1e-9);
	/* What the run used isn't known, or only a part is measured: what is watched is known all the same. */
	intervals.usage_s = NAN;
	intervals.processors = 4;
	start(1000);
	intervals.watched_s[1] = 101;
	take(1500, INTERVALS_GO_ON);
	assert_true(isnan(last.others));
	assert_true(last.watched[0] == 0 && fabs(last.watched[1] - 0.5) < 1e-9);
	assert_true(fabs(beside_most(&intervals.sums.watched[1]) - 0.5) < 1e-9);
}

/*
 * Wake-ups late by any time, readings that take a while or fail, pauses: rows and samples follow one another without a hole, are together as long as
 * the run without its pauses, and nothing that was done is in none of them or in two.
 */
static void all_of_the_time_is_in_one_row(void **state)
{
	for (uint64_t seed = 1; seed <= 500; seed++) {
		uint64_t random = seed;
		int64_t ran_ms = 0, begun_ms = (int64_t)(splitmix_next(&random) % 3000) - 1500;
		uint64_t counted_ms = 0;
		leave(state);
		assert_int_equal(enter(state), 0);
		start(begun_ms);
		for (int i = 0; i < 60; i++) {
			const uint64_t bits = splitmix_next(&random);
			const int64_t before_ms = now_ms;
			const int64_t due_ms = ms(intervals_next(&intervals));
			const bool pauses = bits % 13 == 0;
			/* It may wake up early, for another reason, or late. */
			const int64_t at_ms = (due_ms > before_ms ? due_ms : before_ms) + (int64_t)((bits >> 8) % 90) - 30;
			late_ms = 0;
			work_ms += (bits >> 16) % 400;
			fails = bits % 7 == 0;
			take(at_ms > before_ms ? at_ms : before_ms + 1, pauses ? INTERVALS_PAUSE : INTERVALS_GO_ON);
			if (!pauses && i < 59)
				continue;
			/* What is in no row since the last one that could be read. */
			fails = false;
			work_ms += 17;
			take(now_ms + 400, INTERVALS_END);
			ran_ms += now_ms - begun_ms;
			counted_ms += work_ms;
			if (rows_ns != ran_ms * NS_PER_MS || !rows_follow || fabs(row_work_s - (double)counted_ms / 1000) > 1e-9)
				fail_msg("seed %d: rows of %d ms and %.3f s of work, expected %d ms and %.3f s%s", (int)seed,
					(int)(rows_ns / NS_PER_MS), row_work_s, (int)ran_ms, (double)counted_ms / 1000,
					rows_follow ? "" : ", and a hole between them");
			assert_int_equal(samples_ns, rows_ns);
			/* Whatever is done in the pause is in none. */
			work_ms = 0;
			row_end_ns = 0;
			begun_ms = now_ms + (int64_t)((bits >> 32) % 5000);
			atomic_fetch_add(&run.shared->origin_ns, (begun_ms - now_ms) * NS_PER_MS);
			start(begun_ms);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(they_end_on_a_grid_that_begins_with_control),
		TEST(those_that_end_together_share_a_reading),
		TEST(the_last_ones_are_shorter),
		TEST(what_cannot_be_read_grows),
		TEST(nothing_is_covered_of_nothing),
		TEST(free_stretches_do_not_count),
		TEST(a_standstill_is_taken_back),
		TEST(a_pause_of_all_is_no_sample),
		TEST(a_move_begins_anew),
		TEST(all_of_the_time_is_in_one_row),
		TEST(others_are_what_is_not_of_the_run),
		TEST(what_is_watched_is_none_of_the_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
