/* SPDX-License-Identifier: MIT */
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/tool_options.h"

struct settings {
	bool flag;
	int64_t number, time_ns;
	const char *text;
	int choice;
};

static const char *const choices[] = {"one", "two", NULL};

enum { FLAG, NUMBER, TIME, TEXT, CHOICE, VALUE, HELP };
static const struct tool_option options[] = {
	[FLAG] = {'f', "flag", TOOL_FLAG, offsetof(struct settings, flag), .help = "a flag", .uses = 1},
	[NUMBER] = {'n', "number", TOOL_INT, offsetof(struct settings, number), 1, 10, .argument = "N", .help = "a number",
		.uses = 2},
	[TIME] = {0, "time", TOOL_TIME, offsetof(struct settings, time_ns), 0, 2000000000, .argument = "TIME", .help = "a time"},
	[TEXT] = {'t', "text", TOOL_TEXT, offsetof(struct settings, text), .argument = "FILE", .help = "a text"},
	[CHOICE] = {0, "choice", TOOL_CHOICE, offsetof(struct settings, choice), .choices = choices, .argument = "NAME",
		.help = "a choice"},
	[VALUE] = {0, "value", TOOL_VALUE, .argument = "X", .help = "anything"},
	[HELP] = {'h', "help", TOOL_NOTHING, .help = "print this"},
};
#define OPTIONS (sizeof options / sizeof *options)

static struct tool_options parse;
static char message[1024];
static int saved = -1;
static FILE *caught;

static void catch_messages(void)
{
	caught = tmpfile();
	assert_non_null(caught);
	saved = dup(STDERR_FILENO);
	assert_true(dup2(fileno(caught), STDERR_FILENO) >= 0);
}

static void release_messages(void)
{
	assert_true(dup2(saved, STDERR_FILENO) >= 0);
	close(saved);
	rewind(caught);
	message[fread(message, 1, sizeof message - 1, caught)] = '\0';
	fclose(caught);
}

/* getopt_long moves the pointers about, not the texts. */
static void begin(int words, const char **word)
{
	optind = 0; /* glibc: begin anew */
	parse = (struct tool_options){
		.option = options, .count = OPTIONS, .program = "tool", .words = words, .word = (char **)word};
}

#define BEGIN(...)                                                                                                               \
	const char *words[] = {"tool", __VA_ARGS__, NULL};                                                                       \
	begin((int)(sizeof words / sizeof *words) - 1, words)

static void words_and_options_may_be_mixed(void **state)
{
	(void)state;
	BEGIN("a", "-f", "--number=3", "b", "-tfile", "-fn", "4", "--", "-c");
	assert_int_equal(tool_options_next(&parse, 0), TOOL_OPTIONS_WORD);
	assert_string_equal(parse.value, "a");
	assert_int_equal(tool_options_next(&parse, 0), FLAG);
	assert_null(parse.value);
	assert_int_equal(tool_options_next(&parse, 0), NUMBER);
	assert_string_equal(parse.value, "3");
	assert_int_equal(tool_options_next(&parse, 0), TOOL_OPTIONS_WORD);
	assert_int_equal(tool_options_next(&parse, 0), TEXT);
	assert_string_equal(parse.value, "file");
	assert_int_equal(tool_options_next(&parse, 0), FLAG);
	assert_int_equal(tool_options_next(&parse, 0), NUMBER);
	assert_string_equal(parse.value, "4");
	assert_int_equal(tool_options_next(&parse, 0), TOOL_OPTIONS_END);
	assert_string_equal(words[parse.stop], "-c");
}

static void a_word_may_end_the_options(void **state)
{
	(void)state;
	BEGIN("-f", "command", "-n", "x");
	assert_int_equal(tool_options_next(&parse, 1), FLAG);
	assert_int_equal(tool_options_next(&parse, 1), TOOL_OPTIONS_END);
	assert_string_equal(words[parse.stop], "command");
}

static void expect_refused(const char *first, const char *second, const char *expected)
{
	const char *words[] = {"tool", first, second, NULL};
	begin(second ? 3 : 2, words);
	catch_messages();
	const int found = tool_options_next(&parse, 0);
	release_messages();
	assert_int_equal(found, TOOL_OPTIONS_ERROR);
	assert_string_equal(message, expected);
}

static void wrong_options_are_refused(void **state)
{
	(void)state;
	expect_refused("--num", "3", "test: unknown option '--num' (see tool --help)\n");
	expect_refused("--num=3", NULL, "test: unknown option '--num' (see tool --help)\n");
	expect_refused("--nothing", NULL, "test: unknown option '--nothing' (see tool --help)\n");
	expect_refused("-x", NULL, "test: unknown option '-x' (see tool --help)\n");
	expect_refused("--number", NULL, "test: --number: its N is missing\n");
	expect_refused("-n", NULL, "test: --number: its N is missing\n");
	expect_refused("--flag=yes", NULL, "test: --flag: takes no value\n");
}

static void values_are_stored(void **state)
{
	(void)state;
	struct settings settings = {0};
	assert_int_equal(tool_options_set(&options[FLAG], &settings, "--flag", NULL), 0);
	assert_int_equal(tool_options_set(&options[NUMBER], &settings, "--number", "10"), 0);
	assert_int_equal(tool_options_set(&options[TIME], &settings, "--time", "1.5s"), 0);
	assert_int_equal(tool_options_set(&options[TEXT], &settings, "--text", "x"), 0);
	assert_int_equal(tool_options_set(&options[CHOICE], &settings, "--choice", "two"), 0);
	assert_int_equal(tool_options_set(&options[VALUE], &settings, "--value", "x"), 0);
	assert_true(settings.flag && settings.number == 10 && settings.time_ns == 1500000000 && settings.choice == 1);
	assert_string_equal(settings.text, "x");
}

static void expect_value_refused(int option, const char *text, const char *expected)
{
	struct settings settings = {.number = -7, .time_ns = -7, .choice = -7};
	catch_messages();
	const int result = tool_options_set(&options[option], &settings, "$SOURCE", text);
	release_messages();
	assert_int_equal(result, -1);
	assert_string_equal(message, expected);
	assert_true(settings.number == -7 && settings.time_ns == -7 && settings.choice == -7 && !settings.text);
}

static void wrong_values_are_refused(void **state)
{
	(void)state;
	expect_value_refused(NUMBER, "0", "test: $SOURCE: found '0', expected a whole number from 1 to 10\n");
	expect_value_refused(NUMBER, "11", "test: $SOURCE: found '11', expected a whole number from 1 to 10\n");
	expect_value_refused(NUMBER, "", "test: $SOURCE: found '', expected a whole number from 1 to 10\n");
	expect_value_refused(TIME, "3s",
		"test: $SOURCE: found '3s', expected a time such as 107m (milliseconds), 0.5s or 1M30s, from 0s to 2s\n");
	expect_value_refused(TEXT, "", "test: $SOURCE: found '', expected FILE\n");
	expect_value_refused(CHOICE, "three", "test: $SOURCE: found 'three', expected one of one, two\n");
}

static void expect_help(unsigned mask, const char *expected)
{
	char *text = NULL;
	size_t length;
	FILE *const to = open_memstream(&text, &length);
	assert_non_null(to);
	tool_options_help(options, 3, mask, to);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void help_has_a_line_per_option(void **state)
{
	(void)state;
	expect_help(0, "  -f, --flag       a flag\n"
		       "  -n, --number N   a number\n"
		       "      --time TIME  a time\n");
	expect_help(2, "  -n, --number N   a number\n");
}

int main(void)
{
	diag_name("test");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_and_options_may_be_mixed),
		cmocka_unit_test(a_word_may_end_the_options),
		cmocka_unit_test(wrong_options_are_refused),
		cmocka_unit_test(values_are_stored),
		cmocka_unit_test(wrong_values_are_refused),
		cmocka_unit_test(help_has_a_line_per_option),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
