/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loop_test.h"

static void an_edge_goes_through_all_modules(NO_STATE)
{
	trace.target_at_s[0] = 0.2;
	trace.target_at_s[1] = 0.1;
	controller.out = (struct sst_control_output){.published = 1.7, .duty = 0.4};
	space.answer = 0.8;
	dithering.out = (struct sst_dithering_output){.run = true, .until_ns = 12345};
	step_at(0, 0);
	step_at(1000, 0.5); /* 0.5 of 2 CPU-seconds */
	assert_int_equal(controller.steps, 2);
	assert_int_equal(controller.in.now_ns, ORIGIN + NS_PER_S);
	assert_true(is(controller.in.target, 0.3));
	assert_true(is(controller.in.load, 0.25));
	assert_true(is(controller.in.ceiling, 1));
	assert_true(is(controller.in.since.work, 0.5) && is(controller.in.since.capacity, 2));
	assert_true(is(controller.in.total.work, 0.5) && is(controller.in.total.capacity, 2));
	assert_true(is(controller.in.processors, 2));
	assert_int_equal(controller.in.rank, 3);
	assert_int_equal(controller.in.live, 5);
	/* Asked for on the way from 0.2 to 0.3: a mean of 0.25 over 2 CPU-seconds, all of which was worked. */
	assert_true(is(controller.in.owed, 0));
	assert_true(is(space.duty, 0.4));
	assert_int_equal(space.rank, 3);
	assert_int_equal(space.live, 5);
	assert_true(is(dithering.in.duty, 0.8));
	assert_int_equal(dithering.in.now_ns, ORIGIN + NS_PER_S);
	assert_int_equal(dithering.in.due_ns, ORIGIN + NS_PER_S - 7);
	assert_int_equal(dithering.in.origin_ns, ORIGIN);
	assert_int_equal(dithering.in.rank, 3);
	assert_int_equal(dithering.in.live, 5);
	assert_true(dithering.in.running); /* as it was answered at the edge before */
	assert_true(answer.run && !answer.free);
	assert_int_equal(answer.until_ns, 12345);
	assert_true(is(answer.target, 0.3) && is(answer.load, 0.25) && is(answer.global, 0.4) && is(answer.local, 0.8));
	/* The raw output is for the peers. */
	assert_true(atomic_load(&shared->slot[3].has_published));
	assert_true(is(atomic_load(&shared->slot[3].published), 1.7));
	dithering.out.run = false;
	step_at(1001, 0.5);
	assert_true(dithering.in.running);
	assert_false(answer.run);
	assert_true(is(controller.in.duty, 0.4)); /* what the last step answered */
	step_at(1002, 0.5);
	assert_false(dithering.in.running);
}

/*
 * Columns that can't be true any more have made the load look like anything for a moment. The duty cycle goes back to what it usually was, until
 * the load is known again; a run that goes on without feedback has the target as duty cycle.
 */
static void without_a_load_the_duty_cycle_stays(NO_STATE)
{
	trace.target_at_s[0] = 0.7;
	controller.out.duty = 0.4;
	for (int i = 0; i <= 100; i++)
		step_at(100 * i, 0.1 * i);
	controller.out.duty = 0;
	step_at(10100, 10.3);
	const int steps = controller.steps;
	source.is_lost = true;
	for (int i = 102; i <= 150; i++) {
		step_at(100 * i, 10.3);
		assert_true(fabs(space.duty - 0.4) < 0.03);
	}
	assert_int_equal(controller.steps, steps);
	atomic_store(&shared->blind, true);
	step_at(15100, 10.3);
	assert_true(is(space.duty, 0.7));
	atomic_store(&shared->blind, false);
	source.is_lost = false;
	controller.out.duty = 0.3;
	step_at(15200, 10.4);
	assert_int_equal(controller.steps, steps + 1);
	assert_true(is(space.duty, 0.3));
}

/*
 * The machine stood still for ten seconds, and so did its counters; or they went on (a pause of a guest). Neither is a sample. An edge that
 * is late while others have looked is just late.
 */
static void a_standstill_is_no_sample(NO_STATE)
{
	trace.target_at_s[0] = trace.target_at_s[1] = 0.5;
	step_at(0, 0);
	step_at(100, 0.1);
	const double worked = controller.in.total.work;
	source.now_ns = ORIGIN + 10 * NS_PER_S;
	source.work_s = 0.1;
	loop_step(&loop, source.now_ns, ORIGIN + 200 * NS_PER_MS, ORIGIN, &answer);
	assert_true(is(controller.in.total.work, worked));
	assert_true(is(controller.in.total.capacity, 0.2));
	assert_true(is(controller.in.since.capacity, 0));
	assert_true(is(controller.in.load, 0.5));
	step_at(10100, 0.2);
	assert_true(is(controller.in.since.work, 0.1) && is(controller.in.since.capacity, 0.2));
	/* Late by two seconds, but the last reading is half a second old. */
	step_at(11600, 1);
	source.now_ns = ORIGIN + 12100 * NS_PER_MS;
	source.work_s = 1.25;
	loop_step(&loop, source.now_ns, ORIGIN + 10100 * NS_PER_MS, ORIGIN, &answer);
	assert_true(is(controller.in.since.work, 0.25) && is(controller.in.since.capacity, 1));
}

static void without_a_sample_the_target_stands_for_the_load(NO_STATE)
{
	trace.target_at_s[0] = 0.7;
	space.answer = 0.6;
	controller.out.duty = 0.9;
	step_at(0, 0);
	assert_int_equal(controller.steps, 1);
	assert_true(is(controller.in.load, 0.7)); /* no error */
	assert_true(is(controller.in.since.capacity, 0));
	assert_true(is(controller.in.processors, 2));
	assert_true(isnan(answer.load));
	assert_true(is(answer.global, 0.9) && is(answer.local, 0.6));
	assert_int_equal(dithering.asked, 1);
	assert_false(dithering.in.running);
	step_at(79, 0); /* no sample is due yet */
	assert_true(is(controller.in.load, 0.7));
	step_at(80, 0);
	assert_true(is(controller.in.load, 0));
}

/* All begin at the same moment. Those that come while the first one takes the very first reading know nothing, not even the processors. */
static void before_the_first_reading_the_loop_is_open(NO_STATE)
{
	trace.target_at_s[0] = 0.7;
	space.answer = 0.6;
	const uint64_t claim = lease_take(&shared->sampler, 1, ORIGIN, LEASE_LIMIT_NS);
	step_at(0, 0);
	assert_int_equal(source.reads, 0);
	assert_int_equal(controller.steps, 0);
	assert_false(atomic_load(&shared->slot[3].has_published));
	assert_true(is(space.duty, 0.7));
	assert_true(is(answer.global, 0.7) && is(answer.local, 0.6));
	assert_true(isnan(answer.load));
	lease_give(&shared->sampler, claim);
	step_at(1, 0);
	assert_int_equal(source.reads, 1);
	assert_int_equal(controller.steps, 1);
	assert_true(is(controller.in.processors, 2));
}

static void a_dear_reading_comes_after_the_signals(NO_STATE)
{
	step_at(0, 0);
	assert_int_equal(source.reads, 1);
	atomic_store(&shared->reading_ns, 10 * NS_PER_MS);
	step_at(2000, 0.5);
	assert_int_equal(source.reads, 1);
	assert_true(is(controller.in.total.work, 0));
	answer.until_ns = ORIGIN + 2100 * NS_PER_MS;
	loop_settle(&loop, ORIGIN + 2000 * NS_PER_MS, &answer);
	assert_int_equal(source.reads, 2);
	step_at(2050, 0.6);
	assert_int_equal(source.reads, 2);
	assert_true(is(controller.in.total.work, 0.5));
}

static void time_counts_since_this_executor_s_last_step(NO_STATE)
{
	step_at(0, 0);
	step_at(100, 0.1);
	assert_true(is(controller.in.since.capacity, 0.2));
	step_at(110, 0.1); /* an edge, but no newer sample: that one must not count twice */
	assert_true(is(controller.in.since.capacity, 0));
	assert_true(is(controller.in.since.work, 0));
	assert_true(is(controller.in.total.capacity, 0.2));
	/* Somebody else took two samples in between: their sum counts, once. */
	for (int64_t ms = 200; ms <= 300; ms += 100) {
		struct estimate_record record;
		struct estimator other = loop.estimator;
		other.owner = 1;
		source.now_ns = ORIGIN + ms * NS_PER_MS;
		source.work_s = 0.1 + (double)(ms - 100) / 1000;
		assert_int_equal(estimate_get(&other, source.now_ns, &record), 0);
	}
	step_at(310, 0.3);
	assert_true(is(controller.in.since.capacity, 0.4));
	assert_true(is(controller.in.since.work, 0.2));
	assert_true(is(controller.in.total.capacity, 0.6));
	assert_int_equal(source.reads, 4);
}

/*
 * The first reading is as old as the warm-up is long. Whoever begins while another takes the next one steps with the old one, and what was
 * worked in the warm-up is none of its errors afterwards.
 */
static void the_warm_up_is_nobody_s_error(NO_STATE)
{
	struct estimate_record record;
	struct estimator other = loop.estimator;
	other.owner = 1;
	source.now_ns = ORIGIN - 8 * NS_PER_S;
	assert_int_equal(estimate_get(&other, source.now_ns, &record), 0);
	const uint64_t claim = lease_take(&shared->sampler, 1, ORIGIN, LEASE_LIMIT_NS);
	step_at(0, 16);
	assert_int_equal(controller.steps, 1);
	lease_give(&shared->sampler, claim);
	assert_int_equal(estimate_get(&other, source.now_ns, &record), 0);
	step_at(50, 16);
	assert_int_equal(source.reads, 2);
	assert_true(is(controller.in.load, 1));
	assert_true(is(controller.in.since.capacity, 0) && is(controller.in.since.work, 0));
	step_at(100, 16.1);
	assert_true(is(controller.in.since.capacity, 0.2) && is(controller.in.since.work, 0.1));
	assert_true(is(controller.in.total.capacity, 0.2) && is(controller.in.owed, 0));
}

static void before_the_origin_the_trace_stands_at_its_beginning(NO_STATE)
{
	trace.target_at_s[1] = 1;
	step_at(-500, 0);
	assert_int_equal(trace.asked_ns, 0);
	assert_true(is(answer.target, 0.5));
}

static void targets_and_duty_cycles_are_held_to_their_range(NO_STATE)
{
	static const struct {
		double given, held;
	} known[] = {{1.5, 1}, {-0.5, 0}, {NAN, 0}, {INFINITY, 1}, {-INFINITY, 0}, {0.25, 0.25}, {1, 1}, {0, 0}};
	step_at(0, 0);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		controller.out.duty = known[i].given;
		space.answer = known[i].given;
		trace.target_at_s[0] = isnan(known[i].given) ? 0 : known[i].given; /* NaN means free */
		step_at(100 + 100 * (int64_t)i, 0);
		assert_true(is(controller.in.target, known[i].held));
		assert_true(is(space.duty, known[i].held));
		assert_true(is(dithering.in.duty, known[i].held));
		assert_true(
			is(answer.target, known[i].held) && is(answer.global, known[i].held) && is(answer.local, known[i].held));
	}
	/* What was no number is noted. */
	assert_int_equal(atomic_load(&shared->not_a_number), 1U << SST_CONTROL | 1U << SST_SPACE);
	/* More work than there was, by the counters' noise. */
	step_at(2000, 99);
	assert_true(is(controller.in.load, 1));
}

static void a_free_stretch_suspends_control(NO_STATE)
{
	trace.free_from_s = 0.5;
	trace.free_to_s = 1;
	step_at(0, 0);
	step_at(100, 0.1);
	assert_int_equal(controller.resumes, 1); /* control begins */
	step_at(400, 0.3);
	assert_int_equal(controller.resumes, 1);
	assert_int_equal(controller.steps, 3);
	const int asked = dithering.asked;
	step_at(500, 0.35);
	assert_true(answer.run && answer.free);
	assert_int_equal(answer.until_ns, ORIGIN + 500 * NS_PER_MS + LOOP_FREE_CHECK_NS);
	assert_true(isnan(answer.target));
	assert_true(is(answer.global, 1) && is(answer.local, 1));
	/* Peers that come back sooner are told nothing of before. */
	assert_false(atomic_load(&shared->slot[3].has_published));
	step_at(900, 1.3);
	assert_int_equal(controller.steps, 3);
	assert_int_equal(dithering.asked, asked);
	assert_int_equal(source.reads, 5); /* the load is watched all the same */
	step_at(1000, 1.5);
	assert_int_equal(controller.resumes, 2);
	assert_int_equal(controller.steps, 4);
	/* Control knows nothing of the time in between … */
	assert_true(is(controller.in.since.capacity, 0));
	/* … and the first edge after it is nobody's late edge. */
	assert_int_equal(dithering.in.due_ns, dithering.in.now_ns);
	assert_true(dithering.in.running);
	step_at(1100, 1.56);
	assert_true(is(controller.in.since.capacity, 0.2));
	assert_int_equal(dithering.in.due_ns, dithering.in.now_ns - 7);
	/* Owed: 0.5 × 1 − 0.35 up to 500 ms, nothing while it was free, and then 0.5 × 0.2 − 0.06. */
	assert_true(is(controller.in.owed, 0.19));
}

/* What all begin anew nobody joins. */
static void one_that_was_away_joins_the_others(NO_STATE)
{
	loop_was_away(&loop);
	step_at(0, 0);
	assert_false(controller.in.joins);
	step_at(100, 0.1);
	loop_was_away(&loop);
	loop_was_away(&loop);
	step_at(400, 0.3);
	assert_int_equal(controller.resumes, 2);
	assert_true(controller.in.joins);
	assert_true(is(controller.in.since.capacity, 0));
	step_at(500, 0.4);
	assert_false(controller.in.joins);
	loop_was_away(&loop);
	trace.free_from_s = 0.55;
	trace.free_to_s = 0.65;
	step_at(600, 0.5);
	step_at(700, 0.5);
	assert_int_equal(controller.resumes, 3);
	assert_false(controller.in.joins);
}

static void owed_work_leaves_the_time_before_control_out(NO_STATE)
{
	step_at(-200, 0);
	step_at(-50, 0.3);
	step_at(100, 0.3); /* half of it before the origin */
	assert_true(is(controller.in.owed, 0));
	step_at(200, 0.35);
	assert_true(is(controller.in.owed, 0.5 * 0.2 - 0.05));
}

static void optional_hooks_may_be_missing(NO_STATE)
{
	modules[SST_CONTROL] = (struct module){.control = &bare_control_module};
	start(1);
	step_at(0, 0);
	step_at(100, 0);
	assert_int_equal(controller.steps, 2);
	assert_int_equal(controller.in.peer_count, 0);
	assert_int_equal(controller.resumes, 0);
}

/* What edges take is smoothed, and one that took far longer than the others counts little. Dithering is told. */
static void the_time_of_edges_is_learnt(NO_STATE)
{
	step_at(0, 0);
	assert_int_equal(dithering.in.edge_ns, 0);
	loop_learn_edge(&loop, 800);
	step_at(1, 0);
	assert_int_equal(dithering.in.edge_ns, 800);
	loop_learn_edge(&loop, 1600);
	assert_int_equal(loop.edge_ns, 900);
	loop_learn_edge(&loop, NS_PER_S);
	assert_int_equal(loop.edge_ns, 900 + 3 * 900 / 8);
	for (int i = 0; i < 100; i++)
		loop_learn_edge(&loop, 100);
	assert_in_range(loop.edge_ns, 100, 107);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(an_edge_goes_through_all_modules),
		TEST(without_a_load_the_duty_cycle_stays),
		TEST(a_standstill_is_no_sample),
		TEST(without_a_sample_the_target_stands_for_the_load),
		TEST(before_the_first_reading_the_loop_is_open),
		TEST(a_dear_reading_comes_after_the_signals),
		TEST(time_counts_since_this_executor_s_last_step),
		TEST(the_warm_up_is_nobody_s_error),
		TEST(before_the_origin_the_trace_stands_at_its_beginning),
		TEST(targets_and_duty_cycles_are_held_to_their_range),
		TEST(a_free_stretch_suspends_control),
		TEST(one_that_was_away_joins_the_others),
		TEST(owed_work_leaves_the_time_before_control_out),
		TEST(optional_hooks_may_be_missing),
		TEST(the_time_of_edges_is_learnt),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
