/* SPDX-License-Identifier: MIT */
/* What of the loop is about one among several: its peers, its surplus, its slot and its limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loop_test.h"

static void expect_surplus(int64_t ms, double work_s, double surplus)
{
	step_at(ms, work_s);
	assert_true(is(controller.in.surplus, surplus));
}

/* What space gives a workload more or less than the duty cycle of all is nobody's debt. */
static void the_time_that_a_workload_had_is_counted(NO_STATE)
{
	trace.target_at_s[0] = 0.5;
	controller.out.duty = 0.5;
	space.answer = 0.5;
	dithering.out.run = true;
	expect_surplus(0, 0, 0);
	expect_surplus(100, 0.1, 0.1);
	dithering.out.run = false;
	expect_surplus(200, 0.2, 0.1);
	expect_surplus(300, 0.2, 0);
	dithering.out.run = true;
	space.answer = 1; /* the full one of uneven, at 0.5 of all */
	step_at(400, 0.2);
	expect_surplus(500, 0.3, 0.05);
	/* Ten seconds in which the machine stood still brought nobody anything. */
	source.now_ns = ORIGIN + 10 * NS_PER_S;
	loop_step(&loop, source.now_ns, ORIGIN + 600 * NS_PER_MS, ORIGIN, &answer);
	assert_true(is(controller.in.surplus, 0));
	expect_surplus(10100, 0.4, 0.05);
	/* Nor does a free stretch. */
	trace.free_from_s = 10.15;
	trace.free_to_s = 10.25;
	step_at(10200, 0.4);
	expect_surplus(10300, 0.4, 0);
}

static void everybody_publishes(void)
{
	for (unsigned i = 0; i < WORKLOADS; i++) {
		atomic_store(&shared->slot[i].published, (double)i);
		atomic_store(&shared->slot[i].has_published, true);
	}
}

static void peers_are_the_next_live_ones_of_the_ring(NO_STATE)
{
	/* Who goes, or comes late, before each step of the fourth of five; then min(kappa, live - 1) are asked. */
	static const struct {
		unsigned index;
		bool live;
		unsigned rank, all, peers;
		double peer[2];
	} known[] = {
		{3, true, 3, 5, 2, {4, 0}}, /* 4 and, round the corner, 0 */
		{4, false, 3, 4, 2, {0, 1}},
		{0, false, 2, 3, 2, {1, 2}},
		{1, false, 1, 2, 1, {2}},
		{2, false, 0, 1, 0, {0}},
		{1, true, 1, 2, 1, {1}},
	};
	everybody_publishes();
	step_at(0, 0);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		shared_set_live(shared, known[i].index, known[i].live);
		step_at(100 + (int64_t)i, 0);
		assert_int_equal(controller.in.rank, known[i].rank);
		assert_int_equal(controller.in.live, known[i].all);
		assert_int_equal(controller.in.peer_count, known[i].peers);
		for (unsigned peer = 0; peer < known[i].peers; peer++)
			assert_true(is(controller.peers[peer], known[i].peer[peer]));
	}
}

static void peers_that_have_published_nothing_are_left_out(NO_STATE)
{
	controller.kappa = 3; /* 4, 0, 1 */
	start(3);
	atomic_store(&shared->slot[0].published, 0.25);
	atomic_store(&shared->slot[0].has_published, true);
	step_at(0, 0);
	step_at(100, 0);
	assert_int_equal(controller.in.peer_count, 1);
	assert_true(is(controller.peers[0], 0.25));
}

static void there_are_never_more_peers_than_others(NO_STATE)
{
	controller.kappa = 1000;
	start(0);
	everybody_publishes();
	step_at(0, 0);
	step_at(100, 0);
	assert_int_equal(controller.in.peer_count, WORKLOADS - 1);
	for (unsigned i = 0; i < WORKLOADS - 1; i++)
		assert_true(is(controller.peers[i], i + 1));
}

static void one_that_is_not_marked_live_counts_itself(NO_STATE)
{
	for (unsigned i = 0; i < WORKLOADS; i++)
		shared_set_live(shared, i, i == 1);
	step_at(0, 0);
	assert_int_equal(space.live, 2);
	assert_int_equal(space.rank, 1);
}

static void answers_are_entered_into_the_slot(NO_STATE)
{
	static const struct {
		struct loop_answer answer;
		unsigned bound;
	} known[] = {
		{{.run = true, .free = true, .target = NAN, .load = 0.3, .global = 1, .local = 1}, 0},
		{{.run = true, .target = 0.5, .load = 0.3, .global = 1, .local = 1}, 1}, /* saturated */
		{{.run = true, .target = 0.5, .load = 0.6, .global = 1, .local = 1}, 3},
		{{.run = false, .target = 0.5, .load = 0.6, .global = 0, .local = 0}, 2}, /* starved */
		{{.run = false, .target = 0.5, .load = 0.3, .global = 0, .local = 0}, 3},
		{{.run = true, .target = 0.5, .load = 0.3, .global = 0.9, .local = 1}, 3}, /* one workload's 1 is not all */
		{{.run = true, .target = 0.5, .load = NAN, .global = 1, .local = 1}, 3},
	};
	struct slot_record record = {.since_ns = 1000, .alive = 1, .load = NAN};
	struct slot_record entered;
	int64_t now = 1000;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		now += 100;
		loop_publish(&loop, now, &known[i].answer, &record);
		latch_read(&shared->slot[3].record, &entered, LATCH_SIZE(struct slot_record));
		assert_memory_equal(&entered, &record, sizeof record);
		assert_int_equal(entered.at_bound, known[i].bound);
		assert_int_equal(entered.running, known[i].answer.run);
		assert_int_equal(entered.edges, i + 1);
		assert_int_equal(entered.since_ns, now);
		assert_true(is(entered.duty, known[i].answer.local));
	}
	slot_record_advance(&record, now + 100);
	/* Each answer held for 100: saturated once, starved once, under control in all but the free one. */
	assert_true(is(record.saturated_ns, 100) && is(record.starved_ns, 100));
	assert_true(is(record.control_ns, 600));
	assert_true(is(record.running_ns, 500));
	assert_true(is(record.loaded_ns, 600));
	assert_true(is(record.duty_ns, 500));
	assert_true(is(record.alive_ns, 800));
}

/* What stands still by itself isn't runnable, and can't make more or less. */
static void a_workload_that_stands_is_not_saturated(NO_STATE)
{
	static const struct loop_answer asked = {.run = true, .target = 0.5, .load = 0.3, .global = 1, .local = 1};
	struct slot_record record = {.since_ns = 1000, .alive = 1, .load = NAN};
	atomic_store(&shared->slot[3].stopped_by, 22);
	loop_publish(&loop, 1100, &asked, &record);
	assert_int_equal(record.at_bound, BOUND_NEITHER);
	assert_int_equal(record.running, 0);
}

/* Nobody was saturated or starved while the machine stood still, whatever was so when it fell asleep; and nobody was held. */
static void a_standstill_is_not_under_control(NO_STATE)
{
	static const struct loop_answer starved = {.run = false, .target = 0.5, .load = 0.6, .global = 0, .local = 0};
	struct slot_record record = {.since_ns = ORIGIN, .alive = 1, .load = NAN};
	trace.target_at_s[0] = trace.target_at_s[1] = 0.5;
	step_at(0, 0);
	loop_publish(&loop, source.now_ns, &starved, &record);
	step_at(100, 0.1);
	loop_publish(&loop, source.now_ns, &starved, &record);
	source.now_ns = ORIGIN + 10 * NS_PER_S;
	loop_step(&loop, source.now_ns, ORIGIN + 200 * NS_PER_MS, ORIGIN, &answer);
	loop_publish(&loop, source.now_ns, &starved, &record);
	step_at(10100, 0.2);
	loop_publish(&loop, source.now_ns, &starved, &record);
	assert_true(is(record.control_ns, 200e6) && is(record.starved_ns, 200e6));
	assert_true(is(record.alive_ns, 10100e6));
}

/* Its bandwidth is limited, by these options. */
static void limit_it(int64_t period_ns)
{
	static struct actuator_settings settings;
	settings = (struct actuator_settings){.period_ns = period_ns, .interval_ns = 50000000};
	modules[KIND_ACTUATOR] = (struct module){.base = &actuator_table[ACTUATOR_QUOTA], .state = &settings};
}

/* It is asked at regular moments, dithering never, and control knows of it. */
static void a_bandwidth_has_no_edges(NO_STATE)
{
	limit_it(20000000);
	controller.out.duty = space.answer = 0.25;
	loop.width = 1.5;
	step_at(0, 0);
	step_at(60, 0.1);
	assert_int_equal(dithering.in.now_ns, 0);
	assert_true(answer.run && !answer.free);
	assert_true(is(controller.in.limited.width, 1.5));
	assert_int_equal(controller.in.limited.lag_ns, 50000000);
	assert_int_equal(answer.limit.quota_ns, 7500000);
	assert_int_equal(answer.limit.period_ns, 20000000);
	/* On the common clock, each executor at its place: that of rank 3 of 6 at 25 ms. */
	assert_int_equal((answer.until_ns - ORIGIN) % 50000000, 50000000 * (int64_t)loop.rank / loop.live);
	assert_true(answer.until_ns > source.now_ns && answer.until_ns <= source.now_ns + 50000000);
	/* The time that a workload had is what it was given. */
	expect_surplus(100, 0.1, 0.25 * 0.04);
	/* More threads than processors don't make it wider, nor does not knowing. */
	loop.width = 1000;
	step_at(150, 0.1);
	assert_true(is(controller.in.limited.width, controller.in.processors));
	assert_int_equal(answer.limit.quota_ns, (int64_t)(0.25 * controller.in.processors * 20000000));
	loop.width = 0;
	step_at(200, 0.1);
	assert_true(is(controller.in.limited.width, controller.in.processors));
	assert_int_equal(answer.limit.quota_ns, (int64_t)(0.25 * controller.in.processors * 20000000));
	/* While the trace leaves it free there is no limit. */
	trace.free_from_s = 0;
	trace.free_to_s = 100;
	step_at(250, 0.1);
	assert_true(answer.free && answer.limit.quota_ns == 0);
}

static void expect_limit(int64_t now_ms, double duty, int64_t quota_us)
{
	space.answer = duty;
	step_at(now_ms, 0.1);
	assert_int_equal(answer.limit.quota_ns, quota_us * 1000);
}

/* Each change hands out a whole quota: not more often than it is meant to be had, but where far more is wanted, or no limit. */
static void a_bandwidth_stays_for_its_period(NO_STATE)
{
	limit_it(200000000);
	loop.width = 1;
	controller.out.duty = 0.25;
	expect_limit(0, 0.25, 50000);
	expect_limit(60, 0.3, 50000);
	assert_int_equal(controller.in.limited.lag_ns, 200000000);
	/* What is in force is what a workload is given. */
	assert_true(is(loop.runs, 0.25) && is(loop.local, 0.3));
	expect_limit(110, 0.1, 50000);
	expect_limit(160, 0.5, 100000);
	expect_limit(250, 0.1, 100000);
	expect_limit(360, 0.1, 20000);
	expect_limit(400, 1, 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, enter, leave)
	const struct CMUnitTest tests[] = {
		TEST(a_standstill_is_not_under_control),
		TEST(the_time_that_a_workload_had_is_counted),
		TEST(peers_are_the_next_live_ones_of_the_ring),
		TEST(peers_that_have_published_nothing_are_left_out),
		TEST(there_are_never_more_peers_than_others),
		TEST(one_that_is_not_marked_live_counts_itself),
		TEST(a_bandwidth_has_no_edges),
		TEST(a_bandwidth_stays_for_its_period),
		TEST(answers_are_entered_into_the_slot),
		TEST(a_workload_that_stands_is_not_saturated),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
