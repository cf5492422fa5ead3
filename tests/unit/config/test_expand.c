/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/config.h"

static void the_width_is_that_of_the_largest_number(void **state)
{
	(void)state;
	/* Ten instances are 0 to 9, eleven are 00 to 10. */
	assert_int_equal(expand_width(0), 1);
	assert_int_equal(expand_width(1), 1);
	assert_int_equal(expand_width(10), 1);
	assert_int_equal(expand_width(11), 2);
	assert_int_equal(expand_width(12), 2);
	assert_int_equal(expand_width(100), 2);
	assert_int_equal(expand_width(101), 3);
	assert_int_equal(expand_width(1000), 3);
	assert_int_equal(expand_width(100000), 5);
	assert_int_equal(expand_width(4294967295u), 10);
}

static void becomes(const char *text, const char *placeholder, unsigned number, unsigned width, const char *expected)
{
	char *found = expand(text, placeholder, number, width);
	assert_non_null(found);
	assert_string_equal(found, expected);
	free(found);
}

static void placeholders_become_the_number(void **state)
{
	(void)state;
	becomes("scratch.%", "%", 7, 2, "scratch.07");
	becomes("scratch.%", "%", 11, 2, "scratch.11");
	becomes("%", "%", 0, 1, "0");
	becomes("%/%", "%", 3, 1, "3/3");
	becomes("", "%", 3, 1, "");
	becomes("none", "%", 3, 1, "none");
	becomes("a%-b", "%", 123, 1, "a123-b"); /* the width is the least */
}

static void doubled_placeholders_become_single_ones(void **state)
{
	(void)state;
	becomes("100%%", "%", 3, 1, "100%");
	becomes("%%%", "%", 3, 1, "%3");
	becomes("%%%%", "%", 3, 1, "%%");
	becomes("%%%%%", "%", 3, 1, "%%3");
}

static void percent_signs_of_other_languages_stay(void **state)
{
	(void)state;
	static const char *const texts[] = {"date +%H:%M", "${x%c}; ${y%9}", "printf \"%s\\n\"", "%Z%a", "100%z", "%.2f",
		"%-10s|%+3.1e|%#4x", "printf \"%5.1f%-3d\\n\"", "%{http_code} %{time_total}\\n"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		becomes(texts[i], "%", 3, 2, texts[i]);
		assert_false(expand_changes(texts[i], "%"));
	}
	becomes("%d-%-%s", "%", 3, 1, "%d-3-%s");
	becomes("it.%.csv", "%", 3, 1, "it.3.csv");
	becomes("it.%.7z %. %-", "%", 3, 1, "it.3.7z 3. 3-"); /* looks like one, and is none */
	becomes("%-data %.d %-.csv", "%", 3, 1, "3-data 3.d 3-.csv");
	becomes("%{} %{a-b} %{a %", "%", 3, 1, "3{} 3{a-b} 3{a 3");
	becomes("%%s", "%", 3, 1, "%s");
	becomes("%%%s", "%", 3, 1, "%%s");
	becomes("a{}b", "{}", 3, 1, "a3b"); /* a mark of one's own is meant wherever it stands */
	assert_true(expand_changes("it.%.csv", "%"));
	assert_true(expand_changes("50%%", "%"));
	assert_true(expand_changes("a{}b", "{}"));
	assert_false(expand_changes("it.%.csv", ""));
	assert_false(expand_changes("it.%.csv", "{}"));
}

static void other_marks_and_none(void **state)
{
	(void)state;
	becomes("a%b", "", 3, 1, "a%b");
	becomes("a{}b%", "{}", 3, 2, "a03b%");
	becomes("a{}{}b", "{}", 3, 1, "a{}b");
	becomes("a{b}", "{}", 3, 1, "a{b}");
	becomes("aaa", "a", 5, 1, "a5");
	becomes("%n%n%n", "%n", 5, 1, "%n5");
}

static void commands_keep_their_first_word(void **state)
{
	(void)state;
	char command[] = "./tool-%";
	char one[] = "out.%";
	char two[] = "%%";
	char *words[] = {command, one, two, NULL};
	char **found = expand_command(words, "%", 4, 3);
	assert_non_null(found);
	assert_string_equal(found[0], "./tool-%");
	assert_string_equal(found[1], "out.004");
	assert_string_equal(found[2], "%");
	assert_null(found[3]);
	assert_string_equal(words[1], "out.%"); /* the caller's are left alone */
	expand_free(found);
	expand_free(NULL);
}

static char *said;
static void say(const char *line)
{
	free(said);
	said = strdup(line);
}

static void per_cent_that_becomes_a_number_is_said(void **state)
{
	(void)state;
	static const struct {
		const char *word;
		bool is_said;
	} cases[] = {
		{"50% done", true},
		{"50%% and 7%", true},
		{"50%%", false},
		{"%", false},
		{"run-%.csv", false},
		{"run1%.log", false},
		{"out0%", false},
		{"12.5%", true},
		{"load=7%", true},
		{"%d", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *const word = strdup(cases[i].word), name[] = "echo5%", *command[] = {name, word, NULL};
		struct group group = {.instances = 1, .command = command};
		struct config config = {.group = &group, .groups = 1, .placeholder = "%"};
		replaced_warn(&config, say);
		assert_int_equal(said != NULL, cases[i].is_said);
		free(said);
		said = NULL;
		config.placeholder = "@";
		replaced_warn(&config, say);
		assert_null(said);
		free(word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_width_is_that_of_the_largest_number),
		cmocka_unit_test(placeholders_become_the_number),
		cmocka_unit_test(doubled_placeholders_become_single_ones),
		cmocka_unit_test(percent_signs_of_other_languages_stay),
		cmocka_unit_test(per_cent_that_becomes_a_number_is_said),
		cmocka_unit_test(other_marks_and_none),
		cmocka_unit_test(commands_keep_their_first_word),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
