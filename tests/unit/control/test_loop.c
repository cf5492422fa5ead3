/* SPDX-License-Identifier: MIT */
#include <errno.h>
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
#include "control/loop.h"

#define WORKLOADS 5
#define ORIGIN (100 * NS_PER_S)

/* ---- Modules that do what the test says and remember what they were asked --------------------------------------------- */

static struct {
	double free_from_s, free_to_s, target_at_s[2]; /* the target is a + b·s, free between two moments */
	int64_t asked_ns;
} trace;

static double fake_target(void *state, int64_t since_ns)
{
	(void)state;
	const double s = (double)since_ns / 1e9;
	trace.asked_ns = since_ns;
	return s >= trace.free_from_s && s < trace.free_to_s ? NAN : trace.target_at_s[0] + trace.target_at_s[1] * s;
}

static struct {
	int64_t now_ns;
	double work_s; /* so far */
	int reads;
} source;

static int fake_read(void *state, const struct sst_env *env, struct sst_reading *now)
{
	(void)state;
	assert_non_null(env);
	source.reads++;
	*now = (struct sst_reading){
		.when_ns = source.now_ns, .processors = 2, .counter = {(uint64_t)(source.work_s * 1e9 + 0.5)}};
	return 0;
}

static bool fake_sample(
	const void *state, const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	(void)state;
	sample->work = (double)(now->counter[0] - before->counter[0]) / 1e9;
	sample->capacity = (double)(now->when_ns - before->when_ns) / 1e9 * 2;
	return true;
}

static double fake_estimate(const void *state, double load, const struct sst_sample *sample)
{
	(void)state;
	(void)load;
	return sample->work / sample->capacity;
}

static int64_t fake_interval(const void *state, double processors)
{
	(void)state;
	(void)processors;
	return 80 * NS_PER_MS;
}

static struct {
	struct sst_control_input in;
	double peers[WORKLOADS];
	struct sst_control_output out;
	int steps, resumes;
	unsigned kappa;
} controller;

static void fake_step(void *state, const struct sst_control_input *in, struct sst_control_output *out)
{
	(void)state;
	controller.steps++;
	controller.in = *in;
	assert_true(in->peer_count < WORKLOADS);
	memcpy(controller.peers, in->peers, in->peer_count * sizeof *in->peers);
	*out = controller.out;
}

static unsigned fake_peers(const void *state)
{
	(void)state;
	return controller.kappa;
}

static void fake_resume(void *state)
{
	(void)state;
	controller.resumes++;
}

static struct {
	double duty, answer;
	unsigned rank, live;
} space;

static double fake_local(const void *state, double duty, unsigned rank, unsigned live)
{
	(void)state;
	space.duty = duty;
	space.rank = rank;
	space.live = live;
	return space.answer;
}

static struct {
	struct sst_dithering_input in;
	struct sst_dithering_output out;
	int asked;
} dithering;

static void fake_next(void *state, const struct sst_dithering_input *in, struct sst_dithering_output *out)
{
	(void)state;
	dithering.asked++;
	dithering.in = *in;
	*out = dithering.out;
}

static const struct sst_trace trace_module = {SST_BASE(trace, SST_TRACE, .name = "fake"), .target = fake_target};
static const struct sst_feedback feedback_module = {SST_BASE(feedback, SST_FEEDBACK, .name = "fake"), .read = fake_read,
	.sample = fake_sample, .estimate = fake_estimate, .interval = fake_interval};
static const struct sst_control control_module = {
	SST_BASE(control, SST_CONTROL, .name = "fake"), .step = fake_step, .peers = fake_peers, .resume = fake_resume};
static const struct sst_control bare_control_module = {SST_BASE(control, SST_CONTROL, .name = "bare"), .step = fake_step};
static const struct sst_space space_module = {SST_BASE(space, SST_SPACE, .name = "fake"), .local = fake_local};
static const struct sst_dithering dithering_module = {SST_BASE(dithering, SST_DITHERING, .name = "fake"), .next = fake_next};

/* ---- One loop in shared memory of its own ----------------------------------------------------------------------------- */

static struct module modules[KINDS];
static struct shared *shared;
static struct loop loop;
static struct loop_answer answer;
static const struct sst_env env = {.workloads = WORKLOADS};

static int64_t fake_clock(void *context)
{
	(void)context;
	return source.now_ns;
}

static void start(unsigned index)
{
	loop_free(&loop);
	loop = (struct loop){.module = modules,
		.shared = shared,
		.index = index,
		.estimator = {.owner = index + 1, .clock = fake_clock, .cpu_clock = fake_clock}};
	assert_int_equal(loop_init(&loop, &env), 0);
}

static int enter(void **state)
{
	(void)state;
	const size_t none[KINDS] = {0};
	size_t offset[KINDS];
	const size_t size = shared_layout(WORKLOADS, none, offset);
	shared = aligned_alloc(128, size);
	if (!shared)
		return -1;
	memset(shared, 0, size);
	shared_init(shared, WORKLOADS, size, offset);
	for (unsigned i = 0; i < WORKLOADS; i++)
		shared_set_live(shared, i, true);
	memset(&trace, 0, sizeof trace);
	memset(&source, 0, sizeof source);
	memset(&controller, 0, sizeof controller);
	memset(&space, 0, sizeof space);
	memset(&dithering, 0, sizeof dithering);
	trace.target_at_s[0] = 0.5;
	trace.free_from_s = trace.free_to_s = -1;
	controller.kappa = 2;
	modules[SST_TRACE] = (struct module){.trace = &trace_module};
	modules[SST_FEEDBACK] = (struct module){.feedback = &feedback_module};
	modules[SST_CONTROL] = (struct module){.control = &control_module};
	modules[SST_SPACE] = (struct module){.space = &space_module};
	modules[SST_DITHERING] = (struct module){.dithering = &dithering_module};
	modules[KIND_ACTUATOR] = (struct module){.base = &actuator_table[ACTUATOR_SIGNALS]};
	start(3);
	return 0;
}

static int leave(void **state)
{
	(void)state;
	loop_free(&loop);
	free(shared);
	return 0;
}

/* One edge, `ms` after the origin; by then `work_s` CPU-seconds were worked in all. */
static void step_at(int64_t ms, double work_s)
{
	source.now_ns = ORIGIN + ms * NS_PER_MS;
	source.work_s = work_s;
	loop_step(&loop, source.now_ns, source.now_ns - 7, ORIGIN, &answer);
}

static bool is(double found, double expected)
{
	if (fabs(found - expected) < 1e-9)
		return true;
	fprintf(stderr, "found %.17g, expected %.17g\n", found, expected);
	return false;
}

/* ---- Tests ------------------------------------------------------------------------------------------------------------ */

static void an_edge_goes_through_all_modules(void **state)
{
	(void)state;
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
 * The machine stood still for ten seconds, and so did its counters; or they went on (a pause of a guest). Neither is a sample. An edge that
 * is late while others have looked is just late.
 */
static void a_standstill_is_no_sample(void **state)
{
	(void)state;
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

/* What space gives a workload more or less than the duty cycle of all is nobody's debt. */
static void the_time_that_a_workload_had_is_counted(void **state)
{
	(void)state;
	trace.target_at_s[0] = 0.5;
	controller.out.duty = 0.5;
	space.answer = 0.5;
	dithering.out.run = true;
	step_at(0, 0);
	assert_true(is(controller.in.surplus, 0));
	step_at(100, 0.1);
	assert_true(is(controller.in.surplus, 0.1));
	dithering.out.run = false;
	step_at(200, 0.2);
	assert_true(is(controller.in.surplus, 0.1));
	step_at(300, 0.2);
	assert_true(is(controller.in.surplus, 0));
	dithering.out.run = true;
	space.answer = 1; /* the full one of uneven, at 0.5 of all */
	step_at(400, 0.2);
	step_at(500, 0.3);
	assert_true(is(controller.in.surplus, 0.05));
	/* Ten seconds in which the machine stood still brought nobody anything. */
	source.now_ns = ORIGIN + 10 * NS_PER_S;
	loop_step(&loop, source.now_ns, ORIGIN + 600 * NS_PER_MS, ORIGIN, &answer);
	assert_true(is(controller.in.surplus, 0));
	step_at(10100, 0.4);
	assert_true(is(controller.in.surplus, 0.05));
	/* Nor does a free stretch. */
	trace.free_from_s = 10.15;
	trace.free_to_s = 10.25;
	step_at(10200, 0.4);
	step_at(10300, 0.4);
	assert_true(is(controller.in.surplus, 0));
}

static void without_a_sample_the_target_stands_for_the_load(void **state)
{
	(void)state;
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
static void before_the_first_reading_the_loop_is_open(void **state)
{
	(void)state;
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

static void a_dear_reading_comes_after_the_signals(void **state)
{
	(void)state;
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

static void time_counts_since_this_executor_s_last_step(void **state)
{
	(void)state;
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

static void before_the_origin_the_trace_stands_at_its_beginning(void **state)
{
	(void)state;
	trace.target_at_s[1] = 1;
	step_at(-500, 0);
	assert_int_equal(trace.asked_ns, 0);
	assert_true(is(answer.target, 0.5));
}

static void targets_and_duty_cycles_are_held_to_their_range(void **state)
{
	(void)state;
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
	/* More work than there was, by the counters' noise. */
	step_at(2000, 99);
	assert_true(is(controller.in.load, 1));
}

static void a_free_stretch_suspends_control(void **state)
{
	(void)state;
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

static void owed_work_leaves_the_time_before_control_out(void **state)
{
	(void)state;
	step_at(-200, 0);
	step_at(-50, 0.3);
	step_at(100, 0.3); /* half of it before the origin */
	assert_true(is(controller.in.owed, 0));
	step_at(200, 0.35);
	assert_true(is(controller.in.owed, 0.5 * 0.2 - 0.05));
}

static void peers_are_the_next_live_ones_of_the_ring(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WORKLOADS; i++) {
		atomic_store(&shared->slot[i].published, (double)i);
		atomic_store(&shared->slot[i].has_published, true);
	}
	step_at(0, 0);
	step_at(100, 0);
	assert_int_equal(controller.in.peer_count, 2); /* of 3: 4 and, round the corner, 0 */
	assert_true(is(controller.peers[0], 4) && is(controller.peers[1], 0));
	shared_set_live(shared, 4, false);
	step_at(101, 0);
	assert_int_equal(controller.in.peer_count, 2);
	assert_true(is(controller.peers[0], 0) && is(controller.peers[1], 1));
	assert_int_equal(controller.in.rank, 3);
	assert_int_equal(controller.in.live, 4);
	shared_set_live(shared, 0, false);
	shared_set_live(shared, 1, false);
	step_at(102, 0);
	assert_int_equal(controller.in.peer_count, 1); /* min(κ, live − 1) */
	assert_true(is(controller.peers[0], 2));
	assert_int_equal(controller.in.rank, 1);
	assert_int_equal(controller.in.live, 2);
	shared_set_live(shared, 2, false);
	step_at(103, 0);
	assert_int_equal(controller.in.peer_count, 0);
	assert_int_equal(controller.in.rank, 0);
	assert_int_equal(controller.in.live, 1);
	shared_set_live(shared, 1, true); /* somebody comes late */
	step_at(104, 0);
	assert_int_equal(controller.in.peer_count, 1);
	assert_true(is(controller.peers[0], 1));
	assert_int_equal(controller.in.rank, 1);
	assert_int_equal(controller.in.live, 2);
}

static void peers_that_have_published_nothing_are_left_out(void **state)
{
	(void)state;
	controller.kappa = 3; /* 4, 0, 1 */
	start(3);
	atomic_store(&shared->slot[0].published, 0.25);
	atomic_store(&shared->slot[0].has_published, true);
	step_at(0, 0);
	step_at(100, 0);
	assert_int_equal(controller.in.peer_count, 1);
	assert_true(is(controller.peers[0], 0.25));
}

static void there_are_never_more_peers_than_others(void **state)
{
	(void)state;
	controller.kappa = 1000;
	start(0);
	for (unsigned i = 0; i < WORKLOADS; i++) {
		atomic_store(&shared->slot[i].published, (double)i);
		atomic_store(&shared->slot[i].has_published, true);
	}
	step_at(0, 0);
	step_at(100, 0);
	assert_int_equal(controller.in.peer_count, WORKLOADS - 1);
	for (unsigned i = 0; i < WORKLOADS - 1; i++)
		assert_true(is(controller.peers[i], i + 1));
}

static void optional_hooks_may_be_missing(void **state)
{
	(void)state;
	modules[SST_CONTROL] = (struct module){.control = &bare_control_module};
	start(1);
	step_at(0, 0);
	step_at(100, 0);
	assert_int_equal(controller.steps, 2);
	assert_int_equal(controller.in.peer_count, 0);
	assert_int_equal(controller.resumes, 0);
}

static void one_that_is_not_marked_live_counts_itself(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WORKLOADS; i++)
		shared_set_live(shared, i, i == 1);
	step_at(0, 0);
	assert_int_equal(space.live, 2);
	assert_int_equal(space.rank, 1);
}

static void answers_are_entered_into_the_slot(void **state)
{
	(void)state;
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

/* What edges take is smoothed, and one that took far longer than the others counts little. Dithering is told. */
static void the_time_of_edges_is_learnt(void **state)
{
	(void)state;
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

/* Nobody was saturated or starved while the machine stood still, whatever was so when it fell asleep; and nobody was held. */
static void a_standstill_is_not_under_control(void **state)
{
	(void)state;
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
static void a_bandwidth_has_no_edges(void **state)
{
	(void)state;
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
	step_at(100, 0.1);
	assert_true(is(controller.in.surplus, 0.25 * 0.04));
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
static void a_bandwidth_stays_for_its_period(void **state)
{
	(void)state;
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
		TEST(an_edge_goes_through_all_modules),
		TEST(a_standstill_is_no_sample),
		TEST(a_standstill_is_not_under_control),
		TEST(the_time_that_a_workload_had_is_counted),
		TEST(without_a_sample_the_target_stands_for_the_load),
		TEST(before_the_first_reading_the_loop_is_open),
		TEST(a_dear_reading_comes_after_the_signals),
		TEST(time_counts_since_this_executor_s_last_step),
		TEST(before_the_origin_the_trace_stands_at_its_beginning),
		TEST(targets_and_duty_cycles_are_held_to_their_range),
		TEST(a_free_stretch_suspends_control),
		TEST(owed_work_leaves_the_time_before_control_out),
		TEST(peers_are_the_next_live_ones_of_the_ring),
		TEST(peers_that_have_published_nothing_are_left_out),
		TEST(there_are_never_more_peers_than_others),
		TEST(optional_hooks_may_be_missing),
		TEST(one_that_is_not_marked_live_counts_itself),
		TEST(the_time_of_edges_is_learnt),
		TEST(a_bandwidth_has_no_edges),
		TEST(a_bandwidth_stays_for_its_period),
		TEST(answers_are_entered_into_the_slot),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
