/* SPDX-License-Identifier: MIT */
/* Against NIST's certified values (Statistical Reference Datasets, Norris), and against distributions that have a closed form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/values.h"

/* y, x. */
static const double norris[][2] = {
	{0.1, 0.2},
	{338.8, 337.4},
	{118.1, 118.2},
	{888.0, 884.6},
	{9.2, 10.1},
	{228.1, 226.5},
	{668.5, 666.3},
	{998.5, 996.3},
	{449.1, 448.6},
	{778.9, 777.0},
	{559.2, 558.2},
	{0.3, 0.4},
	{0.1, 0.6},
	{778.1, 775.5},
	{668.8, 666.9},
	{339.3, 338.0},
	{448.9, 447.5},
	{10.8, 11.6},
	{557.7, 556.0},
	{228.3, 228.1},
	{998.0, 995.8},
	{888.8, 887.6},
	{119.6, 120.2},
	{0.3, 0.3},
	{0.6, 0.3},
	{557.6, 556.8},
	{339.3, 339.1},
	{888.0, 887.2},
	{998.5, 999.0},
	{778.9, 779.0},
	{10.2, 11.1},
	{117.6, 118.3},
	{228.9, 229.2},
	{668.4, 669.1},
	{449.2, 448.9},
	{0.2, 0.5},
};
#define NORRIS (sizeof norris / sizeof *norris)
#define PI 3.14159265358979323846

static void expect_digits(double found, double expected, double relative)
{
	if (!(fabs(found - expected) <= relative * fabs(expected)))
		fail_msg("found %.17g, expected %.17g", found, expected);
}

static void test_norris(void **state)
{
	(void)state;
	double x[NORRIS];
	double y[NORRIS];
	struct regression line;
	for (size_t i = 0; i < NORRIS; i++) {
		y[i] = norris[i][0];
		x[i] = norris[i][1];
	}
	assert_int_equal(regression_fit(x, y, 1, NORRIS, &line), 0);
	assert_int_equal(line.count, 36);
	expect_digits(line.intercept, -0.262323073774029, 1e-10);
	expect_digits(line.intercept_sd, 0.232818234301152, 1e-10);
	expect_digits(line.slope, 1.00211681802045, 1e-13);
	expect_digits(line.slope_sd, 0.429796848199937e-3, 1e-10);
	expect_digits(line.residual_sd, 0.884796396144373, 1e-10);
	expect_digits(line.r2, 0.999993745883712, 1e-13);
	/* The certified F is t squared. */
	expect_digits(line.slope / line.slope_sd * (line.slope / line.slope_sd), 5436385.54079785, 1e-10);
	assert_true(line.slope_p < 1e-80);
	assert_true(line.intercept_p > 0.26 && line.intercept_p < 0.27);
}

/* Three points leave one degree of freedom, which is Cauchy's distribution. */
static void test_one_degree_of_freedom(void **state)
{
	(void)state;
	const double x[] = {0, 1, 2};
	const double y[] = {1, 3, 4};
	struct regression line;
	assert_int_equal(regression_fit(x, y, 1, 3, &line), 0);
	expect_digits(line.slope, 1.5, 1e-12);
	expect_digits(line.intercept, 7.0 / 6, 1e-12);
	expect_digits(line.residual_sd, sqrt(1.0 / 6), 1e-12);
	const double t = 1.5 / sqrt(1.0 / 12);
	expect_digits(line.slope_p, 1 - 2 / PI * atan(t), 1e-9);
	const double of_intercept = 7.0 / 6 / sqrt(1.0 / 6 * (1.0 / 3 + 1.0 / 2));
	expect_digits(line.intercept_p, 1 - 2 / PI * atan(of_intercept), 1e-9);
}

/* Two degrees: p = 1 - t / sqrt(2 + t²). The sign of the slope makes no difference. */
static void test_two_degrees_of_freedom(void **state)
{
	(void)state;
	const double x[] = {-3, -1, 1, 3};
	const double y[] = {4, 3, 3, 0};
	struct regression line;
	assert_int_equal(regression_fit(x, y, 1, 4, &line), 0);
	expect_digits(line.slope, -0.6, 1e-12);
	const double t = fabs(line.slope / line.slope_sd);
	expect_digits(line.slope_p, 1 - t / sqrt(2 + t * t), 1e-9);
	const double other = line.intercept / line.intercept_sd;
	expect_digits(line.intercept_p, 1 - other / sqrt(2 + other * other), 1e-9);
}

static void test_perfect_fit(void **state)
{
	(void)state;
	const double x[] = {0, 1, 2, 4};
	const double y[] = {1, 3, 5, 9};
	const double same[] = {2, 2, 2, 2};
	struct regression line;
	assert_int_equal(regression_fit(x, y, 1, 4, &line), 0);
	expect_digits(line.slope, 2, 1e-12);
	expect_digits(line.r2, 1, 1e-12);
	assert_true(line.slope_p < 1e-12);
	/* Nothing changes: no slope, of which nothing is known. */
	assert_int_equal(regression_fit(x, same, 1, 4, &line), 0);
	assert_true(line.slope == 0);
	assert_true(isnan(line.r2));
	assert_true(isnan(line.slope_p));
	assert_true(line.intercept_p == 0);
}

static void test_two_points(void **state)
{
	(void)state;
	const double x[] = {1, 2};
	const double y[] = {5, 3};
	struct regression line;
	assert_int_equal(regression_fit(x, y, 1, 2, &line), 0);
	expect_digits(line.slope, -2, 1e-12);
	expect_digits(line.intercept, 7, 1e-12);
	assert_true(isnan(line.slope_sd) && isnan(line.residual_sd) && isnan(line.slope_p) && isnan(line.intercept_p));
}

static void test_extremes(void **state)
{
	(void)state;
	const double x[] = {0, 1, 2, 3};
	const double large[] = {0, 1e100, 2e100, 3e100};
	struct regression line;
	assert_int_equal(regression_fit(x, large, 1, 4, &line), 0);
	assert_true(line.slope_p < 1e-6);
	const double steep[] = {0, 1, 2 + 1e-15, 3};
	assert_int_equal(regression_fit(x, steep, 1, 4, &line), 0);
	assert_true(line.slope_p < 1e-12);
}

static void test_refused(void **state)
{
	(void)state;
	const double x[] = {1, 2, 3};
	const double same[] = {2, 2, 2};
	const double unknown[] = {1, NAN, 3};
	const double infinite[] = {1, 2, INFINITY};
	struct regression line;
	assert_int_equal(regression_fit(x, x, 1, 0, &line), -1);
	assert_int_equal(regression_fit(x, x, 1, 1, &line), -1);
	assert_int_equal(regression_fit(same, x, 1, 3, &line), -1);
	assert_int_equal(regression_fit(x, unknown, 1, 3, &line), -1);
	assert_int_equal(regression_fit(infinite, x, 1, 3, &line), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_norris),
		cmocka_unit_test(test_one_degree_of_freedom),
		cmocka_unit_test(test_two_degrees_of_freedom),
		cmocka_unit_test(test_perfect_fit),
		cmocka_unit_test(test_two_points),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
