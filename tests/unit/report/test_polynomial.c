/* SPDX-License-Identifier: MIT */
/* Against NIST's certified values (Statistical Reference Datasets, Pontius), and what has a closed form. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/values.h"

/* y of x = 150000, 300000, … 3000000, twice. */
static const double pontius[] = {0.11019, 0.21956, 0.32949, 0.43899, 0.54803, 0.65694, 0.76562, 0.87487, 0.98292, 1.09146,
	1.20001, 1.30822, 1.41599, 1.52399, 1.63194, 1.73947, 1.84646, 1.95392, 2.06128, 2.16844, 0.11052, 0.22018, 0.32939,
	0.43886, 0.54798, 0.65739, 0.76596, 0.87474, 0.98300, 1.09150, 1.20004, 1.30818, 1.41613, 1.52408, 1.63159, 1.73965,
	1.84696, 1.95445, 2.06177, 2.16829};
#define PONTIUS (sizeof pontius / sizeof *pontius)

static void expect(double found, double expected, double relative)
{
	if (!(fabs(found - expected) <= relative * fabs(expected)))
		fail_msg("found %.17g, expected %.17g", found, expected);
}

static void test_pontius(void **state)
{
	(void)state;
	double x[PONTIUS];
	struct polynomial linear;
	struct polynomial quadratic;
	for (size_t i = 0; i < PONTIUS; i++)
		x[i] = 150000 * (double)(i % 20 + 1);
	assert_int_equal(polynomial_fit(x, pontius, PONTIUS, 2, &quadratic), 0);
	expect(quadratic.coefficient[0], 0.673565789473684e-3, 1e-9);
	expect(quadratic.coefficient[1], 0.732059160401003e-6, 1e-12);
	expect(quadratic.coefficient[2], -0.316081871345029e-14, 1e-9);
	expect(quadratic.error[0], 0.107938612033077e-3, 1e-9);
	expect(quadratic.error[1], 0.157817399981659e-9, 1e-9);
	expect(quadratic.error[2], 0.486652849992036e-16, 1e-9);
	expect(quadratic.residual_sd, 0.205177424076185e-3, 1e-9);
	expect(quadratic.r2, 0.999999900178537, 1e-13);
	assert_true(quadratic.p < 1e-35);
	assert_int_equal(polynomial_fit(x, pontius, PONTIUS, 1, &linear), 0);
	assert_true(linear.residual_sd > quadratic.residual_sd);
	expect(polynomial_weight(&quadratic, &linear), 1, 1e-9);
	expect(polynomial_weight(&linear, &quadratic) + polynomial_weight(&quadratic, &linear), 1, 1e-12);
}

/* Four points beside y = 1 + 2 x, off by +1, -1, -1, +1, which no line follows and a parabola all: it goes through them. */
static void test_exact(void **state)
{
	(void)state;
	const double x[] = {0, 1, 2, 3};
	const double y[] = {2, 2, 4, 8};
	struct polynomial line;
	struct polynomial parabola;
	assert_int_equal(polynomial_fit(x, y, 4, 1, &line), 0);
	expect(line.coefficient[0], 1, 1e-12);
	expect(line.coefficient[1], 2, 1e-12);
	expect(line.residual_sd, sqrt(4.0 / 2), 1e-12);
	expect(line.r2, 1 - 4.0 / 24, 1e-12);
	expect(line.adjusted_r2, 1 - 4.0 / 24 * 3 / 2, 1e-12);
	/* Two degrees of freedom: p = 1 - t / √(2 + t²). */
	const double t = 2 / sqrt(2.0 / 5);
	expect(line.p, 1 - t / sqrt(2 + t * t), 1e-9);
	assert_int_equal(polynomial_fit(x, y, 4, 2, &parabola), 0);
	expect(parabola.coefficient[0], 2, 1e-12);
	expect(parabola.coefficient[1], -1, 1e-12);
	expect(parabola.coefficient[2], 1, 1e-12);
	/* Four points are too few for its criterion. */
	assert_true(isnan(parabola.aicc) && isnan(polynomial_weight(&line, &parabola)));
}

/* aicc = n ln(left / n) + 2 k + 2 k (k + 1) / (n - k - 1), with k = 3 for a line. */
static void test_criterion(void **state)
{
	(void)state;
	const double x[] = {0, 1, 2, 3, 4, 5};
	const double y[] = {1, 0, 2, 1, 3, 2};
	struct polynomial line;
	assert_int_equal(polynomial_fit(x, y, 6, 1, &line), 0);
	expect(line.aicc, 6 * log(line.residual_sd * line.residual_sd * 4 / 6) + 6 + 24.0 / 2, 1e-12);
}

/* Times since 1970, of which powers can't be told apart; and points that lie on a curve, of which nothing is uncertain. */
static void test_far_from_zero(void **state)
{
	(void)state;
	enum { POINTS = 21 };
	for (int far = 0; far < 2; far++) {
		double x[POINTS];
		double y[POINTS];
		struct polynomial line;
		struct polynomial parabola;
		for (int i = 0; i < POINTS; i++) {
			x[i] = 1700000000.0 * far + i;
			y[i] = (double)i * i + 3 * i + 1 + (i % 2 ? 0.01 : -0.01) * (i % 3);
		}
		assert_int_equal(polynomial_fit(x, y, POINTS, 1, &line), 0);
		assert_int_equal(polynomial_fit(x, y, POINTS, 2, &parabola), 0);
		expect(parabola.coefficient[2], 1, 1e-3);
		assert_true(parabola.r2 > 0.999999 && parabola.p < 1e-20 && parabola.residual_sd < 0.02);
		assert_true(polynomial_weight(&parabola, &line) > 0.999);
		for (int i = 0; i < POINTS; i++)
			y[i] = 0.1 + 0.01 * i;
		assert_int_equal(polynomial_fit(x, y, POINTS, 1, &line), 0);
		assert_int_equal(polynomial_fit(x, y, POINTS, 2, &parabola), 0);
		expect(line.coefficient[1], 0.01, 1e-9);
		assert_true(isnan(polynomial_weight(&parabola, &line)) && isnan(parabola.p));
	}
}

static void test_refused(void **state)
{
	(void)state;
	const double x[] = {1, 1, 2, 2};
	const double y[] = {1, 2, 3, NAN};
	struct polynomial found;
	assert_int_equal(polynomial_fit(x, y, 3, 1, &found), 0);
	assert_int_equal(polynomial_fit(x, y, 3, 2, &found), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(polynomial_fit(x, y, 2, 1, &found), -1);
	assert_int_equal(polynomial_fit(x, y, 4, 1, &found), -1);
	assert_int_equal(polynomial_fit(x, y, 0, 1, &found), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pontius),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_criterion),
		cmocka_unit_test(test_far_from_zero),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
