/* SPDX-License-Identifier: MIT */
/*
 * Against scipy 1.17.1 with numpy (the call beside each), on three samples that are not alike in mean, variance, length or shape; and the
 * bootstrap against the truth that it should cover.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "report/hypothesis.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
static double a[] = {100.17, 106.8, 106.12, 97.45, 98.51, 97.36, 102.85, 99.72, 103.73, 90.76, 107.83, 99.52};
static double b[] = {112.12, 104.77, 102.59, 110.17, 113.42, 104.18, 104.62, 112.17, 98.17, 92.37, 109.55, 99.96};
static double c[] = {97.31, 108.81, 96.87, 100.56, 121.64, 90.3, 93.95, 98.7, 92.64, 114.52, 93.89, 92.85, 99.91, 91.85, 94.8,
	91.2, 90.48, 92.68, 93.04};
#define OF(array) ((struct report_values){array, COUNT(array), COUNT(array)})

static void expect(double found, double expected, double relative)
{
	if (!(fabs(found - expected) <= relative * fabs(expected)))
		fail_msg("found %.17g, expected %.17g", found, expected);
}

/* ttest_ind(b, a, equal_var=False) */
static void test_welch_t(void **state)
{
	(void)state;
	const struct report_test found = report_welch_t(&OF(a), &OF(b));
	expect(found.statistic, 1.9060761978740095, 1e-12);
	expect(found.freedom[0], 20.428320206367605, 1e-12);
	expect(found.p, 0.07080843279713223, 1e-10);
	expect(found.low, -0.41242769322572226, 1e-9);
	expect(found.high, 9.290761026559053, 1e-10);
	const struct report_test other = report_welch_t(&OF(b), &OF(a));
	expect(other.estimate, -found.estimate, 1e-15);
	expect(other.p, found.p, 1e-12);
}

static struct report_values differences(double room[COUNT(a)])
{
	struct report_values result = {room, COUNT(a), COUNT(a)};
	for (size_t i = 0; i < COUNT(a); i++)
		room[i] = b[i] - a[i];
	report_values_sort(&result);
	return result;
}

/* ttest_rel(b, a) */
static void test_paired_t(void **state)
{
	(void)state;
	double room[COUNT(a)];
	const struct report_values sample = differences(room);
	const struct report_test found = report_paired_t(&sample, 120);
	expect(found.statistic, 2.1780639337264356, 1e-12);
	expect(found.freedom[0], 11, 0);
	expect(found.p, 0.05204053899976211, 1e-10);
	expect(found.low, -0.046716325661499525, 1e-8);
	expect(found.high, 8.925049658994835, 1e-10);
}

/* binomtest(9, 12). Of twelve, the third smallest to the third largest hold the median in 96.1 of 100 cases. */
static void test_sign(void **state)
{
	(void)state;
	double room[COUNT(a)];
	const struct report_values sample = differences(room);
	const struct report_test found = report_sign(&sample);
	expect(found.statistic, 9, 0);
	expect(found.freedom[0], 12, 0);
	expect(found.p, 0.14599609375, 1e-12);
	expect(found.estimate, 1.745, 1e-12);
	expect(found.low, -2.03, 1e-12);
	expect(found.high, 12.45, 1e-12);
	/* Zeros are for neither: 4 of 4. With six values the interval is all of them, with five there is none. */
	double few[] = {-0.5, 0, 1, 2, 3, 4};
	const struct report_test six = report_sign(&OF(few));
	expect(six.freedom[0], 5, 0);
	expect(six.statistic, 4, 0);
	expect(six.p, 0.375, 1e-12);
	expect(six.low, -0.5, 0);
	expect(six.high, 4, 0);
	assert_true(isnan(report_sign(&(struct report_values){few, 5, 5}).low));
}

/* shapiro(c[:n]) */
static void test_shapiro_wilk(void **state)
{
	(void)state;
	static const struct {
		size_t count;
		double w, p;
	} cases[] = {
		{3, 0.7775992774007371, 0.06207319717917681},
		{4, 0.8332429902805086, 0.1764167540469786},
		{5, 0.8482499160660046, 0.1890498035628022},
		{6, 0.9167022424596132, 0.48193224090039927},
		{11, 0.8640286037196767, 0.06493039286250113},
		{12, 0.8404466592948205, 0.02803589264902338},
		{19, 0.7703524747374182, 0.00043734249381626166},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		double room[COUNT(c)];
		struct report_values sample = {room, cases[i].count, cases[i].count};
		memcpy(room, c, sizeof room);
		report_values_sort(&sample);
		const struct report_test found = report_shapiro_wilk(&sample);
		expect(found.statistic, cases[i].w, 1e-7);
		expect(found.p, cases[i].p, 1e-6);
	}
	double same[] = {2, 2, 2, 2};
	assert_true(isnan(report_shapiro_wilk(&OF(same)).p));
	assert_true(isnan(report_shapiro_wilk(&(struct report_values){same, 2, 2}).p));
	/* From the fewest to the most that the approximation is made for; nothing is said of one more or less. */
	static double many[REPORT_NORMAL_MOST + 1];
	for (size_t i = 0; i < COUNT(many); i++)
		many[i] = (double)i;
	static const size_t told[] = {REPORT_NORMAL_LEAST, REPORT_NORMAL_MOST};
	for (size_t i = 0; i < COUNT(told); i++) {
		const struct report_test found = report_shapiro_wilk(&(struct report_values){many, told[i], told[i]});
		assert_true(found.statistic > 0.9 && found.statistic <= 1 && found.p >= 0 && found.p <= 1);
	}
	static const size_t untold[] = {0, REPORT_NORMAL_LEAST - 1, REPORT_NORMAL_MOST + 1};
	for (size_t i = 0; i < COUNT(untold); i++) {
		const struct report_test found = report_shapiro_wilk(&(struct report_values){many, untold[i], untold[i]});
		assert_true(isnan(found.statistic) && isnan(found.p));
	}
}

/* bartlett(a, b, c) and f_oneway(a, b, c, equal_var=False) */
static void test_several(void **state)
{
	(void)state;
	const struct report_values of[] = {OF(a), OF(b), OF(c)};
	const struct report_test variance = report_bartlett(of, 3);
	expect(variance.statistic, 3.951763248237602, 1e-11);
	expect(variance.freedom[0], 2, 0);
	expect(variance.p, 0.13863903083436532, 1e-10);
	const struct report_test mean = report_welch_anova(of, 3);
	expect(mean.statistic, 3.998483859301552, 1e-11);
	expect(mean.p, 0.03081717388839054, 1e-10);
	/* Of two samples it is Welch's t, squared. */
	const struct report_test two = report_welch_anova(of, 2);
	const struct report_test t = report_welch_t(&of[0], &of[1]);
	expect(two.statistic, t.statistic * t.statistic, 1e-11);
	expect(two.freedom[1], t.freedom[0], 1e-11);
	expect(two.p, t.p, 1e-9);
}

static void test_without_scatter(void **state)
{
	(void)state;
	double same[] = {5, 5, 5};
	const struct report_values of[] = {OF(same), OF(a)};
	const struct report_test found = report_welch_t(&of[0], &of[0]);
	expect(found.estimate, 0, 0);
	assert_true(isnan(found.p) && isnan(found.low));
	assert_true(isnan(report_bartlett(of, 2).p));
	assert_true(isnan(report_welch_anova(of, 2).p));
}

/* Squares of such numbers, and products of these, are no numbers or 0: what isn't known is said to be unknown, the rest is the same. */
static void test_any_size(void **state)
{
	(void)state;
	static const double sizes[] = {1e-200, 1e-90, 1, 1e80, 1e200};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		double one[] = {1 * sizes[i], 2 * sizes[i], 4 * sizes[i]};
		double other[] = {1 * sizes[i], 3 * sizes[i], 9 * sizes[i]};
		const struct report_values of[] = {OF(one), OF(other)};
		const struct report_test t = report_welch_t(&of[0], &of[1]);
		const struct report_test w = report_shapiro_wilk(&of[0]);
		assert_true(isnan(t.p) || fabs(t.p - 0.50123) < 1e-4);
		assert_true(isnan(w.p) || fabs(w.p - 0.63689) < 1e-4);
		if (sizes[i] > 1e-100 && sizes[i] < 1e100)
			assert_false(isnan(t.p) || isnan(w.p));
		report_welch_anova(of, 2);
		report_bartlett(of, 2);
	}
	/* 0.1 more in each: no scatter but that of rounding. */
	double differences[] = {1.2 - 1.1, 2.2 - 2.1, 3.2 - 3.1};
	assert_true(isnan(report_paired_t(&OF(differences), 3.2).p));
}

/* statsmodels' multipletests(p, method='holm') says the same; here by hand. */
/* scipy 1.17.1: stats.t.sf((m - low) / se, n - 1) and so on; stats.binomtest(k, n, 0.8).proportion_ci(0.95, "exact") and its one-sided p. */
static void test_bounds(void **state)
{
	(void)state;
	double few[] = {1.1, 1.2, 2, 2.5};
	double ones[] = {1, 1, 1, 0};
	const struct report_values sample = {few, 4, 4};
	const struct report_bounded both = report_mean_within(&sample, 0, 2.4);
	expect(both.inside, 0.06359864586122421, 1e-9);
	expect(both.outside, 1 - both.inside, 1e-9);
	/* ttest_1samp(out, 5): one bound alone is beyond reach, so that the other one adds nothing. */
	double out[] = {5.2, 6, 7.5, 8.1, 9};
	const struct report_values beyond = {out, 5, 5};
	expect(report_mean_within(&beyond, -5, 5).outside, 0.035449545113606436 / 2, 1e-9);
	expect(report_mean_within(&sample, 0, INFINITY).inside, 0.014678157280867722 / 2, 1e-9);
	expect(report_mean_within(&sample, -INFINITY, 0).outside, 0.014678157280867722 / 2, 1e-9);
	expect(report_needed(&sample, 0.17), 157, 1e-9);
	expect(report_needed(&sample, 100), 4, 1e-9);
	const struct report_values one = {few, 1, 1};
	assert_true(isnan(report_mean_within(&one, 0, 1).inside) && isnan(report_needed(&one, 1)));
	const struct report_values shares = {ones, 4, 4};
	const struct report_bounded share = report_share_within(&shares, 0.8, INFINITY);
	expect(share.low, 0.19412044968324338, 1e-9);
	expect(share.high, 0.9936905367902901, 1e-9);
	expect(share.inside, 0.8192, 1e-9);
	expect(share.outside, 0.5904, 1e-9);
	/* 17 of 17: 0.8^17 = 0.0225. */
	const struct report_values all = {ones, 1, 1};
	expect(report_shares_needed(&all, 0.8, INFINITY), 17, 1e-9);
	/* No share is less than 0, so that this bound is none: 0.95^200 for 0 of 200. */
	double none[200] = {0};
	const struct report_values zeros = {none, 200, 200};
	expect(report_share_within(&zeros, 0, 0.05).inside, 3.50526662488287e-05, 1e-9);
	expect(report_share_within(&zeros, 0, 0.05).outside, 1, 1e-9);
	expect(report_share_within(&zeros, -1, 1).inside, 0, 0);
	/* 2 of 30 don't decide, though 2 of 23, of nearly that share, would. */
	double few_ones[30] = {1, 1};
	const struct report_values undecided = {few_ones, 30, 30};
	assert_true(report_shares_needed(&undecided, -INFINITY, 0.01) > 30);
}

static void test_holm(void **state)
{
	(void)state;
	double p[] = {0.04, NAN, 0.01, 0.03, 0.5};
	assert_int_equal(report_holm(p, COUNT(p)), 0);
	expect(p[2], 0.04, 1e-12);
	expect(p[3], 0.09, 1e-12);
	expect(p[0], 0.09, 1e-12); /* 2 · 0.04 is less than that of a smaller one */
	expect(p[4], 0.5, 1e-12);
	assert_true(isnan(p[1]));
	double high[] = {0.6, 0.7};
	assert_int_equal(report_holm(high, 2), 0);
	expect(high[0], 1, 0);
	assert_int_equal(report_holm(high, 0), 0);
}

static int difference_of(const struct report_values *one, const struct report_values *other, double quantile, size_t resamples,
	uint64_t seed, struct report_test *found)
{
	struct report_values drawn[2];
	assert_int_equal(report_bootstrap(one, quantile, resamples, seed, &drawn[0]), 0);
	assert_int_equal(report_bootstrap(other, quantile, resamples, seed + 1, &drawn[1]), 0);
	const int result = report_quantile_difference(one, other, quantile, &drawn[0], &drawn[1], found);
	report_values_free(&drawn[0]);
	report_values_free(&drawn[1]);
	return result;
}

/* bootstrap((a, b), …, method='percentile', n_resamples=200000): -1.35 to 11.95 */
static void test_quantile_difference(void **state)
{
	(void)state;
	struct report_values of[] = {OF(a), OF(b)};
	struct report_test found;
	struct report_test again;
	report_values_sort(&of[0]);
	report_values_sort(&of[1]);
	assert_int_equal(difference_of(&of[0], &of[1], 0.75, 9999, 1, &found), 0);
	expect(found.estimate, 6.33, 1e-9);
	expect(found.low, -1.35, 0.1);
	expect(found.high, 11.95, 0.02);
	assert_int_equal(difference_of(&of[0], &of[1], 0.75, 9999, 1, &again), 0);
	assert_memory_equal(&found, &again, sizeof found);
	assert_int_equal(difference_of(&of[0], &of[1], 1, 100, 1, &again), 0);
	expect(again.estimate, b[COUNT(b) - 1] - a[COUNT(a) - 1], 1e-12);
}

/* The difference of the medians of two exponential distributions, whose means are 1 and 3, is 2 ln 2. */
static void test_coverage(void **state)
{
	(void)state;
	enum { TRIALS = 400, EACH = 60 };
	uint64_t seed = 20261122;
	int covered = 0;
	for (int trial = 0; trial < TRIALS; trial++) {
		double room[2][EACH];
		struct report_values sample[2];
		struct report_test found;
		for (int which = 0; which < 2; which++) {
			for (int i = 0; i < EACH; i++)
				room[which][i] = -(1 + 2 * which) * log(((double)(splitmix_next(&seed) >> 11) + 0.5) * 0x1p-53);
			sample[which] = (struct report_values){room[which], EACH, EACH};
			report_values_sort(&sample[which]);
		}
		assert_int_equal(difference_of(&sample[0], &sample[1], 0.5, 1000, (uint64_t)trial, &found), 0);
		covered += found.low <= 2 * M_LN2 && 2 * M_LN2 <= found.high;
	}
	/* 95 % are 380; three standard deviations are 13. Percentile intervals of medians cover a little more. */
	if (covered < 367 || covered > 396)
		fail_msg("%d of %d intervals hold the difference", covered, TRIALS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_welch_t), cmocka_unit_test(test_paired_t), cmocka_unit_test(test_sign),
		cmocka_unit_test(test_shapiro_wilk), cmocka_unit_test(test_several), cmocka_unit_test(test_without_scatter),
		cmocka_unit_test(test_any_size), cmocka_unit_test(test_holm), cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_coverage), cmocka_unit_test(test_quantile_difference), /* sorts a and b */
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
