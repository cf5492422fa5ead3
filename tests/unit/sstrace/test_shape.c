/* SPDX-License-Identifier: MIT */
/* Shaped traces have the loads of the trace that they are made of, at each moment. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "sstrace/shape.h"

#define RECORDS_MAX 12
#define TIME_MAX 40

static struct trace random_trace(struct sim_random *random)
{
	struct trace trace = {.interpolation = sim_random_next(random) % 2 ? TRACE_STEP : TRACE_LINEAR};
	const size_t count = 1 + sim_random_next(random) % RECORDS_MAX;
	int64_t ns = (int64_t)(sim_random_next(random) % 4);
	for (size_t i = 0; i < count; i++) {
		const uint64_t kind = sim_random_next(random) % 8;
		const double load = kind == 0 ? NAN : (double)(sim_random_next(random) % 101) / 100;
		assert_int_equal(trace_append(&trace, &(struct trace_record){ns, load}), 0);
		ns += (int64_t)(sim_random_next(random) % 4) * 2;
	}
	return trace;
}

static int64_t end_of(const struct trace *trace)
{
	return trace->records[trace->count - 1].ns;
}

/* The mean over one nanosecond, written anew from the description in sstrace(1). */
static double mean_at(const struct trace *trace, int64_t ns)
{
	const struct trace_record *before = NULL;
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_record *const record = &trace->records[i];
		if (record->ns <= ns) {
			before = record;
			continue;
		}
		if (!before)
			return record->load;
		if (trace->interpolation == TRACE_STEP || isnan(record->load) || isnan(before->load))
			return before->load;
		const double middle = (double)(ns - before->ns) + 0.5;
		return before->load + (record->load - before->load) * middle / (double)(record->ns - before->ns);
	}
	return before->load;
}

static void expect_same(double found, double expected)
{
	if (isnan(found) != isnan(expected) || fabs(found - expected) > 1e-9)
		fail_msg("found %g, expected %g", found, expected);
}

static void means_are_those_of_each_moment(void **state)
{
	struct sim_random random = {1};
	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct trace trace = random_trace(&random);
		const int64_t stretch = 1 + (int64_t)(sim_random_next(&random) % 5);
		const size_t count = (size_t)(end_of(&trace) / stretch);
		double mean[2 * TIME_MAX * RECORDS_MAX];
		trace_means(&trace, stretch, mean, count);
		for (size_t i = 0; i < count; i++) {
			double sum = 0;
			for (int64_t ns = 0; ns < stretch; ns++)
				sum += mean_at(&trace, (int64_t)i * stretch + ns);
			expect_same(mean[i], sum / (double)stretch);
		}
		trace_free(&trace);
	}
}

static void parts_have_the_same_loads(void **state)
{
	struct sim_random random = {2};
	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct trace trace = random_trace(&random);
		const int64_t end = end_of(&trace);
		struct trace_shape shape = TRACE_SHAPE_NONE;
		double whole[2 * TIME_MAX];
		double part[2 * TIME_MAX];
		size_t cut;
		if (end >= 2 * TIME_MAX || end < 2) {
			trace_free(&trace);
			continue;
		}
		shape.from_ns = (int64_t)(sim_random_next(&random) % (uint64_t)end);
		shape.to_ns = shape.from_ns + 1 + (int64_t)(sim_random_next(&random) % (uint64_t)(end - shape.from_ns));
		trace_means(&trace, 1, whole, (size_t)end);
		assert_int_equal(trace_shape(&trace, &shape, &cut), 0);
		assert_int_equal(cut, 0);
		assert_int_equal(end_of(&trace), shape.to_ns - shape.from_ns);
		trace_means(&trace, 1, part, (size_t)end_of(&trace));
		for (int64_t i = 0; i < end_of(&trace); i++)
			expect_same(part[i], whole[i + shape.from_ns]);
		trace_free(&trace);
	}
}

/* Records a microsecond apart, so that where lines cross a bound is known well. */
static void loads_are_scaled_and_cut_at_each_moment(void **state)
{
	struct sim_random random = {3};
	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct trace trace = random_trace(&random);
		const struct trace_shape longer = {
			.to_ns = TRACE_SHAPE_WHOLE, .scale = 1, .high = 1, .length_ns = 1000000 * end_of(&trace)};
		struct trace_shape shape = TRACE_SHAPE_NONE;
		size_t cut;
		if (end_of(&trace) > 0)
			assert_int_equal(trace_shape(&trace, &longer, &cut), 0);
		struct trace copy = {.interpolation = trace.interpolation};
		for (size_t i = 0; i < trace.count; i++)
			assert_int_equal(trace_append(&copy, &trace.records[i]), 0);
		shape.scale = (double)(1 + sim_random_next(&random) % 20) / 10;
		shape.low = (double)(sim_random_next(&random) % 50) / 100;
		shape.high = shape.low + (double)(sim_random_next(&random) % 50) / 100;
		assert_int_equal(trace_shape(&trace, &shape, &cut), 0);
		assert_int_equal(end_of(&trace), end_of(&copy));
		for (size_t i = 1; i < trace.count; i++)
			assert_true(trace.records[i].ns >= trace.records[i - 1].ns);
		for (int64_t ns = 0; ns < end_of(&trace); ns += 250000) {
			const double load = mean_at(&copy, ns) * shape.scale;
			const double expected = isnan(load) ? load : fmin(fmax(load, shape.low), shape.high);
			const double found = mean_at(&trace, ns);
			if (isnan(found) != isnan(expected) || fabs(found - expected) > 1e-5)
				fail_msg("at %lld found %g, expected %g", (long long)ns, found, expected);
		}
		trace_free(&trace);
		trace_free(&copy);
	}
}

static void another_length_keeps_order_and_loads(void **state)
{
	struct sim_random random = {4};
	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct trace trace = random_trace(&random);
		const size_t count = trace.count;
		struct trace_shape shape = TRACE_SHAPE_NONE;
		size_t cut;
		shape.length_ns = 1 + (int64_t)(sim_random_next(&random) >> (1 + sim_random_next(&random) % 62));
		if (end_of(&trace) > 0) {
			assert_int_equal(trace_shape(&trace, &shape, &cut), 0);
			assert_int_equal(trace.count, count);
			assert_int_equal(end_of(&trace), shape.length_ns);
			for (size_t i = 0; i < count; i++)
				assert_true(trace.records[i].ns >= (i > 0 ? trace.records[i - 1].ns : 0));
		}
		trace_free(&trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_are_those_of_each_moment),
		cmocka_unit_test(parts_have_the_same_loads),
		cmocka_unit_test(loads_are_scaled_and_cut_at_each_moment),
		cmocka_unit_test(another_length_keeps_order_and_loads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
