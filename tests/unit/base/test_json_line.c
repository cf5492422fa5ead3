/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json_line.h"

static struct json_member member;
static const char *expected;

static void expect_member(const char *line, size_t *at, const char *name, const char *value)
{
	assert_int_equal(json_line_next(line, strlen(line), at, &member, &expected), 1);
	assert_int_equal(member.name_length, strlen(name));
	assert_memory_equal(line + member.name, name, member.name_length);
	assert_int_equal(member.value_length, strlen(value));
	assert_memory_equal(line + member.value, value, member.value_length);
}

static void expect_end(const char *line, size_t *at)
{
	assert_int_equal(json_line_next(line, strlen(line), at, &member, &expected), 0);
}

static void members_are_found(void **state)
{
	(void)state;
	const char *const line = " {\"a\" : 1.5e3, \"b\":\"x, \\\"y\\\"}\",\"c\":null,\"d\":\"\" ,\"e\":true}\t";
	size_t at = 0;
	expect_member(line, &at, "a", "1.5e3");
	expect_member(line, &at, "b", "x, \\\"y\\\"}");
	assert_true(member.has_escapes);
	expect_member(line, &at, "c", "");
	assert_false(member.has_escapes);
	expect_member(line, &at, "d", "");
	expect_member(line, &at, "e", "true");
	expect_end(line, &at);
}

static void what_is_no_object_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *line;
		size_t at;
		const char *expected;
	} cases[] = {
		{"", 0, "a bracket {"},
		{"[1]", 0, "a bracket {"},
		{"{a:1}", 1, "a quote"},
		{"{}", 1, "a quote"},
		{"{\"a", 3, "the end of a text"},
		{"{\"a\\", 4, "the end of a text"},
		{"{\"a\" 1}", 5, "a colon"},
		{"{\"a\":}", 5, "a number, a text or null"},
		{"{\"a\":{}}", 5, "a number, a text or null"},
		{"{\"a\":1", 6, "a comma, or the end of the object"},
		{"{\"a\":1 2}", 7, "a comma, or the end of the object"},
		{"{\"a\":1}x", 7, "the end of the line"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t at = 0;
		int found;
		while ((found = json_line_next(cases[i].line, strlen(cases[i].line), &at, &member, &expected)) > 0)
			;
		assert_int_equal(found, -1);
		assert_int_equal(at, cases[i].at);
		assert_string_equal(expected, cases[i].expected);
	}
}

static void escapes_are_taken_away(void **state)
{
	(void)state;
	char text[] = "a\\\"b\\\\c\\/d\\n\\";
	const size_t length = json_line_unescape(text, strlen(text));
	assert_int_equal(length, strlen("a\"b\\c/d\\n\\"));
	assert_memory_equal(text, "a\"b\\c/d\\n\\", length);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_found),
		cmocka_unit_test(what_is_no_object_is_refused),
		cmocka_unit_test(escapes_are_taken_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
