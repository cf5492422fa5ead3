/* SPDX-License-Identifier: MIT */
/* One loop in shared memory of its own, with modules that do what a test says and remember what they were asked. */
#ifndef LOOP_TEST_H
#define LOOP_TEST_H

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

#define NO_STATE __attribute__((unused)) void **state

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
	bool is_lost; /* readings give no sample */
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
	return !source.is_lost;
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

#endif
