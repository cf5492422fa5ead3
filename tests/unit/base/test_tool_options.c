/* SPDX-License-Identifier: MIT */
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
	unsigned count;
	enum { WALK, RUN } pace;
};

static const char *const choices[] = {"one", "two", NULL};

/* Takes what begins with a k. */
static int set_call(void *settings, const char *source, const char *text)
{
	struct settings *const to = settings;
	if (*text != 'k') {
		diag("%s: no k", source);
		return -1;
	}
	to->text = text + 1;
	return 0;
}

enum { FLAG, NUMBER, TIME, TEXT, CHOICE, VALUE, HELP, COUNT, ANY_TEXT, PACE, CALL };
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
	[COUNT] = {'c', "count", TOOL_COUNT, offsetof(struct settings, count), 1, 9, .argument = "N", .help = "a count",
		.uses = 5},
	[ANY_TEXT] = {0, "any-text", TOOL_ANY_TEXT, offsetof(struct settings, text), .argument = "STR", .help = "a text or none"},
	[PACE] = {'r', "run", TOOL_CONSTANT, offsetof(struct settings, pace), .least = RUN, .help = "run", .uses = 4},
	[CALL] = {'k', "call", TOOL_CALL, .argument = "K", .help = "what begins with a k", .call = set_call},
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

static void begin(int words, const char **word)
{
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
	assert_true(parse.ends_by_dashes);
}

static void a_word_may_end_the_options(void **state)
{
	(void)state;
	BEGIN("-f", "command", "-n", "x");
	assert_int_equal(tool_options_next(&parse, 1), FLAG);
	assert_int_equal(tool_options_next(&parse, 1), TOOL_OPTIONS_END);
	assert_string_equal(words[parse.stop], "command");
	assert_false(parse.ends_by_dashes);
	assert_int_equal(tool_options_next(&parse, 1), TOOL_OPTIONS_END); /* and that is where it stays */
	assert_string_equal(words[parse.stop], "command");
}

static void dashes_may_be_a_value_or_a_word(void **state)
{
	(void)state;
	BEGIN("-t", "--", "-", "--value", "-f", "--value=", "--", "x");
	assert_int_equal(tool_options_next(&parse, 0), TEXT);
	assert_string_equal(parse.value, "--");
	assert_int_equal(tool_options_next(&parse, 0), TOOL_OPTIONS_WORD);
	assert_string_equal(parse.value, "-");
	assert_int_equal(tool_options_next(&parse, 0), VALUE);
	assert_string_equal(parse.value, "-f");
	assert_int_equal(tool_options_next(&parse, 0), VALUE);
	assert_string_equal(parse.value, "");
	assert_int_equal(tool_options_next(&parse, 0), TOOL_OPTIONS_END);
	assert_true(parse.ends_by_dashes);
	assert_string_equal(words[parse.stop], "x");
}

static void options_end_with_the_words(void **state)
{
	(void)state;
	BEGIN("-t", "--");
	assert_int_equal(tool_options_next(&parse, 1), TEXT);
	assert_int_equal(tool_options_next(&parse, 1), TOOL_OPTIONS_END);
	assert_int_equal(parse.stop, 3);
	assert_false(parse.ends_by_dashes);
}

/* As for the groups of a command line; and one parse does not disturb another. */
static void a_parse_may_begin_anywhere(void **state)
{
	(void)state;
	BEGIN("-fr", "command", "-rn3", "-f", "other");
	struct tool_options second = parse;
	second.stop = 3;
	assert_int_equal(tool_options_next(&second, 1), PACE);
	assert_int_equal(tool_options_next(&second, 1), NUMBER);
	assert_string_equal(second.value, "3");
	assert_int_equal(tool_options_next(&second, 1), FLAG);
	assert_int_equal(tool_options_next(&second, 1), TOOL_OPTIONS_END);
	assert_int_equal(second.stop, 5);
	/* A new one takes up nothing of the one before. */
	assert_int_equal(tool_options_next(&parse, 1), FLAG);
	assert_int_equal(tool_options_next(&parse, 1), PACE);
	assert_int_equal(tool_options_next(&parse, 1), TOOL_OPTIONS_END);
	assert_int_equal(parse.stop, 2);
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

static void expect_fault(const char *word, enum tool_options_fault fault, int option, int letter)
{
	const char *words[] = {"tool", word, NULL};
	begin(2, words);
	catch_messages();
	int found;
	while ((found = tool_options_scan(&parse, 0)) >= 0)
		;
	release_messages();
	assert_int_equal(found, TOOL_OPTIONS_ERROR);
	assert_string_equal(message, "");
	assert_int_equal(parse.fault, fault);
	assert_ptr_equal(parse.faulty, option < 0 ? NULL : &options[option]);
	assert_ptr_equal(parse.where, word);
	assert_int_equal(parse.letter, letter);
}

static void a_scan_tells_what_is_wrong(void **state)
{
	(void)state;
	expect_fault("--num", TOOL_OPTIONS_UNKNOWN, -1, 0);
	expect_fault("--numbers=3", TOOL_OPTIONS_UNKNOWN, -1, 0);
	expect_fault("--=", TOOL_OPTIONS_UNKNOWN, -1, 0);
	expect_fault("-fx", TOOL_OPTIONS_UNKNOWN, -1, 'x');
	expect_fault("-f-", TOOL_OPTIONS_UNKNOWN, -1, '-');
	expect_fault("-:", TOOL_OPTIONS_UNKNOWN, -1, ':');
	expect_fault("-\xff", TOOL_OPTIONS_UNKNOWN, -1, 0xff);
	expect_fault("-fn", TOOL_OPTIONS_LACKS_VALUE, NUMBER, 'n');
	expect_fault("--number", TOOL_OPTIONS_LACKS_VALUE, NUMBER, 0);
	expect_fault("--flag=", TOOL_OPTIONS_TAKES_NO_VALUE, FLAG, 0);
}

static void wrong_options_are_refused(void **state)
{
	(void)state;
	expect_refused("--num", "3", "test: unknown option '--num': expected --number in full\n");
	expect_refused("--num=3", NULL, "test: unknown option '--num': expected --number in full\n");
	expect_refused("--nothing", NULL, "test: unknown option '--nothing' (see tool --help)\n");
	expect_refused("--nubmer=3", NULL, "test: unknown option '--nubmer': did you mean --number? (see tool --help)\n");
	expect_refused("--choise", "one", "test: unknown option '--choise': did you mean --choice? (see tool --help)\n");
	expect_refused("--tex", NULL, "test: unknown option '--tex': expected --text in full\n");
	expect_refused("--tone", NULL, "test: unknown option '--tone' (see tool --help)\n");
	expect_refused("-x", NULL, "test: unknown option '-x' (see tool --help)\n");
	expect_refused("--number", NULL, "test: --number: its N is missing\n");
	expect_refused("-n", NULL, "test: -n: its N is missing\n");
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
	assert_int_equal(tool_options_set(&options[COUNT], &settings, "--count", "9"), 0);
	assert_int_equal(tool_options_set(&options[PACE], &settings, "--run", NULL), 0);
	assert_true(settings.count == 9 && settings.pace == RUN);
	assert_int_equal(tool_options_set(&options[ANY_TEXT], &settings, "--any-text", ""), 0);
	assert_string_equal(settings.text, "");
	assert_int_equal(tool_options_set(&options[CALL], &settings, "--call", "kind"), 0);
	assert_string_equal(settings.text, "ind");
}

/* The next option's value, in a message that calls the option as it was given. */
static void expect_next_refused(const char *expected)
{
	struct settings settings = {0};
	catch_messages();
	const int result = tool_options_take(&parse, tool_options_next(&parse, 0), &settings);
	release_messages();
	assert_int_equal(result, -1);
	assert_string_equal(message, expected);
}

static void what_was_found_is_stored(void **state)
{
	(void)state;
	struct settings settings = {0};
	BEGIN("-n4", "--number=11", "-fn12", "-kx", "--call", "y");
	assert_int_equal(tool_options_take(&parse, tool_options_next(&parse, 0), &settings), 0);
	assert_int_equal(settings.number, 4);
	expect_next_refused("test: --number: '11' is out of range: expected a whole number, from 1 to 10\n");
	assert_int_equal(tool_options_take(&parse, tool_options_next(&parse, 0), &settings), 0);
	assert_true(settings.flag);
	expect_next_refused("test: -n: '12' is out of range: expected a whole number, from 1 to 10\n");
	expect_next_refused("test: -k: no k\n");
	expect_next_refused("test: --call: no k\n");
}

static void expect_value_refused(int option, const char *text, const char *expected)
{
	struct settings settings = {.number = -7, .time_ns = -7, .choice = -7, .count = 7};
	catch_messages();
	const int result = tool_options_set(&options[option], &settings, "$SOURCE", text);
	release_messages();
	assert_int_equal(result, -1);
	assert_string_equal(message, expected);
	assert_true(settings.number == -7 && settings.time_ns == -7 && settings.choice == -7 && settings.count == 7 &&
		    !settings.text);
}

static void wrong_values_are_refused(void **state)
{
	(void)state;
	expect_value_refused(NUMBER, "0", "test: $SOURCE: '0' is out of range: expected a whole number, from 1 to 10\n");
	expect_value_refused(NUMBER, "11", "test: $SOURCE: '11' is out of range: expected a whole number, from 1 to 10\n");
	expect_value_refused(NUMBER, "", "test: $SOURCE: '' is malformed: expected a whole number, from 1 to 10\n");
	expect_value_refused(TIME, "3s",
		"test: $SOURCE: '3s' is out of range: expected a time such as 107ms, 0.5s or 1min30s, from 0s to 2s\n");
	expect_value_refused(TEXT, "", "test: $SOURCE: '' is malformed: expected FILE\n");
	expect_value_refused(CHOICE, "three", "test: $SOURCE: 'three' is malformed: expected one or two\n");
	expect_value_refused(COUNT, "0", "test: $SOURCE: '0' is out of range: expected a whole number, from 1 to 9\n");
	expect_value_refused(
		COUNT, "4294967297", "test: $SOURCE: '4294967297' is out of range: expected a whole number, from 1 to 9\n");
	expect_value_refused(CALL, "x", "test: $SOURCE: no k\n");
}

static void expect_help(const struct settings *defaults, const char *expected)
{
	char *text = NULL;
	size_t length;
	FILE *const to = open_memstream(&text, &length);
	assert_non_null(to);
	tool_options_help(options, 5, defaults, to);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void help_has_a_line_per_option_and_the_defaults(void **state)
{
	(void)state;
	const struct settings defaults = {.number = 10, .time_ns = 107000000, .text = "x", .choice = 1};
	expect_help(&defaults, "  -f, --flag         a flag\n"
			       "  -n, --number N     a number (default 10)\n"
			       "      --time TIME    a time (default 107ms)\n"
			       "  -t, --text FILE    a text (default x)\n"
			       "      --choice NAME  a choice (default two)\n");
	/* What can't be given is no default. */
	const struct settings unset = {.number = 0, .time_ns = -1, .text = "", .choice = 2};
	expect_help(&unset, "  -f, --flag         a flag\n"
			    "  -n, --number N     a number\n"
			    "      --time TIME    a time\n"
			    "  -t, --text FILE    a text\n"
			    "      --choice NAME  a choice\n");
}

static void help_may_be_laid_out_otherwise(void **state)
{
	(void)state;
	const struct settings defaults = {.number = 3};
	char *text = NULL;
	size_t length;
	FILE *const to = open_memstream(&text, &length);
	assert_non_null(to);
	tool_options_help_row(&options[FLAG], &defaults, 14, '=', to);
	tool_options_help_row(&options[NUMBER], &defaults, 14, '=', to);
	tool_options_help_row(&options[COUNT], &defaults, 15, ' ', to);
	tool_options_help_row(&options[PACE], &defaults, 15, ' ', to);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, "  -f, --flag  a flag\n"
				  "  -n, --number=N a number (default 3)\n"
				  "  -c, --count N a count\n"
				  "  -r, --run    run\n");
	free(text);
}

int main(void)
{
	diag_name("test");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_and_options_may_be_mixed),
		cmocka_unit_test(a_word_may_end_the_options),
		cmocka_unit_test(dashes_may_be_a_value_or_a_word),
		cmocka_unit_test(options_end_with_the_words),
		cmocka_unit_test(a_parse_may_begin_anywhere),
		cmocka_unit_test(a_scan_tells_what_is_wrong),
		cmocka_unit_test(wrong_options_are_refused),
		cmocka_unit_test(values_are_stored),
		cmocka_unit_test(what_was_found_is_stored),
		cmocka_unit_test(wrong_values_are_refused),
		cmocka_unit_test(help_has_a_line_per_option_and_the_defaults),
		cmocka_unit_test(help_may_be_laid_out_otherwise),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
