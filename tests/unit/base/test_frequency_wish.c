/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/frequency_wish.h"

static uint64_t khz(const char *text)
{
	struct frequency_wish wish = {0};
	if (frequency_wish_parse(text, &wish) != 0)
		fail_msg("'%s' is refused", text);
	assert_int_equal(wish.kind, FREQUENCY_EXACT);
	return wish.khz;
}

static void exact_ones_in_every_unit(void **state)
{
	(void)state;
	assert_int_equal(khz("1.8GHz"), 1800000);
	assert_int_equal(khz("1800MHz"), 1800000);
	assert_int_equal(khz("1800000kHz"), 1800000);
	/* Each of these is a little off as a double. */
	assert_int_equal(khz("2.3GHz"), 2300000);
	assert_int_equal(khz("1.001GHz"), 1001000);
	assert_int_equal(khz("2599.999MHz"), 2599999);
	assert_int_equal(khz("1.8ghz"), 1800000);
	assert_int_equal(khz("1.8e3MHz"), 1800000);
	assert_int_equal(khz("1kHz"), 1);
	assert_int_equal(khz("1000GHz"), 1000000000);
}

static void words_and_shares(void **state)
{
	(void)state;
	struct frequency_wish wish = {0};
	assert_int_equal(frequency_wish_parse("min", &wish), 0);
	assert_int_equal(wish.kind, FREQUENCY_MIN);
	assert_int_equal(frequency_wish_parse("max", &wish), 0);
	assert_int_equal(wish.kind, FREQUENCY_MAX);
	assert_int_equal(frequency_wish_parse("50%", &wish), 0);
	assert_int_equal(wish.kind, FREQUENCY_SHARE);
	assert_true(wish.share == 0.5);
	assert_int_equal(frequency_wish_parse("100%", &wish), 0);
	assert_true(wish.share == 1);
}

static void others_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int error;
	} wrong[] = {{"", EINVAL}, {"1800", EINVAL}, {"1800000", EINVAL}, {"1.8", EINVAL}, {"GHz", EINVAL}, {"%", EINVAL},
		{"1.8 GHz", EINVAL}, {"1.8GHz ", EINVAL}, {"1.8Hz", EINVAL}, {"1.8G", EINVAL}, {"0x10MHz", EINVAL},
		{"nanMHz", EINVAL}, {"infGHz", EINVAL}, {"mid", EINVAL}, {"minimum", EINVAL}, {"MAX", EINVAL}, {"1,8GHz", EINVAL},
		{"0MHz", ERANGE}, {"-1GHz", ERANGE}, {"0.1kHz", ERANGE}, {"1001GHz", ERANGE}, {"1e300GHz", ERANGE},
		{"0%", ERANGE}, {"-5%", ERANGE}, {"101%", ERANGE}};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct frequency_wish wish = {.khz = 7};
		errno = 0;
		if (frequency_wish_parse(wrong[i].text, &wish) != -1 || errno != wrong[i].error)
			fail_msg("'%s' is taken, or refused for another reason: errno %d", wrong[i].text, errno);
		assert_int_equal(wish.khz, 7);
	}
}

static void what_is_printed_can_be_typed(void **state)
{
	(void)state;
	char text[FREQUENCY_TEXT_MAX];
	assert_string_equal(frequency_print(1800000, text), "1800MHz");
	assert_string_equal(frequency_print(1800001, text), "1800.001MHz");
	assert_string_equal(frequency_print(999, text), "0.999MHz");
	for (uint64_t value = 1; value < 5000000; value += 12347)
		assert_int_equal(khz(frequency_print(value, text)), value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_ones_in_every_unit),
		cmocka_unit_test(words_and_shares),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(what_is_printed_can_be_typed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
