/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "ssburn/service_time.h"

#define MS 1000000
#define COUNT 1000000

static struct service_time made(const char *text, int64_t mean_ns)
{
	struct service_time time = {.mean_ns = mean_ns};
	assert_int_equal(service_time_parse(text, &time), 0);
	return time;
}

static void names_and_parameters_are_read(void **state)
{
	(void)state;
	assert_int_equal(made("constant", 1).shape, SERVICE_CONSTANT);
	assert_int_equal(made("exponential", 1).shape, SERVICE_EXPONENTIAL);
	assert_int_equal(made("lognormal:sigma=0.5", 1).shape, SERVICE_LOGNORMAL);
	assert_true(made("lognormal:sigma=10", 1).parameter == 10);
	assert_int_equal(made("pareto:shape=1e3", 1).shape, SERVICE_PARETO);
	assert_true(made("pareto:shape=1.01", 1).parameter == 1.01);
}

static void others_are_refused_and_change_nothing(void **state)
{
	(void)state;
	static const char *const wrong[] = {"", "const", "constants", "constant:", "constant:sigma=1",
		"exponential:", "exponential ", "lognormal", "lognormal:", "lognormal:sigma",
		"lognormal:sigma=", "lognormal:sigma=0", "lognormal:sigma=-1", "lognormal:sigma=10.1", "lognormal:sigma=nan",
		"lognormal:sigma=inf", "lognormal:sigma=1x", "lognormal:shape=1", "pareto:sigma=2", "pareto:shape=1",
		"pareto:shape=0.9", "pareto:shape=1001", "pareto:shape=1e400", "PARETO:shape=2", "pareto:shape=2,sigma=1"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct service_time time = {.shape = SERVICE_LOGNORMAL, .parameter = 7, .mean_ns = 3};
		assert_int_equal(service_time_parse(wrong[i], &time), -1);
		assert_true(time.shape == SERVICE_LOGNORMAL && time.parameter == 7 && time.mean_ns == 3);
	}
}

/* By the closed forms of their inverse distribution functions, and by tables of the normal distribution. */
static void quantiles_are_exact(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double share, expected;
	} known[] = {
		{"constant", 0.001, 1},
		{"constant", 0.999, 1},
		{"exponential", 0.5, M_LN2},
		{"exponential", 0.99, 4.605170185988092},
		{"exponential", 0.1, 0.105360515657826},
		/* mean 1: median exp(-1/8), others that times exp(0.5 z), z = 1.2815515655446004 and its negative */
		{"lognormal:sigma=0.5", 0.5, 0.882496902584595},
		{"lognormal:sigma=0.5", 0.9, 1.6749373854749292},
		{"lognormal:sigma=0.5", 0.1, 0.4649730729191262},
		/* mean 1: least 1/2 for shape 2, and 1/2 over the root of what is left */
		{"pareto:shape=2", 1e-15, 0.5},
		{"pareto:shape=2", 0.75, 1},
		{"pareto:shape=2", 0.99, 5},
		{"pareto:shape=1.5", 0.875, 1.333333333333333},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const struct service_time time = made(known[i].text, 1000 * (int64_t)MS);
		const double found = (double)service_time_quantile(&time, known[i].share) / (1000.0 * MS);
		if (fabs(found - known[i].expected) > 2e-6 * known[i].expected)
			fail_msg("%s: %g of all below %.9f, expected %.9f", known[i].text, known[i].share, found,
				known[i].expected);
	}
}

/* The middles of equal parts of all requests: their mean is that of the distribution but for the cut tail. */
static void means_are_kept(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double within;
	} of[] = {{"constant", 0}, {"exponential", 1e-5}, {"lognormal:sigma=0.2", 1e-5}, {"lognormal:sigma=1", 1e-4},
		{"pareto:shape=3", 1e-4}, {"pareto:shape=2.2", 1e-3}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		const struct service_time time = made(of[i].text, 5 * MS);
		double sum = 0;
		for (int j = 0; j < COUNT; j++)
			sum += (double)service_time_quantile(&time, (j + 0.5) / COUNT);
		if (fabs(sum / COUNT / (5.0 * MS) - 1) > of[i].within)
			fail_msg("%s: mean %.6f ms, expected 5", of[i].text, sum / COUNT / MS);
	}
}

static void draws_are_quantiles_of_the_bits(void **state)
{
	(void)state;
	const struct service_time time = made("exponential", 5 * MS);
	assert_int_equal(service_time_draw(&time, UINT64_C(1) << 63), service_time_quantile(&time, 0.5 + 0x1p-53));
	assert_int_equal(service_time_draw(&time, 0), 0);
	int below = 0;
	for (uint64_t i = 0; i < 100000; i++)
		below += service_time_draw(&time, splitmix_mix(i)) < 5 * MS;
	assert_in_range(below, 62700, 63700);
}

static void no_tail_is_beyond_a_day(void **state)
{
	(void)state;
	static const char *const tails[] = {"exponential", "lognormal:sigma=10", "pareto:shape=1.0001"};
	for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
		const struct service_time time = made(tails[i], SERVICE_TIME_MOST_NS);
		assert_int_equal(service_time_draw(&time, UINT64_MAX), SERVICE_TIME_MOST_NS);
		assert_true(service_time_draw(&time, 0) >= 0);
	}
}

/* Any text is taken or refused; what is taken gives times that grow with the share. */
static void any_text_is_taken_or_refused(void **state)
{
	(void)state;
	static const char *const words[] = {
		"constant", "exponential", "lognormal", "pareto", ":", "sigma", "shape", "=", "1", "2.5", "-", "e3", " "};
	uint64_t random = 34;
	for (int i = 0; i < 20000; i++) {
		char text[128] = "";
		for (uint64_t left = 1 + splitmix_below(&random, 6); left > 0; left--)
			strcat(text, words[splitmix_below(&random, sizeof words / sizeof *words)]);
		struct service_time time = {.mean_ns = MS};
		if (service_time_parse(text, &time) == 0)
			assert_true(service_time_quantile(&time, 0.2) <= service_time_quantile(&time, 0.8));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_parameters_are_read),
		cmocka_unit_test(others_are_refused_and_change_nothing),
		cmocka_unit_test(quantiles_are_exact),
		cmocka_unit_test(means_are_kept),
		cmocka_unit_test(draws_are_quantiles_of_the_bits),
		cmocka_unit_test(no_tail_is_beyond_a_day),
		cmocka_unit_test(any_text_is_taken_or_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
