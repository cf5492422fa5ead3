/* SPDX-License-Identifier: MIT */
/* gnuplot is played by scripts of ours; the real one draws in tests/cli/ssreport.sh. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/plot.h"

static char folder[] = "/tmp/test_plot.XXXXXX";
static char error[PLOT_ERROR_MAX];

/* Puts a program of that name into an otherwise empty search path. */
static void play_gnuplot(const char *script)
{
	FILE *const file = fopen("gnuplot", "w");
	ck_assert_ptr_nonnull(file);
	fputs(script, file);
	ck_assert_int_eq(fclose(file), 0);
	ck_assert_int_eq(chmod("gnuplot", 0755), 0);
}

static void setup(void)
{
	strcpy(strrchr(folder, '.'), ".XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(setenv("PATH", folder, 1), 0);
}

static void teardown(void)
{
	unlink("gnuplot");
	unlink("picture");
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(folder), 0);
}

static const char *text_of(const char *path)
{
	static char text[65536];
	FILE *const file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);
	return text;
}

static int draw(const char *path)
{
	struct plot *const plot = plot_new(PLOT_SVG, 8.5, 6);
	ck_assert_ptr_nonnull(plot);
	fprintf(plot_script(plot), "plot ");
	ck_assert_int_eq(plot_quote(plot, "it's `id` \"$(id)\"\nset output \\ @x \xff"), 0);
	fputc('\n', plot_script(plot));
	const int result = plot_draw(plot, path, error);
	plot_free(plot);
	return result;
}

START_TEST(endings_tell_the_format)
{
	ck_assert_int_eq(plot_format_of("a.png"), PLOT_PNG);
	ck_assert_int_eq(plot_format_of("a.b/c.SVG"), PLOT_SVG);
	ck_assert_int_eq(plot_format_of("a.svg.pdf"), PLOT_PDF);
	ck_assert_int_eq(plot_format_of("a.csv"), -1);
	ck_assert_int_eq(plot_format_of("png"), -1);
	ck_assert_int_eq(plot_format_of(""), -1);
}
END_TEST

/* What the child gets is its standard input, and its standard output becomes the picture. */
START_TEST(the_script_is_passed_on)
{
	play_gnuplot("#!/bin/sh\nwhile IFS= read -r line; do printf '%s\\n' \"$line\"; done\necho $LC_ALL $*\n");
	ck_assert_int_eq(plot_check(error), 0);
	ck_assert_int_eq(draw("picture"), 0);
	const char *const text = text_of("picture");
	ck_assert_ptr_nonnull(strstr(text, "set terminal svg noenhanced "));
	ck_assert_ptr_nonnull(strstr(text, "set style line 14 "));
	ck_assert_ptr_nonnull(strstr(text, "\nplot 'it''s `id` \"$(id)\"?set output \\ @x \xef\xbf\xbd'\n"));
	ck_assert_ptr_nonnull(strstr(text, "\nC -d\n"));
	ck_assert_ptr_null(strstr(text, "picture"));
}
END_TEST

START_TEST(failure_leaves_the_file_alone)
{
	play_gnuplot("#!/bin/sh\necho 'set foo' >&2\necho '    ^' >&2\necho '  line 0: no such thing' >&2\necho half\nexit 1\n");
	FILE *const file = fopen("picture", "w");
	ck_assert_ptr_nonnull(file);
	fputs("old", file);
	fclose(file);
	ck_assert_int_eq(draw("picture"), -1);
	ck_assert_str_eq(error, "gnuplot failed with status 1: line 0: no such thing");
	ck_assert_str_eq(text_of("picture"), "old");
}
END_TEST

/* Seven series have colours of their own, which gnuplot knows. */
START_TEST(styles_differ)
{
	enum { COLORS = 7 };
	char color[COLORS][8];
	struct plot *const plot = plot_new(PLOT_SVG, 8, 6);
	ck_assert_ptr_nonnull(plot);
	FILE *const script = plot_script(plot);
	rewind(script);
	char line[256];
	size_t count = 0;
	while (count < COLORS && fgets(line, sizeof line, script)) {
		const char *const at = strstr(line, "rgb '#");
		if (!at)
			continue;
		memcpy(color[count], at + 6, 7);
		ck_assert_uint_eq(strspn(color[count], "0123456789abcdef"), 6);
		ck_assert_int_eq(color[count][6], '\'');
		for (size_t i = 0; i < count; i++)
			ck_assert_int_ne(memcmp(color[i], color[count], 6), 0);
		count++;
	}
	ck_assert_uint_eq(count, COLORS);
	plot_free(plot);
}
END_TEST

START_TEST(nothing_is_no_picture)
{
	play_gnuplot("#!/bin/sh\nexit 0\n");
	ck_assert_int_eq(draw("picture"), -1);
	ck_assert_str_eq(error, "gnuplot failed with status 0: no message");
	ck_assert_int_eq(access("picture", F_OK), -1);
}
END_TEST

START_TEST(a_killed_child_is_reported)
{
	play_gnuplot("#!/bin/sh\nkill -9 $$\n");
	ck_assert_int_eq(draw("picture"), -1);
	ck_assert_str_eq(error, "gnuplot was killed by signal 9");
}
END_TEST

START_TEST(a_missing_gnuplot_is_reported)
{
	ck_assert_int_eq(plot_check(error), -1);
	ck_assert_str_eq(error, "can't run gnuplot, which draws pictures (tables don't need it): No such file or directory");
	ck_assert_int_eq(draw("picture"), -1);
	ck_assert_str_eq(error, "gnuplot failed with status 127: No such file or directory");
}
END_TEST

START_TEST(a_full_disk_is_reported)
{
	play_gnuplot("#!/bin/sh\necho picture\n");
	ck_assert_int_eq(draw("/dev/full"), -1);
	ck_assert_str_eq(error, "can't write /dev/full: No space left on device");
	ck_assert_int_eq(draw("/nonexistent/picture"), -1);
	ck_assert_str_eq(error, "can't write /nonexistent/picture: No such file or directory");
}
END_TEST

int main(void)
{
	TCase *const tests = tcase_create("plot");
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, endings_tell_the_format);
	tcase_add_test(tests, the_script_is_passed_on);
	tcase_add_test(tests, styles_differ);
	tcase_add_test(tests, failure_leaves_the_file_alone);
	tcase_add_test(tests, nothing_is_no_picture);
	tcase_add_test(tests, a_killed_child_is_reported);
	tcase_add_test(tests, a_missing_gnuplot_is_reported);
	tcase_add_test(tests, a_full_disk_is_reported);
	Suite *const suite = suite_create("plot");
	suite_add_tcase(suite, tests);
	SRunner *const runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	const int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
