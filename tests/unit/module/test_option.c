/* SPDX-License-Identifier: MIT */
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
#include "module/option.h"

static const char *const colours[] = {"red", "green", "blue", NULL};

struct values {
	const char *file;
	int64_t period;
	double load, gain;
	int64_t count;
	bool loop;
	int colour;
	const struct sst_cpus *cpus;
};

#define MEMBER(kind, member)                                                                                                     \
	.name = #member, .type = (kind), .offset = offsetof(struct values, member), .help = "help of " #member

static const struct sst_option options[] = {
	{MEMBER(SST_FILE, file)},
	{MEMBER(SST_TIME, period), .initial = "107m", .least = "1m", .most = "1h"},
	{MEMBER(SST_LOAD, load), .initial = "1/3", .most = "90%"},
	{MEMBER(SST_REAL, gain), .initial = "1", .least = "0"},
	{MEMBER(SST_INT, count), .least = "-2", .most = "1000"},
	{MEMBER(SST_FLAG, loop)},
	{MEMBER(SST_CHOICE, colour), .initial = "green", .choices = colours},
	{MEMBER(SST_CPUS, cpus)},
	{0},
};

/* Everything that needs an end, per test. */
struct fixture {
	struct values values;
	struct option_memory memory;
	char error[OPTION_ERROR_MAX];
	char printed[2048];
};

static struct fixture test;

static int clean(void **state)
{
	(void)state;
	memset(&test, 0, sizeof test);
	/* What is in the state before must not matter. */
	memset(&test.values, 0x5a, sizeof test.values);
	test.values.loop = true;
	return 0;
}

static int release(void **state)
{
	(void)state;
	option_free(&test.memory);
	assert_int_equal(test.memory.count, 0);
	option_free(&test.memory); /* twice does no harm */
	return 0;
}

static void parse(const char *text)
{
	option_free(&test.memory);
	if (option_parse(options, text, &test.values, &test.memory, test.error) != 0)
		fail_msg("'%s': %s", text ? text : "(null)", test.error);
}

/* The text is refused with exactly this message. */
static void refuse(const char *text, const char *message)
{
	option_free(&test.memory);
	memset(test.error, '#', sizeof test.error);
	assert_int_equal(option_parse(options, text, &test.values, &test.memory, test.error), -1);
	assert_non_null(memchr(test.error, '\0', sizeof test.error));
	assert_string_equal(test.error, message);
}

static const char *print(void)
{
	FILE *to = fmemopen(test.printed, sizeof test.printed, "w");
	assert_non_null(to);
	option_print(options, &test.values, to);
	fclose(to);
	return test.printed;
}

static void without_text_defaults_and_unset_values_hold(void **state)
{
	(void)state;
	parse(NULL);
	assert_null(test.values.file);
	assert_int_equal(test.values.period, 107 * NS_PER_MS);
	assert_true(test.values.load == 1.0 / 3);
	assert_true(test.values.gain == 1);
	assert_true(test.values.count == SST_UNSET);
	assert_false(test.values.loop);
	assert_int_equal(test.values.colour, 1);
	assert_null(test.values.cpus);
}

static void types_without_default_are_unset(void **state)
{
	(void)state;
	static const struct sst_option bare[] = {
		{MEMBER(SST_TIME, period)},
		{MEMBER(SST_LOAD, load)},
		{MEMBER(SST_REAL, gain)},
		{MEMBER(SST_INT, count)},
		{MEMBER(SST_CHOICE, colour), .choices = colours},
		{0},
	};
	assert_int_equal(option_parse(bare, NULL, &test.values, &test.memory, test.error), 0);
	assert_true(test.values.period == SST_UNSET);
	assert_true(isnan(test.values.load));
	assert_true(isnan(test.values.gain));
	assert_true(test.values.count == SST_UNSET);
	assert_int_equal(test.values.colour, -1);
	FILE *to = fmemopen(test.printed, sizeof test.printed, "w");
	option_print(bare, &test.values, to);
	fclose(to);
	assert_string_equal(test.printed, "");
}

static void every_type_is_set_by_name(void **state)
{
	(void)state;
	parse("colour=blue,cpus=0-1,count=-2,gain=2.5e-1,load=90%,loop,period=1h,file=a b");
	assert_string_equal(test.values.file, "a b");
	assert_int_equal(test.values.period, 3600 * NS_PER_S);
	assert_true(test.values.load == 0.9);
	assert_true(test.values.gain == 0.25);
	assert_int_equal(test.values.count, -2);
	assert_true(test.values.loop);
	assert_int_equal(test.values.colour, 2);
	assert_int_equal(test.values.cpus->count, 2);
	parse("loop=no");
	assert_false(test.values.loop);
	parse("loop=yes");
	assert_true(test.values.loop);
}

static void the_first_piece_may_do_without_its_name(void **state)
{
	(void)state;
	parse("saw.trace,gain=3,loop");
	assert_string_equal(test.values.file, "saw.trace");
	assert_true(test.values.gain == 3);
	assert_true(test.values.loop);
	parse("loop"); /* a flag's name is the flag … */
	assert_true(test.values.loop);
	assert_null(test.values.file);
	parse("gain"); /* … that of another option is a value */
	assert_string_equal(test.values.file, "gain");
	refuse("gain=1,saw.trace",
		"unknown option 'saw.trace': expected one of file, period, load, gain, count, loop, colour, cpus");
	refuse("loop,gain", "option 'gain': '' is malformed: expected a number, at least 0");
}

static void the_first_piece_is_had_without_a_table(void **state)
{
	(void)state;
	char value[8];
	assert_true(option_first_value("a,b=c", value, sizeof value));
	assert_string_equal(value, "a");
	assert_true(option_first_value("a\\,\\=b", value, sizeof value));
	assert_string_equal(value, "a,=b");
	assert_false(option_first_value("a=b,c", value, sizeof value));
	assert_false(option_first_value("", value, sizeof value));
	assert_false(option_first_value(",a", value, sizeof value));
	assert_true(option_first_value("1234567", value, sizeof value));
	assert_false(option_first_value("12345678", value, sizeof value));
}

static void a_backslash_takes_the_next_character_as_it_is(void **state)
{
	(void)state;
	parse("a\\,b,loop");
	assert_string_equal(test.values.file, "a,b");
	assert_true(test.values.loop);
	parse("a\\=b");
	assert_string_equal(test.values.file, "a=b");
	parse("file=a=b\\\\c");
	assert_string_equal(test.values.file, "a=b\\c");
	parse("file=end\\");
	assert_string_equal(test.values.file, "end\\");
	parse("file=\\,");
	assert_string_equal(test.values.file, ",");
}

static void processor_lists_go_on_over_commas(void **state)
{
	(void)state;
	parse("cpus=9,0,9-10,loop");
	assert_int_equal(test.values.cpus->count, 3);
	assert_true(test.values.loop);
	parse("cpus=0-1,8,3,gain=2");
	assert_int_equal(test.values.cpus->count, 4);
	assert_int_equal(test.values.cpus->cpu[3], 8);
	assert_true(test.values.gain == 2);
	assert_string_equal(print(), "period=107ms,load=0.3333333333333333,gain=2,loop=no,colour=green,cpus=0-1,3,8");
	static const struct sst_option first[] = {{MEMBER(SST_CPUS, cpus)}, {MEMBER(SST_FLAG, loop)}, {0}};
	option_free(&test.memory);
	assert_int_equal(option_parse(first, "4,2,loop", &test.values, &test.memory, test.error), 0);
	assert_int_equal(test.values.cpus->count, 2);
	assert_int_equal(test.values.cpus->cpu[0], 2);
	assert_true(test.values.loop);
	option_free(&test.memory);
	assert_int_equal(option_parse(first, "4\\,2,\\3,loop", &test.values, &test.memory, test.error), -1);
	assert_non_null(strstr(test.error, "unknown option '3'"));
	refuse("cpus=1,2x", "option 'cpus': '1,2x' is malformed: expected a list of processors such as 0-3,8");
}

/* A word for a list that the module finds itself. */
static void a_list_of_processors_may_have_a_word(void **state)
{
	(void)state;
	static const char *const words[] = {"ours", NULL};
	static const struct sst_option table[] = {{MEMBER(SST_CPUS, cpus), .choices = words}, {MEMBER(SST_FLAG, loop)}, {0}};
	assert_int_equal(option_check_table(table, sizeof test.values, test.error), 0);
	assert_int_equal(option_parse(table, "ours,loop", &test.values, &test.memory, test.error), 0);
	assert_non_null(test.values.cpus);
	assert_int_equal(test.values.cpus->count, 0);
	assert_true(test.values.loop);
	FILE *const to = fmemopen(test.printed, sizeof test.printed, "w");
	option_print(table, &test.values, to);
	fputc(' ', to);
	option_form(&table[0], to);
	fclose(to);
	assert_string_equal(test.printed, "cpus=ours,loop=yes cpus=CPUS|ours");
	option_free(&test.memory);
	assert_int_equal(option_parse(table, "cpus=1,3", &test.values, &test.memory, test.error), 0);
	assert_int_equal(test.values.cpus->count, 2);
	option_free(&test.memory);
	assert_int_equal(option_parse(table, "cpus=our", &test.values, &test.memory, test.error), -1);
	assert_non_null(strstr(test.error, "expected a list of processors such as 0-3,8, or ours"));
	static const char *const none[] = {NULL};
	const struct sst_option wrong[] = {{MEMBER(SST_CPUS, cpus), .choices = none}, {0}};
	assert_int_equal(option_check_table(wrong, sizeof test.values, test.error), -1);
	assert_string_equal(test.error, "option 'cpus' has no choices");
}

static void wrong_values_say_what_was_found_and_what_is_accepted(void **state)
{
	(void)state;
	refuse("period=fast", "option 'period': 'fast' is malformed: expected a time such as 107ms, 0.5s or 1min30s, "
			      "from 1ms to 1h");
	refuse("period=1u", "option 'period': '1u' is out of range: expected a time such as 107ms, 0.5s or 1min30s, "
			    "from 1ms to 1h");
	refuse("period=3601s", "option 'period': '3601s' is out of range: expected a time such as 107ms, 0.5s or "
			       "1min30s, from 1ms to 1h");
	refuse("load=2", "option 'load': '2' is out of range: expected a load from 0 to 1, such as 1/3, 0.25 or 25%, at most "
			 "90%; 2 per cent is 2%");
	refuse("load=91%",
		"option 'load': '91%' is out of range: expected a load from 0 to 1, such as 1/3, 0.25 or 25%, at most 90%");
	refuse("gain=-0.001", "option 'gain': '-0.001' is out of range: expected a number, at least 0");
	refuse("gain=nan", "option 'gain': 'nan' is malformed: expected a number, at least 0");
	refuse("count=1.5", "option 'count': '1.5' is malformed: expected a whole number, from -2 to 1000");
	refuse("count=-3", "option 'count': '-3' is out of range: expected a whole number, from -2 to 1000");
	refuse("count=99999999999999999999",
		"option 'count': '99999999999999999999' is out of range: expected a whole number, from -2 to 1000");
	refuse("loop=1", "option 'loop': '1' is malformed: expected yes or no");
	refuse("colour=mauve", "option 'colour': 'mauve' is malformed: expected red, green or blue");
	refuse("colour=", "option 'colour': '' is malformed: expected red, green or blue");
	refuse("colour=gree", "option 'colour': 'gree' is malformed: expected red, green or blue");
	refuse("file=", "option 'file': '' is malformed: expected the name of a file");
	refuse("cpus=3-1", "option 'cpus': '3-1' is out of range: expected a list of processors such as 0-3,8");
}

static void wrong_names_say_which_there_are(void **state)
{
	(void)state;
	refuse("speed=3", "unknown option 'speed': expected one of file, period, load, gain, count, loop, colour, cpus");
	refuse("=3", "an option without a name: expected one of file, period, load, gain, count, loop, colour, cpus");
	refuse("Gain=3", "unknown option 'Gain': expected one of file, period, load, gain, count, loop, colour, cpus");
	refuse("gai=3", "unknown option 'gai': expected one of file, period, load, gain, count, loop, colour, cpus");
	refuse("gain=3,", "an option without a name: expected one of file, period, load, gain, count, loop, colour, cpus");
	refuse("gain=1,gain=1", "option 'gain' is given twice");
	refuse("a,file=b", "option 'file' is given twice");
	refuse("loop,loop", "option 'loop' is given twice");
	assert_int_equal(option_parse(NULL, "gain=3", &test.values, &test.memory, test.error), -1);
	assert_string_equal(test.error, "unknown option 'gain': there are no options");
	assert_int_equal(option_parse(NULL, "x", &test.values, &test.memory, test.error), -1);
	assert_string_equal(test.error, "unknown option 'x': there are no options");
	assert_int_equal(option_parse(NULL, NULL, &test.values, &test.memory, test.error), 0);
}

static void required_options_must_be_there(void **state)
{
	(void)state;
	static const struct sst_option table[] = {{MEMBER(SST_LOAD, load), .required = true, .least = "1%"}, {0}};
	assert_int_equal(option_parse(table, NULL, &test.values, &test.memory, test.error), -1);
	assert_string_equal(
		test.error, "option 'load' is missing: expected a load from 0 to 1, such as 1/3, 0.25 or 25%, at least 1%");
	assert_int_equal(option_parse(table, "50%", &test.values, &test.memory, test.error), 0);
	assert_true(test.values.load == 0.5);
}

static void long_messages_end_in_time(void **state)
{
	(void)state;
	char text[4000];
	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = '\0';
	memset(test.error, '#', sizeof test.error);
	memcpy(text, "gain=", 5);
	assert_int_equal(option_parse(options, text, &test.values, &test.memory, test.error), -1);
	assert_non_null(memchr(test.error, '\0', sizeof test.error));
	assert_non_null(strstr(test.error, "option 'gain': 'xxx"));
	assert_non_null(strstr(test.error, "xxx' is malformed: expected a number"));
	/* More names than a message holds. */
	struct sst_option many[101] = {{0}};
	char names[100][32];
	for (size_t i = 0; i < 100; i++) {
		snprintf(names[i], sizeof names[i], "option-number-%zu", i);
		many[i] = (struct sst_option){
			.name = names[i], .type = SST_FLAG, .offset = offsetof(struct values, loop), .help = "x"};
	}
	memset(test.error, '#', sizeof test.error);
	assert_int_equal(option_parse(many, "nothing=1", &test.values, &test.memory, test.error), -1);
	assert_non_null(memchr(test.error, '\0', sizeof test.error));
	assert_non_null(strstr(test.error, "unknown option 'nothing': expected one of option-number-0, option-number-1,"));
}

static void what_is_printed_is_read_back(void **state)
{
	(void)state;
	static const char *const texts[] = {NULL,
		"a\\,b\\\\c\\=d,period=1s1n,load=0.1,gain=0.30000000000000004,count=0,loop,colour=red,cpus=9,1,2",
		"file=\\,\\,,loop=yes", "file=a=b=c"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char first[sizeof test.printed];
		parse(texts[i]);
		strcpy(first, print());
		parse(first);
		assert_string_equal(print(), first);
	}
	parse(texts[1]);
	assert_string_equal(print(),
		"file=a\\,b\\\\c=d,period=1.000000001s,load=0.1,gain=0.30000000000000004,count=0,loop=yes,colour=red,cpus=1-2,9");
	assert_string_equal(test.values.file, "a,b\\c=d");
	assert_ptr_equal(option_text(&options[0], &test.values), test.values.file);
}

static void help_shows_the_whole_table(void **state)
{
	(void)state;
	FILE *to = fmemopen(test.printed, sizeof test.printed, "w");
	assert_non_null(to);
	option_help(options, to);
	fclose(to);
	assert_non_null(strstr(test.printed, "  file=FILE\n      help of file\n"));
	assert_non_null(strstr(test.printed, "  period=TIME\n      help of period; from 1ms to 1h; default 107ms\n"));
	assert_non_null(strstr(test.printed, "  load=LOAD\n      help of load; at most 90%; default 1/3\n"));
	assert_non_null(strstr(test.printed, "  gain=NUMBER\n      help of gain; at least 0; default 1\n"));
	assert_non_null(strstr(test.printed, "  count=INTEGER\n      help of count; from -2 to 1000\n"));
	assert_non_null(strstr(test.printed, "  loop=yes|no\n"));
	assert_non_null(strstr(test.printed, "  colour=red|green|blue\n      help of colour; default green\n"));
	assert_non_null(strstr(test.printed, "  cpus=CPUS\n"));
	static const struct sst_option required[] = {{MEMBER(SST_TEXT, file), .required = true}, {0}};
	to = fmemopen(test.printed, sizeof test.printed, "w");
	assert_non_null(to);
	option_help(required, to);
	option_help(NULL, to);
	fclose(to);
	assert_string_equal(test.printed, "  file=TEXT\n      help of file; required\n");
}

static void right(const struct sst_option *table)
{
	if (option_check_table(table, sizeof(struct values), test.error) != 0)
		fail_msg("refused: %s", test.error);
}

static void wrong(const struct sst_option *table, const char *message)
{
	assert_int_equal(option_check_table(table, sizeof(struct values), test.error), -1);
	assert_string_equal(test.error, message);
}

/* The message names the option, and the text that is wrong. */
static void wrong_tables_are_found(void **state)
{
	(void)state;
	const size_t size = sizeof(struct values);
	const struct sst_option good = {MEMBER(SST_REAL, gain), .initial = "1", .least = "0", .most = "2"};
	struct sst_option table[] = {good, {0}, {0}};
	right(options);
	right(NULL);
	right(table);
#define WRONG(member, value, message)                                                                                            \
	do {                                                                                                                     \
		table[0] = good;                                                                                                 \
		table[0].member = value;                                                                                         \
		wrong(table, message);                                                                                           \
	} while (0)
	WRONG(type, (enum sst_type)99, "option 'gain' has an unknown type");
	WRONG(help, NULL, "option 'gain' has no help");
	WRONG(help, "", "option 'gain' has no help");
	WRONG(name, "", "option '' has a malformed name");
	WRONG(name, "a,b", "option 'a,b' has a malformed name");
	WRONG(name, "a=b", "option 'a=b' has a malformed name");
	WRONG(name, "a\\b", "option 'a\\b' has a malformed name");
	WRONG(offset, size, "option 'gain' lies outside the state");
	WRONG(offset, size - 1, "option 'gain' lies outside the state");
	WRONG(offset, SIZE_MAX, "option 'gain' lies outside the state");
	WRONG(offset, 1, "option 'gain' is not aligned"); /* no double can lie there */
	WRONG(initial, "many", "option 'gain' has the default 'many': expected a number");
	WRONG(initial, "3", "option 'gain' has the default '3', out of its bounds");
	WRONG(initial, "-1", "option 'gain' has the default '-1', out of its bounds");
	WRONG(least, "few", "option 'gain' has the lower bound 'few': expected a number");
	WRONG(most, "many", "option 'gain' has the upper bound 'many': expected a number");
	WRONG(least, "3", "option 'gain' has the lower bound '3' above the upper one, '2'");
#undef WRONG
	table[0] = (struct sst_option){MEMBER(SST_LOAD, load), .initial = "5 %"};
	wrong(table, "option 'load' has the default '5 %': expected a load from 0 to 1, such as 1/3, 0.25 or 25%");
	table[0] = (struct sst_option){MEMBER(SST_REAL, gain), .least = "3", .most = "2"}; /* nothing lies between */
	wrong(table, "option 'gain' has the lower bound '3' above the upper one, '2'");
	table[0] = (struct sst_option){MEMBER(SST_CHOICE, colour)};
	wrong(table, "option 'colour' has no choices");
	static const char *const none[] = {NULL};
	table[0].choices = none;
	wrong(table, "option 'colour' has no choices");
	table[0].choices = colours;
	right(table);
	table[0].initial = "mauve";
	wrong(table, "option 'colour' has the default 'mauve': expected red, green or blue");
	table[0] = (struct sst_option){MEMBER(SST_TEXT, file), .least = "a"};
	wrong(table, "option 'file' has bounds, and its type no order");
	table[0].type = SST_FILE;
	wrong(table, "option 'file' has bounds, and its type no order");
	table[0].least = NULL;
	table[0].initial = "a";
	right(table);
	table[0] = (struct sst_option){MEMBER(SST_CPUS, cpus), .initial = "0,x"};
	wrong(table, "option 'cpus' has the default '0,x': expected a list of processors such as 0-3,8");
	table[0].initial = "0-3,5";
	right(table);
	table[0] = table[1] = good;
	wrong(table, "option 'gain' is there twice");
	table[1].name = "other";
	right(table);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, clean, release)
	const struct CMUnitTest tests[] = {
		TEST(a_list_of_processors_may_have_a_word),
		TEST(without_text_defaults_and_unset_values_hold),
		TEST(types_without_default_are_unset),
		TEST(every_type_is_set_by_name),
		TEST(the_first_piece_may_do_without_its_name),
		TEST(the_first_piece_is_had_without_a_table),
		TEST(a_backslash_takes_the_next_character_as_it_is),
		TEST(processor_lists_go_on_over_commas),
		TEST(wrong_values_say_what_was_found_and_what_is_accepted),
		TEST(wrong_names_say_which_there_are),
		TEST(required_options_must_be_there),
		TEST(long_messages_end_in_time),
		TEST(what_is_printed_is_read_back),
		TEST(help_shows_the_whole_table),
		TEST(wrong_tables_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
