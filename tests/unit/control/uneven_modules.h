/* SPDX-License-Identifier: MIT */
/* Modules for test_executor: a workload that is to run and to stop in turn, for times that are unlike each other. */
#ifndef TESTS_UNEVEN_MODULES_H
#define TESTS_UNEVEN_MODULES_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "module/actuator.h"
#include "showstopper/module.h"

/* Threads of the workload, where it is held by a bandwidth. */
#define UNEVEN_WIDTH 3

/* Runs and stops in turn, for uneven times; so many answers come too late. */
static const int edges_ms[] = {37, 61, 13, 89};
static unsigned edges;
static int late_answers;
static bool leaves_free;
/* When the source is read: control goes by samples. */
static int64_t read_ns;

static double fake_target(void *state, int64_t since_ns)
{
	(void)state;
	(void)since_ns;
	return leaves_free ? NAN : 0.5;
}

static int fake_read(void *state, const struct sst_env *env, struct sst_reading *now)
{
	(void)state;
	(void)env;
	*now = (struct sst_reading){.when_ns = read_ns, .processors = 8};
	return 0;
}

static bool fake_sample(
	const void *state, const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	(void)state;
	*sample = (struct sst_sample){.capacity = (double)(now->when_ns - before->when_ns) / NS_PER_S};
	return sample->capacity > 0;
}

static double fake_estimate(const void *state, double load, const struct sst_sample *sample)
{
	(void)state;
	(void)sample;
	return load;
}

static int64_t fake_interval(const void *state, double processors)
{
	(void)state;
	(void)processors;
	return NS_PER_S;
}

static void fake_step(void *state, const struct sst_control_input *in, struct sst_control_output *out)
{
	(void)state;
	(void)in;
	*out = (struct sst_control_output){.published = 0.25, .duty = 0.25};
}

static double fake_local(const void *state, double duty, unsigned rank, unsigned live)
{
	(void)state;
	(void)rank;
	(void)live;
	return duty;
}

static void fake_next(void *state, const struct sst_dithering_input *in, struct sst_dithering_output *out)
{
	(void)state;
	out->run = !in->running;
	out->until_ns = late_answers-- > 0 ? in->now_ns : in->now_ns + edges_ms[edges++ % 4] * NS_PER_MS;
}

static const struct sst_trace trace_module = {SST_BASE(trace, SST_TRACE, .name = "fake"), .target = fake_target};
static const struct sst_feedback feedback_module = {SST_BASE(feedback, SST_FEEDBACK, .name = "fake"), .read = fake_read,
	.sample = fake_sample, .estimate = fake_estimate, .interval = fake_interval};
static const struct sst_control control_module = {SST_BASE(control, SST_CONTROL, .name = "fake"), .step = fake_step};
static const struct sst_space space_module = {SST_BASE(space, SST_SPACE, .name = "fake"), .local = fake_local};
static const struct sst_dithering dithering_module = {SST_BASE(dithering, SST_DITHERING, .name = "fake"), .next = fake_next};
static struct actuator_settings quota = {.period_ns = 100 * NS_PER_MS, .interval_ns = 100 * NS_PER_MS};

#endif
