/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/matrix.h"

static char error[CSV_ERROR_MAX];
static struct report_matrix matrix;
static bool is_cut;

static int read_text(const char *text)
{
	report_matrix_free(&matrix);
	error[0] = '\0';
	struct csv *const csv = csv_open_text(text, strlen(text), "f", error);
	const int result = csv ? report_matrix_take(&matrix, csv, "f", &is_cut, error) : -1;
	csv_close(csv);
	return result;
}

static int free_matrix(void **state)
{
	(void)state;
	report_matrix_free(&matrix);
	return 0;
}

static void cells_have_numbers_and_marks(void **state)
{
	(void)state;
	assert_int_equal(read_text("corner,a,\"b,c\"\nx,1.50,-2 ap\ny,,3e2  p\n"), 0);
	assert_int_equal(matrix.columns, 2);
	assert_int_equal(matrix.rows, 2);
	assert_string_equal(matrix.corner, "corner");
	assert_string_equal(matrix.column[1], "b,c");
	assert_string_equal(matrix.row[1], "y");
	assert_true(report_matrix_at(&matrix, 0, 0)->number == 1.5);
	assert_string_equal(report_matrix_at(&matrix, 0, 0)->text, "1.50");
	assert_null(report_matrix_at(&matrix, 0, 0)->mark);
	assert_true(report_matrix_at(&matrix, 0, 1)->number == -2);
	assert_string_equal(report_matrix_at(&matrix, 0, 1)->mark, "ap");
	assert_true(isnan(report_matrix_at(&matrix, 1, 0)->number));
	assert_null(report_matrix_at(&matrix, 1, 0)->text);
	assert_string_equal(report_matrix_at(&matrix, 1, 1)->mark, "p");
	assert_false(is_cut);
}

static void the_corner_may_be_empty_and_the_end_missing(void **state)
{
	(void)state;
	assert_int_equal(read_text(",a\nx,1\ny,2"), 0);
	assert_string_equal(matrix.corner, "");
	assert_int_equal(matrix.rows, 1);
	assert_true(is_cut);
}

static void expect_refused(const char *text, const char *expected)
{
	assert_int_equal(read_text(text), -1);
	assert_string_equal(error, expected);
}

static void what_is_no_table_of_numbers_is_refused(void **state)
{
	(void)state;
	expect_refused("a\n1\n", "f:1: found 0 columns behind the names of rows, expected 1 to 100");
	expect_refused("a,b\n", "f: found no whole row after the header");
	expect_refused("a,b\nx,two\n", "f:2:3: b: found 'two', expected a number, with a blank before what follows");
	expect_refused("a,b\nx,2p\n", "f:2:3: b: found '2p', expected a number, with a blank before what follows");
	expect_refused("a,b\nx,\033[2J\n", "f:2:3: b: found '?[2J', expected a number, with a blank before what follows");
	expect_refused("a,b\nx,nan\n", "f:2:3: b: found 'nan', expected a number, with a blank before what follows");
	expect_refused("a,b\nx, \n", "f:2:3: b: found ' ', expected a number, with a blank before what follows");
	char large[4096] = "a,b\n";
	for (int i = 0; i < 101; i++)
		strcat(large, "x,1\n");
	expect_refused(large, "f:102:1: a: found more rows, expected at most 100");
}

/* A picture is as large as its texts need, and its script can't be ended by them. */
static void heat_maps_are_scripts(void **state)
{
	(void)state;
	static const struct report_heat_range wide = {-100, 100};
	char script[8192];
	assert_int_equal(read_text("x,a\nr,1\n"), 0);
	const struct report_size narrow = report_heat_size(&matrix);
	assert_int_equal(read_text("x,a,'b\nr,1,3 it's\nlong name of a row,,1\n"), 0);
	const struct report_size size = report_heat_size(&matrix);
	const struct report_heat_range own = report_heat_range(&matrix, NULL, 0);
	assert_true(size.width > narrow.width && size.height > narrow.height);
	for (int i = 0; i < 2; i++) {
		struct plot *const plot = plot_new(PLOT_SVG, size.width, size.height);
		assert_non_null(plot);
		assert_int_equal(report_heat_draw(plot, &matrix, i ? &wide : &own, &size), 0);
		FILE *const from = plot_script(plot);
		rewind(from);
		script[fread(script, 1, sizeof script - 1, from)] = '\0';
		assert_non_null(strstr(script, "'3 it''s'"));
		assert_non_null(strstr(script, "'''b'"));
		/* The least is light and the most is dark; of a wider range both are in between. An empty cell is grey. */
		char low[16];
		snprintf(low, sizeof low, " %u\n", 0xf7fbff);
		assert_true(!strstr(script, low) == (i == 1));
		snprintf(low, sizeof low, " %u\n", 0xeeeeee);
		assert_non_null(strstr(script, low));
		plot_free(plot);
	}
}

/* A workload that is far from all others would leave them one colour. */
static void outliers_have_no_say_in_the_range(void **state)
{
	(void)state;
	const char *const far[] = {"avrora", "h2"};
	assert_int_equal(read_text("x,avrora,fop,h2\navrora,-60,91,106\nfop,3,,4\nh2,-7,5,8\n"), 0);
	const struct report_heat_range all = report_heat_range(&matrix, far, 0);
	assert_true(all.low == -60 && all.high == 106);
	const struct report_heat_range less = report_heat_range(&matrix, far, 1);
	assert_true(less.low == 4 && less.high == 8);
	/* Nothing is left, and it is drawn all the same. */
	const struct report_heat_range none = report_heat_range(&matrix, far, 2), around = {0, 2};
	assert_int_equal(report_heat_color(1, &none), report_heat_color(1, &around));
	const struct report_size size = report_heat_size(&matrix);
	struct plot *const plot = plot_new(PLOT_SVG, size.width, size.height);
	assert_non_null(plot);
	assert_int_equal(report_heat_draw(plot, &matrix, &none, &size), 0);
	plot_free(plot);
	assert_true(report_matrix_has(&matrix, "h2"));
	assert_false(report_matrix_has(&matrix, "x"));
}

static void expect_cell(size_t row, size_t column, double number, const char *text)
{
	const struct report_matrix_cell *const cell = report_matrix_at(&matrix, row, column);
	if (!text) {
		assert_true(isnan(cell->number) && !cell->text && !cell->mark);
		return;
	}
	assert_true(cell->number == number);
	assert_string_equal(cell->text, text);
	assert_string_equal(cell->mark, strchr(text, ' ') + 1);
}

static void numbers_are_put_where_names_meet(void **state)
{
	(void)state;
	char name[16];
	report_matrix_free(&matrix);
	assert_int_equal(report_matrix_put(&matrix, "fop", "h2", 0.9, 3, "0.8..1.0"), 0);
	assert_int_equal(report_matrix_put(&matrix, "h2", "fop", 1.1, 2, "m"), 0);
	assert_int_equal(report_matrix_put(&matrix, "fop", "fop", -1, 0, "n"), 0);
	assert_int_equal(matrix.rows, 2);
	assert_int_equal(matrix.columns, 2);
	assert_string_equal(matrix.row[1], "h2");
	assert_string_equal(matrix.column[1], "fop");
	expect_cell(0, 0, 0.9, "0.900 0.8..1.0");
	expect_cell(0, 1, -1, "-1 n");
	expect_cell(1, 0, NAN, NULL);
	expect_cell(1, 1, 1.1, "1.10 m");
	assert_int_equal(report_matrix_put(&matrix, "fop", "h2", 1, 3, "twice"), -1);
	assert_int_equal(errno, EEXIST);
	for (int i = 2; i < REPORT_MATRIX_MOST; i++) {
		snprintf(name, sizeof name, "row %d", i);
		assert_int_equal(report_matrix_put(&matrix, name, "h2", i, 0, "m"), 0);
	}
	assert_int_equal(report_matrix_put(&matrix, "more", "h2", 1, 0, "m"), -1);
	assert_int_equal(errno, E2BIG);
	assert_int_equal(report_matrix_put(&matrix, "more", "new", 1, 0, "m"), -1);
	assert_int_equal(errno, E2BIG);
	expect_cell(1, 1, 1.1, "1.10 m");
	assert_int_equal(matrix.rows, REPORT_MATRIX_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(cells_have_numbers_and_marks, free_matrix),
		cmocka_unit_test_teardown(the_corner_may_be_empty_and_the_end_missing, free_matrix),
		cmocka_unit_test_teardown(what_is_no_table_of_numbers_is_refused, free_matrix),
		cmocka_unit_test_teardown(heat_maps_are_scripts, free_matrix),
		cmocka_unit_test_teardown(outliers_have_no_say_in_the_range, free_matrix),
		cmocka_unit_test_teardown(numbers_are_put_where_names_meet, free_matrix),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
