/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"

#define UNTOUCHED INT64_C(-424242)

static int64_t time_of(const char *text)
{
	int64_t ns = UNTOUCHED;
	size_t stop = 9999;
	if (units_parse_time(text, strlen(text), &ns, &stop) != 0)
		fail_msg("'%s' is refused at %zu: %s", text, stop, strerror(errno));
	assert_int_equal(stop, strlen(text));
	return ns;
}

/* A time that must be refused with this errno at this offset, and without a value. */
static void refuse_time(const char *text, int error, size_t at)
{
	int64_t ns = UNTOUCHED;
	size_t stop = 9999;
	errno = 0;
	if (units_parse_time(text, strlen(text), &ns, &stop) == 0)
		fail_msg("'%s' is taken as %lld ns", text, (long long)ns);
	const int found = errno;
	if (found != error || stop != at)
		fail_msg("'%s': errno %d at %zu, expected %d at %zu", text, found, stop, error, at);
	assert_int_equal(ns, UNTOUCHED);
	assert_int_equal(units_parse_time(text, strlen(text), &ns, NULL), -1);
}

static void times_have_all_units(void **state)
{
	(void)state;
	assert_int_equal(time_of("7n"), 7);
	assert_int_equal(time_of("7ns"), 7);
	assert_int_equal(time_of("7u"), 7000);
	assert_int_equal(time_of("7us"), 7000);
	assert_int_equal(time_of("103m"), 103000000);
	assert_int_equal(time_of("103ms"), 103000000);
	assert_int_equal(time_of("7s"), INT64_C(7000000000));
	assert_int_equal(time_of("2M"), INT64_C(120000000000));
	assert_int_equal(time_of("2min"), INT64_C(120000000000));
	assert_int_equal(time_of("2h"), INT64_C(7200000000000));
	assert_int_equal(time_of("2d"), INT64_C(172800000000000));
	assert_int_equal(time_of("0"), 0);
	assert_int_equal(time_of("20"), 20 * NS_PER_S);
	assert_int_equal(time_of("0.25"), 250000000);
	assert_int_equal(time_of("00007s"), 7 * NS_PER_S);
}

static void the_longest_unit_wins(void **state)
{
	(void)state;
	assert_int_equal(time_of("1m30s"), INT64_C(30001000000));
	assert_int_equal(time_of("1M30s"), 90 * NS_PER_S);
	assert_int_equal(time_of("1min30s"), 90 * NS_PER_S);
	assert_int_equal(time_of("1ms1m"), 2 * NS_PER_MS);
	assert_int_equal(time_of("1us1ns1n"), 1002);
	assert_int_equal(time_of("1h1M1s1m1u1n"), INT64_C(3661001001001));
}

static void decimals_are_exact(void **state)
{
	(void)state;
	assert_int_equal(time_of("0.1s"), 100000000);
	assert_int_equal(time_of("0.3s"), 300000000);
	assert_int_equal(time_of(".5s"), 500000000);
	assert_int_equal(time_of("1.s"), NS_PER_S);
	assert_int_equal(time_of("1.000000001s"), 1000000001);
	assert_int_equal(time_of("0.0000000004s"), 0); /* rounded half up to whole nanoseconds */
	assert_int_equal(time_of("0.0000000005s"), 1);
	assert_int_equal(time_of("1.5n"), 2);
	assert_int_equal(time_of("0.1d"), INT64_C(8640000000000));
	assert_int_equal(time_of("9007199.254740993s"), INT64_C(9007199254740993)); /* 2^53 + 1: a double would miss it */
	/* More decimals than any integer holds. */
	assert_int_equal(time_of("0.99999999999999999999999999999999999999999999999999999999s"), NS_PER_S);
	assert_int_equal(time_of("0.00000000000000000000000000000000000000000000000000000001d"), 0);
}

static void times_up_to_the_type(void **state)
{
	(void)state;
	assert_int_equal(time_of("9223372036854775807n"), INT64_MAX);
	assert_int_equal(time_of("9223372036s854775807n"), INT64_MAX);
	refuse_time("9223372036854775808n", ERANGE, 0);
	refuse_time("9223372036854775807.5n", ERANGE, 0);
	refuse_time("9223372036s854775808n", ERANGE, 11);
	refuse_time("9223372037", ERANGE, 0);
	refuse_time("106752d", ERANGE, 0);
	refuse_time("99999999999999999999999999999999999999d", ERANGE, 0);
}

static void malformed_times_are_refused_where_they_go_wrong(void **state)
{
	(void)state;
	refuse_time("", EINVAL, 0);
	refuse_time("s", EINVAL, 0);
	refuse_time(".", EINVAL, 0);
	refuse_time(".s", EINVAL, 0);
	refuse_time("-1s", EINVAL, 0);
	refuse_time("+1s", EINVAL, 0);
	refuse_time(" 1s", EINVAL, 0);
	refuse_time("1s ", EINVAL, 2);
	refuse_time("1 s", EINVAL, 1);
	refuse_time("1x", EINVAL, 1);
	refuse_time("1mi", EINVAL, 2); /* 1m, and then i */
	refuse_time("1S", EINVAL, 1);
	refuse_time("1e3s", EINVAL, 1);
	refuse_time("0x10", EINVAL, 1);
	refuse_time("1.2.3", EINVAL, 3);
	refuse_time("1M30", EINVAL, 4); /* which unit would 30 have? */
	refuse_time("30 1M", EINVAL, 2);
	refuse_time("1,5s", EINVAL, 1);
	refuse_time("inf", EINVAL, 0);
	refuse_time("nan", EINVAL, 0);
}

static void only_the_given_bytes_are_read(void **state)
{
	(void)state;
	int64_t ns;
	double load;
	int64_t integer;
	char exact[3] = {'1', '2', 's'}; /* not terminated: the sanitizer watches its end */
	char *copy = malloc(3);
	assert_non_null(copy);
	memcpy(copy, exact, 3);
	assert_int_equal(units_parse_time(copy, 3, &ns, NULL), 0);
	assert_int_equal(ns, 12 * NS_PER_S);
	assert_int_equal(units_parse_time(copy, 1, &ns, NULL), 0);
	assert_int_equal(ns, NS_PER_S);
	assert_int_equal(units_parse_int(copy, 2, &integer, NULL), 0);
	assert_int_equal(integer, 12);
	memcpy(copy, "1/3", 3);
	assert_int_equal(units_parse_load(copy, 3, &load, NULL), 0);
	assert_true(load == 1.0 / 3);
	assert_int_equal(units_parse_load(copy, 1, &load, NULL), 0);
	assert_true(load == 1);
	memcpy(copy, "25%", 3);
	assert_int_equal(units_parse_load(copy, 3, &load, NULL), 0);
	assert_true(load == 0.25);
	free(copy);
	char with_nul[] = "1s\0";
	assert_int_equal(units_parse_time(with_nul, 3, &ns, NULL), -1);
}

static double load_of(const char *text)
{
	double load = -5;
	size_t stop = 9999;
	if (units_parse_load(text, strlen(text), &load, &stop) != 0)
		fail_msg("'%s' is refused at %zu: %s", text, stop, strerror(errno));
	assert_int_equal(stop, strlen(text));
	return load;
}

static void refuse_load(const char *text, int error, size_t at)
{
	double load = -5;
	size_t stop = 9999;
	errno = 0;
	if (units_parse_load(text, strlen(text), &load, &stop) == 0)
		fail_msg("'%s' is taken as %g", text, load);
	const int found = errno;
	if (found != error || stop != at)
		fail_msg("'%s': errno %d at %zu, expected %d at %zu", text, found, stop, error, at);
	assert_true(load == -5);
}

static void loads_have_three_notations(void **state)
{
	(void)state;
	assert_true(load_of("0") == 0);
	assert_true(load_of("1") == 1);
	assert_true(load_of("0.25") == 0.25);
	assert_true(load_of(".25") == 0.25);
	assert_true(load_of("25%") == 0.25);
	assert_true(load_of("12.5%") == 0.125);
	assert_true(load_of("100%") == 1);
	assert_true(load_of("0%") == 0);
	assert_true(load_of("1/3") == 1.0 / 3);
	assert_true(load_of("6/10") == 0.6);
	assert_true(load_of("0.5/2") == 0.25);
	assert_true(load_of("0/5") == 0);
	assert_true(load_of("7/7") == 1);
	assert_true(load_of("2.5e-1") == 0.25);
	assert_true(load_of("1E-400") == 0);
}

static void loads_outside_are_refused(void **state)
{
	(void)state;
	refuse_load("1.0000001", ERANGE, 0);
	refuse_load("101%", ERANGE, 0);
	refuse_load("4/3", ERANGE, 0);
	refuse_load("50", ERANGE, 0); /* fifty what? */
	refuse_load("1e999", ERANGE, 0);
	refuse_load("1/0", ERANGE, 2);
	refuse_load("0/0", ERANGE, 2);
	refuse_load("1/0.0", ERANGE, 2);
	refuse_load("", EINVAL, 0);
	refuse_load("%", EINVAL, 0);
	refuse_load("-0.5", EINVAL, 0);
	refuse_load("+0.5", EINVAL, 0);
	refuse_load("nan", EINVAL, 0);
	refuse_load("inf", EINVAL, 0);
	refuse_load("0x1p-1", EINVAL, 1);
	refuse_load("1/", EINVAL, 2);
	refuse_load("1/-3", EINVAL, 2);
	refuse_load("1/3%", EINVAL, 3);
	refuse_load("1/3/2", EINVAL, 3);
	refuse_load("25%%", EINVAL, 3);
	refuse_load("0.5 ", EINVAL, 3);
	refuse_load("0,5", EINVAL, 1);
	refuse_load("1e", EINVAL, 1);
	/* A fraction whose parts are beyond a double has no value. */
	char text[900];
	memset(text, '1', sizeof text);
	memcpy(text + 400, "/", 1);
	double load = -5;
	assert_int_equal(units_parse_load(text, sizeof text, &load, NULL), -1);
	assert_int_equal(errno, ERANGE);
	assert_true(load == -5);
}

static void reals_are_plain_decimal_numbers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double value;
	} good[] = {{"0", 0}, {"-1.5", -1.5}, {"+2", 2}, {".5", .5}, {"3.", 3}, {"1e3", 1000}, {"1E+3", 1000},
		{"-2.5e-3", -0.0025}, {"1.7976931348623157e308", DBL_MAX},
		{"000000000000000000000000000000000000000000000000000000000000000000000000001.5", 1.5}};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		double value = NAN;
		assert_int_equal(units_parse_real(good[i].text, strlen(good[i].text), &value, NULL), 0);
		assert_true(value == good[i].value);
	}
	static const struct {
		const char *text;
		int error;
		size_t at;
	} bad[] = {{"", EINVAL, 0}, {"-", EINVAL, 1}, {"+-1", EINVAL, 1}, {"nan", EINVAL, 0}, {"-inf", EINVAL, 1},
		{"0x1", EINVAL, 1}, {"1e", EINVAL, 1}, {"1e+", EINVAL, 1}, {"1 ", EINVAL, 1}, {" 1", EINVAL, 0},
		{"1.2.3", EINVAL, 3}, {".", EINVAL, 0}, {"1e999", ERANGE, 0}, {"-1e999", ERANGE, 0}, {"1,0", EINVAL, 1}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		double value = -5;
		size_t stop = 9999;
		errno = 0;
		if (units_parse_real(bad[i].text, strlen(bad[i].text), &value, &stop) != -1 || errno != bad[i].error ||
			stop != bad[i].at)
			fail_msg("'%s': value %g, errno %d at %zu", bad[i].text, value, errno, stop);
		assert_true(value == -5);
	}
}

static void integers_fill_their_type(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t value;
	} good[] = {{"0", 0}, {"-0", 0}, {"+7", 7}, {"007", 7}, {"-12", -12}, {"9223372036854775807", INT64_MAX},
		{"-9223372036854775808", INT64_MIN}};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		int64_t value = UNTOUCHED;
		assert_int_equal(units_parse_int(good[i].text, strlen(good[i].text), &value, NULL), 0);
		assert_int_equal(value, good[i].value);
	}
	static const struct {
		const char *text;
		int error;
		size_t at;
	} bad[] = {{"", EINVAL, 0}, {"-", EINVAL, 1}, {"1.0", EINVAL, 1}, {"1e3", EINVAL, 1}, {"0x10", EINVAL, 1},
		{" 1", EINVAL, 0}, {"--1", EINVAL, 1}, {"9223372036854775808", ERANGE, 0}, {"-9223372036854775809", ERANGE, 0},
		{"99999999999999999999999", ERANGE, 0}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		int64_t value = UNTOUCHED;
		size_t stop = 9999;
		errno = 0;
		if (units_parse_int(bad[i].text, strlen(bad[i].text), &value, &stop) != -1 || errno != bad[i].error ||
			stop != bad[i].at)
			fail_msg("'%s': value %lld, errno %d at %zu", bad[i].text, (long long)value, errno, stop);
		assert_int_equal(value, UNTOUCHED);
	}
}

static void printed_times_are_short_and_read_back(void **state)
{
	(void)state;
	char text[UNITS_TEXT_MAX];
	assert_string_equal(units_print_time(0, text), "0s");
	assert_string_equal(units_print_time(107 * NS_PER_MS, text), "107ms");
	assert_string_equal(units_print_time(90 * NS_PER_S, text), "90s");
	assert_string_equal(units_print_time(1500 * NS_PER_US, text), "1500us");
	assert_string_equal(units_print_time(1000000001, text), "1.000000001s");
	assert_string_equal(units_print_time(59583333334, text), "59.583333334s");
	assert_string_equal(units_print_time(99999 * NS_PER_US, text), "99999us");
	assert_string_equal(units_print_time(100001 * NS_PER_US, text), "100.001ms");
	assert_string_equal(units_print_time(123456, text), "123.456us");
	assert_string_equal(units_print_time(INT64_MAX, text), "9223372036.854775807s");
	assert_string_equal(units_print_time(NS_PER_MS, text), "1ms");
	assert_string_equal(units_print_time(60 * NS_PER_S, text), "1min");
	assert_string_equal(units_print_time(6840 * NS_PER_S, text), "114min");
	assert_string_equal(units_print_time(7200 * NS_PER_S, text), "2h");
	assert_string_equal(units_print_time(3650 * 86400 * NS_PER_S, text), "3650d");
	const int64_t values[] = {
		1, 999, 1000, 1001, 60 * NS_PER_S, 7200 * NS_PER_S, 333 * NS_PER_MS, 86400 * NS_PER_S, INT64_MAX - 1};
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		assert_int_equal(time_of(units_print_time(values[i], text)), values[i]);
}

static void printed_reals_are_short_and_read_back(void **state)
{
	(void)state;
	char text[UNITS_TEXT_MAX];
	assert_string_equal(units_print_real(0.1, text), "0.1");
	assert_string_equal(units_print_real(2, text), "2");
	assert_string_equal(units_print_real(1.0 / 3, text), "0.3333333333333333");
	assert_string_equal(units_print_real(-1.5, text), "-1.5");
	assert_string_equal(units_print_real(720, text), "720");
	assert_string_equal(units_print_real(-1e6, text), "-1000000");
	const double values[] = {0.1 + 0.2, DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324, 1e22, 123456789.125, M_PI};
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		double value = NAN;
		units_print_real(values[i], text);
		assert_true(strlen(text) < UNITS_TEXT_MAX);
		assert_int_equal(units_parse_real(text, strlen(text), &value, NULL), 0);
		assert_true(value == values[i]);
	}
	units_print_real(NAN, text); /* ends */
	assert_string_equal(units_print_real(INFINITY, text), "inf");
}

static void a_forgotten_sign_is_recognised(void **state)
{
	(void)state;
	assert_true(units_lacks_percent("60"));
	assert_true(units_lacks_percent("1.5"));
	assert_true(units_lacks_percent("100"));
	static const char *const others[] = {"", "1", "0.5", "100.1", "60%", "-60", "x", "60 "};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false(units_lacks_percent(others[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_have_all_units),
		cmocka_unit_test(the_longest_unit_wins),
		cmocka_unit_test(decimals_are_exact),
		cmocka_unit_test(times_up_to_the_type),
		cmocka_unit_test(malformed_times_are_refused_where_they_go_wrong),
		cmocka_unit_test(only_the_given_bytes_are_read),
		cmocka_unit_test(loads_have_three_notations),
		cmocka_unit_test(loads_outside_are_refused),
		cmocka_unit_test(reals_are_plain_decimal_numbers),
		cmocka_unit_test(integers_fill_their_type),
		cmocka_unit_test(printed_times_are_short_and_read_back),
		cmocka_unit_test(printed_reals_are_short_and_read_back),
		cmocka_unit_test(a_forgotten_sign_is_recognised),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
