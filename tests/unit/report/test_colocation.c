/* SPDX-License-Identifier: MIT */
/* The expected figures were computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/colocation.h"

#define expect_near(found, expected) assert_true(fabs((found) - (expected)) < 1e-9)
#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define STEPS_MAX 16

static char error[CSV_ERROR_MAX];
static struct report_window window[3][STEPS_MAX];
static struct report_colocated runs[3];
static const struct report_colocation colocation = {.item = runs, .count = LENGTH(runs)};

/* A run with these targets, loads that are the same, and throughputs; each step lasts 10 s. */
static struct report_colocated *make(size_t i, const char *label, const double *load, const double *throughput, size_t count)
{
	for (size_t step = 0; step < count; step++)
		window[i][step] = (struct report_window){.start = 10 * (double)step,
			.end = 10 * (double)step + 10,
			.target = load[step],
			.load = load[step],
			.iterations = 10 * throughput[step],
			.throughput = throughput[step],
			.power = 50};
	runs[i] = (struct report_colocated){.label = label, .file = label, .windows = {.item = window[i], .count = count}};
	return &runs[i];
}

static const double stairs[] = {0.9, 0.5, 0.1, 0.1, 0.5, 0.9};

static void two_halves_make_two_lines(void **state)
{
	(void)state;
	/* 10 − 4 L, and 10 − 5 L with something added to it that has no slope. */
	const double throughput[] = {6.4, 8, 9.6, 9.5 + 0.1, 7.5 - 0.2, 5.5 + 0.1};
	struct report_interference found;
	assert_int_equal(report_interference(make(0, "a", stairs, throughput, 6), &found, error), 0);
	assert_int_equal(found.steps, 6);
	expect_near(found.metric[0], 40);
	expect_near(found.line[1].intercept, 10);
	expect_near(found.metric[1], 50);
	expect_near(found.mean, 45);
	expect_near(found.angle, (atan(0.5) - atan(0.4)) * 180 / acos(-1));
	assert_true(found.angle > 3);
	assert_false(found.is_symmetric);
	/* One degree of freedom: the residuals' standard deviation is sqrt(0.06), that of the slope sqrt(0.06 / 0.32). */
	expect_near(found.line[1].slope_p, 1 - atan(5 / sqrt(0.06 / 0.32)) / acos(0));
	assert_true(found.p == fmax(found.line[1].slope_p, found.line[1].intercept_p));
	assert_false(found.is_significant);
}

static void both_criteria_can_be_met(void **state)
{
	(void)state;
	const double throughput[] = {6.41, 8, 9.6, 9.6, 8, 6.42};
	struct report_interference found;
	assert_int_equal(report_interference(make(0, "a", stairs, throughput, 6), &found, error), 0);
	assert_true(found.is_symmetric);
	assert_true(found.is_significant);
	assert_true(found.p < 0.05);
}

/* A slope of 10 is certain, but not where the line begins: 0.05, a fifth of its standard deviation, and the metric divides by it. */
static void an_uncertain_intercept_is_not_significant(void **state)
{
	(void)state;
	const double throughput[] = {9.15, 4.85, 1.15, 1.15, 4.85, 9.15};
	struct report_interference found;
	assert_int_equal(report_interference(make(0, "a", stairs, throughput, 6), &found, error), 0);
	expect_near(found.line[0].slope, 10);
	expect_near(found.line[0].intercept, 0.05);
	assert_true(found.line[0].slope_p < 0.05 && found.line[1].slope_p < 0.05);
	expect_near(found.p, 1 - atan(0.05 / sqrt(0.06 * (1.0 / 3 + 0.25 / 0.32))) / acos(0));
	assert_false(found.is_significant);
}

/* A background that makes the foreground faster has a negative metric; what never changes has no significance. */
static void faster_and_constant(void **state)
{
	(void)state;
	const double faster[] = {10.9, 10.5, 10.1, 10.1, 10.5, 10.9};
	const double constant[] = {3, 3, 3, 3, 3, 3};
	struct report_interference found;
	assert_int_equal(report_interference(make(0, "a", stairs, faster, 6), &found, error), 0);
	expect_near(found.mean, -10);
	assert_true(found.is_symmetric && found.is_significant);
	assert_int_equal(report_interference(make(0, "a", stairs, constant, 6), &found, error), 0);
	expect_near(found.mean, 0);
	assert_true(found.is_symmetric);
	assert_false(found.is_significant);
}

/* A turning step as long as the others belongs to both halves. */
static void the_halves_may_share_a_step(void **state)
{
	(void)state;
	const double load[] = {0.9, 0.5, 0.1, 0.5, 0.9};
	const double throughput[] = {1, 5, 9, 5, 1};
	struct report_interference found;
	assert_int_equal(report_interference(make(0, "a", load, throughput, 5), &found, error), 0);
	assert_int_equal(found.line[0].count, 3);
	assert_int_equal(found.line[1].count, 3);
	expect_near(found.mean, 100);
}

static void what_is_no_staircase_is_refused(void **state)
{
	(void)state;
	const double throughput[] = {1, 2, 3, 4, 5, 6};
	const double sawtooth[] = {0.9, 0.5, 0.1, 0.9, 0.5, 0.1};
	const double flat[] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5};
	struct report_interference found;
	assert_int_equal(report_interference(make(0, "a", sawtooth, throughput, 6), &found, error), -1);
	assert_string_equal(
		error, "a: found 6 steps, expected a staircase that goes back as it came, with at least 3 steps in each half");
	assert_int_equal(report_interference(make(0, "a", flat, throughput, 6), &found, error), -1);
	assert_int_equal(report_interference(make(0, "a", stairs + 1, throughput, 4), &found, error), -1);
	assert_int_equal(report_interference(make(0, "a", stairs, throughput, 1), &found, error), -1);
}

/* All loads alike, whatever the targets were. */
static void a_load_that_stays_the_same_has_no_line(void **state)
{
	(void)state;
	const double throughput[] = {1, 2, 3, 4, 5, 6};
	struct report_interference found;
	struct report_colocated *const run = make(0, "a", stairs, throughput, 6);
	for (size_t i = 0; i < 6; i++)
		window[0][i].load = 0.7;
	assert_int_equal(report_interference(run, &found, error), 0);
	assert_true(isnan(found.mean) && isnan(found.angle) && isnan(found.p));
	assert_false(found.is_symmetric || found.is_significant);
}

static void the_reference_is_a_mean_of_its_runs(void **state)
{
	(void)state;
	const double first[] = {1, 2, 3};
	const double second[] = {3, 2, 6};
	make(0, "a", stairs, first, 3);
	make(1, "b", stairs, first, 3);
	make(2, "a", stairs, second, 3);
	double *const throughput = report_reference(&colocation, "a", report_window_throughput, error);
	assert_non_null(throughput);
	expect_near(throughput[0], 2);
	expect_near(throughput[1], 2);
	expect_near(throughput[2], 4.5);
	free(throughput);
	/* 50 W over 10 s are 500 J, or 1/7.2 Wh. */
	double *const efficiency = report_reference(&colocation, "b", report_window_efficiency, error);
	assert_non_null(efficiency);
	expect_near(report_window_joules(&window[1][0]), 500);
	expect_near(efficiency[0], 72);
	expect_near(efficiency[2], 216);
	free(efficiency);
	assert_null(report_reference(&colocation, "c", report_window_throughput, error));
	assert_string_equal(error, "--reference: found no run of the label 'c'");
	make(1, "b", stairs, first, 2);
	assert_null(report_reference(&colocation, "a", report_window_throughput, error));
	assert_string_equal(error, "b: found 2 steps, and 3 in a, expected the same ones");
	make(1, "b", stairs + 1, first, 3);
	assert_null(report_reference(&colocation, "a", report_window_throughput, error));
	assert_string_equal(error, "b: found a target of 50.00 % in step 1, and 90.00 % in a, expected the same ones");
}

static void ratios_are_those_of_steps(void **state)
{
	(void)state;
	const double first[] = {1, 2, 3, 8};
	const double second[] = {2, 2, 4, 4};
	const double none[] = {1, 0, 1, 1};
	struct report_ratio ratio;
	struct report_colocated *const run = make(0, "a", stairs, first, 4);
	struct report_colocated *const other = make(1, "b", stairs, second, 4);
	assert_int_equal(report_ratio(run, other, &ratio, error), 0);
	assert_int_equal(ratio.steps, 4);
	expect_near(ratio.least, 0.5);
	expect_near(ratio.median, 0.875);
	expect_near(ratio.most, 2);
	assert_int_equal(report_ratio(make(0, "a", stairs, first, 3), make(1, "b", stairs, second, 3), &ratio, error), 0);
	expect_near(ratio.median, 0.75);
	assert_int_equal(report_ratio(make(0, "a", stairs, first, 4), make(1, "b", stairs, none, 4), &ratio, error), -1);
	assert_string_equal(error, "b: found no iteration in step 2, to compare others with");
	assert_int_equal(report_ratio(make(0, "a", stairs, first, 4), make(1, "b", stairs, first, 3), &ratio, error), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_halves_make_two_lines),
		cmocka_unit_test(both_criteria_can_be_met),
		cmocka_unit_test(an_uncertain_intercept_is_not_significant),
		cmocka_unit_test(faster_and_constant),
		cmocka_unit_test(the_halves_may_share_a_step),
		cmocka_unit_test(what_is_no_staircase_is_refused),
		cmocka_unit_test(a_load_that_stays_the_same_has_no_line),
		cmocka_unit_test(the_reference_is_a_mean_of_its_runs),
		cmocka_unit_test(ratios_are_those_of_steps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
