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

#include "report/table.h"

static const struct report_column columns[] = {
	{"label", REPORT_IS_TEXT, "label", 0, 1, NULL},
	{"hidden", REPORT_IS_TEXT, NULL, 0, 1, NULL},
	{"load", 4, "load %", 1, 100, NULL},
	{"nothing", 2, "nothing", 2, 1, NULL},
	{"mse_pp2", 2, "MSE pp\xc2\xb2", 0, 1, NULL},
};
#define COLUMNS (sizeof columns / sizeof *columns)

static void add(struct report_table *table, const char *label, double load, double mse)
{
	const union report_cell cell[COLUMNS] = {
		{.text = label}, {.text = "file"}, {.number = load}, {.number = NAN}, {.number = mse}};
	assert_int_equal(report_table_add(table, cell), 0);
}

static void expect_text(const struct report_table *table, enum report_format format, const char *expected)
{
	char *text = NULL;
	size_t length;
	FILE *const to = open_memstream(&text, &length);
	assert_non_null(to);
	assert_int_equal(report_table_write(table, format, to), 0);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void all_formats_say_the_same(void **state)
{
	(void)state;
	struct report_table *const table = report_table_new(columns, COLUMNS);
	assert_non_null(table);
	add(table, "even", 0.5, 12.5);
	add(table, "\xc3\xa9, \"odd\"|", -0.00001, INFINITY);
	add(table, NULL, 1, 0);
	assert_int_equal(report_table_rows(table), 3);
	expect_text(table, REPORT_TEXT,
		"label      load %  MSE pp\xc2\xb2\n"
		"even         50.0       12\n"
		"\xc3\xa9, \"odd\"|     0.0         \n"
		"            100.0        0\n");
	expect_text(table, REPORT_CSV,
		"label,hidden,load,nothing,mse_pp2\n"
		"even,file,0.5000,,12.50\n"
		"\"\xc3\xa9, \"\"odd\"\"|\",file,0.0000,,\n"
		",file,1.0000,,0.00\n");
	expect_text(table, REPORT_MARKDOWN,
		"| label | load % | MSE pp\xc2\xb2 |\n"
		"| --- | ---: | ---: |\n"
		"| even | 50.0 | 12 |\n"
		"| \xc3\xa9, \"odd\"\\| | 0.0 |  |\n"
		"|  | 100.0 | 0 |\n");
	expect_text(table, REPORT_JSON,
		"[\n"
		"{\"label\":\"even\",\"hidden\":\"file\",\"load\":0.5000,\"nothing\":null,\"mse_pp2\":12.50},\n"
		"{\"label\":\"\xc3\xa9, \\\"odd\\\"|\",\"hidden\":\"file\",\"load\":0.0000,\"nothing\":null,\"mse_pp2\":null},\n"
		"{\"label\":null,\"hidden\":\"file\",\"load\":1.0000,\"nothing\":null,\"mse_pp2\":0.00}\n"
		"]\n");
	report_table_free(table);
}

static void labels_can_not_break_out(void **state)
{
	(void)state;
	struct report_table *const table = report_table_new(columns, 1);
	const union report_cell cell = {.text = "a\x1b[2J\n\\\"<b>\xff"};
	assert_non_null(table);
	assert_int_equal(report_table_add(table, &cell), 0);
	expect_text(table, REPORT_TEXT, "label       \na?[2J?\\\"<b>\xef\xbf\xbd\n");
	expect_text(table, REPORT_CSV, "label\n\"a\x1b[2J\n\\\"\"<b>\xff\"\n");
	expect_text(table, REPORT_MARKDOWN, "| label |\n| --- |\n| a?\\[2J?\\\\\"\\<b\\>\xef\xbf\xbd |\n");
	expect_text(table, REPORT_JSON, "[\n{\"label\":\"a?[2J?\\\\\\\"<b>\xef\xbf\xbd\"}\n]\n");
	report_table_free(table);
}

static void what_is_missing_may_be_said(void **state)
{
	(void)state;
	static const struct report_column lacking[] = {
		{"a,b", REPORT_IS_TEXT, "a|b", 0, 1, NULL}, {"\"n\"", 0, "n", 0, 1, "unavailable"}};
	struct report_table *const table = report_table_new(lacking, 2);
	const union report_cell cell[][2] = {{{.text = "x"}, {.number = NAN}}, {{.text = "y"}, {.number = 3}}};
	assert_non_null(table);
	assert_int_equal(report_table_add(table, cell[0]), 0);
	expect_text(table, REPORT_TEXT, "a|b            n\nx    unavailable\n");
	assert_int_equal(report_table_add(table, cell[1]), 0);
	expect_text(table, REPORT_TEXT, "a|b            n\nx    unavailable\ny              3\n");
	expect_text(table, REPORT_MARKDOWN, "| a\\|b | n |\n| --- | ---: |\n| x | unavailable |\n| y | 3 |\n");
	expect_text(table, REPORT_CSV, "\"a,b\",\"\"\"n\"\"\"\nx,\ny,3\n");
	expect_text(table, REPORT_JSON, "[\n{\"a,b\":\"x\",\"\\\"n\\\"\":null},\n{\"a,b\":\"y\",\"\\\"n\\\"\":3}\n]\n");
	report_table_free(table);
}

static void a_table_without_rows_has_a_form(void **state)
{
	(void)state;
	struct report_table *const table = report_table_new(columns, COLUMNS);
	assert_non_null(table);
	expect_text(table, REPORT_CSV, "label,hidden,load,nothing,mse_pp2\n");
	expect_text(table, REPORT_JSON, "[\n]\n");
	report_table_free(table);
}

static void expect_clean(const char *text, const char *expected)
{
	char *const clean = report_text_clean(text);
	assert_non_null(clean);
	assert_string_equal(clean, expected);
	free(clean);
}

#define BAD "\xef\xbf\xbd"

static void texts_become_valid(void **state)
{
	(void)state;
	expect_clean("", "");
	expect_clean("plain", "plain");
	expect_clean("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
	expect_clean("a\tb\x7f\xc2\x9b", "a?b??");
	expect_clean("\xff\xc3", BAD BAD);
	expect_clean("\xc0\x80", BAD BAD);                 /* overlong */
	expect_clean("\xe0\x80\x80", BAD BAD BAD);         /* overlong */
	expect_clean("\xed\xa0\x80", BAD BAD BAD);         /* surrogate */
	expect_clean("\xf4\x90\x80\x80", BAD BAD BAD BAD); /* above U+10FFFF */
	expect_clean("\xe2\x82", BAD BAD);                 /* cut off */
	assert_int_equal(report_text_width("\xc3\xa9\xe2\x82\xac"
					   "ab"),
		4);
}

static void expect_short(const char *text, size_t width, const char *expected)
{
	char *const shorter = report_text_shorten(text, width);
	assert_non_null(shorter);
	assert_string_equal(shorter, expected);
	free(shorter);
}

#define ELLIPSIS "\xe2\x80\xa6"

static void long_texts_are_shortened(void **state)
{
	(void)state;
	expect_short("", 1, "");
	expect_short("four", 4, "four");
	expect_short("fives", 4, "fiv" ELLIPSIS);
	expect_short("fives", 1, ELLIPSIS);
	expect_short("\xc3\xa9\xc3\xa9\xc3\xa9", 2, "\xc3\xa9" ELLIPSIS);
	expect_short("\xff\n", 2, BAD "?");
}

/* As many as there are: room is made again and again. */
static void rows_stay_what_they_were(void **state)
{
	(void)state;
	static const struct report_column counted[] = {{"a", 0, "a", 0, 1, NULL}, {"b", 0, "b", 0, 1, NULL}};
	struct report_table *const table = report_table_new(counted, 2);
	assert_non_null(table);
	char expected[32768] = "a,b\n";
	size_t length = strlen(expected);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(report_table_add(table, (const union report_cell[]){{.number = i}, {.number = 7 * i}}), 0);
		length += (size_t)snprintf(expected + length, sizeof expected - length, "%d,%d\n", i, 7 * i);
	}
	assert_int_equal(report_table_rows(table), 1000);
	expect_text(table, REPORT_CSV, expected);
	report_table_free(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_formats_say_the_same),
		cmocka_unit_test(labels_can_not_break_out),
		cmocka_unit_test(what_is_missing_may_be_said),
		cmocka_unit_test(a_table_without_rows_has_a_form),
		cmocka_unit_test(texts_become_valid),
		cmocka_unit_test(long_texts_are_shortened),
		cmocka_unit_test(rows_stay_what_they_were),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
