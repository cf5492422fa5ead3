/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ssrequest/expected.h"

static const char *judged(const struct expected *expected, bool is_command, long status, bool fits)
{
	return request_fate_word(expected_judge(expected, is_command, status, fits));
}

static void without_a_list_numbers_say_it(void **state)
{
	(void)state;
	static const struct expected any = {.ranges = 0};
	assert_string_equal(judged(&any, false, 200, true), "good");
	assert_string_equal(judged(&any, false, 399, true), "good");
	assert_string_equal(judged(&any, false, 400, true), "wrong");
	assert_string_equal(judged(&any, false, 200, false), "unexpected");
	assert_string_equal(judged(&any, false, 503, false), "wrong");
	assert_string_equal(judged(&any, true, 0, true), "good");
	assert_string_equal(judged(&any, true, 1, true), "wrong");
}

static void a_list_says_what_numbers_do_not(void **state)
{
	(void)state;
	struct expected list;
	assert_int_equal(expected_parse("200,3xx,404-410", &list), 0);
	assert_string_equal(judged(&list, false, 200, true), "good");
	assert_string_equal(judged(&list, false, 201, true), "unexpected");
	assert_string_equal(judged(&list, false, 302, true), "good");
	assert_string_equal(judged(&list, false, 404, true), "good");
	assert_string_equal(judged(&list, false, 404, false), "wrong");
	assert_string_equal(judged(&list, false, 411, true), "wrong");
	assert_int_equal(expected_parse("1-2", &list), 0);
	assert_string_equal(judged(&list, true, 2, true), "good");
	assert_string_equal(judged(&list, true, 0, true), "unexpected");
}

static void other_texts_are_no_lists(void **state)
{
	(void)state;
	static const char *const wrong[] = {"", "x", "2x", "22xx", "200,", ",200", "200-", "-200", "300-200", "1000", "200 ",
		"2xx-1xx", "99999999999999999999"};
	struct expected list = {.ranges = 7};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_int_equal(expected_parse(wrong[i], &list), -1);
	assert_int_equal(list.ranges, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_list_numbers_say_it),
		cmocka_unit_test(a_list_says_what_numbers_do_not),
		cmocka_unit_test(other_texts_are_no_lists),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
