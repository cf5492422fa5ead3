/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/input.h"

static char folder[] = "/tmp/test_report_input.XXXXXX";
static char error[CSV_ERROR_MAX];
static struct report_input input;

static void make_file(const char *name, const char *text)
{
	FILE *const file = fopen(name, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Two logs, from 100 to 102 s and from 200 to 202 s, iterations of either, and of none. */
static int make_files(void **state)
{
	(void)state;
	if (!mkdtemp(folder) || chdir(folder) != 0 || mkdir("one", 0777) != 0 || mkdir("two", 0777) != 0)
		return -1;
	make_file("one/log.csv", "time_s,monotonic_s,load\n1,101,0.5\n2,102,0.5\n");
	make_file("two/log.csv", "time_s,monotonic_s,load\n1,201,0.5\n2,202,0.5\n");
	make_file("first.csv", "time_s,monotonic_s,load\n1,101,0.5\n2,102,0.5\n");
	make_file("second", "time_s,monotonic_s,load\n1,201,0.5\n2,202,0.5\n");
	make_file("it1.csv", "start_s,end_s\n100.5,101\n101,102.5\n");
	make_file("it2.csv", "start_s,end_s\n200.5,201\n");
	make_file("it3.csv", "start_s,end_s\n300.5,301\n");
	make_file("both.csv", "start_s,end_s\n100.5,201\n");
	make_file("none.csv", "start_s,end_s\n");
	make_file("a=b.csv", "start_s,end_s\n1,2\n");
	make_file("wall.csv", "time_s,monotonic_s,load,time_unix_s\n1,101,0.5,5101\n2,102,0.5,5102\n");
	make_file("far.csv", "start_s,end_s,time_unix_s\n50,51,5101\n51,51.5,5101.5\n");
	make_file("other.csv", "name,value\nx,1\n");
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	static const char *const names[] = {"one/log.csv", "two/log.csv", "first.csv", "second", "it1.csv", "it2.csv", "it3.csv",
		"both.csv", "none.csv", "a=b.csv", "wall.csv", "far.csv", "other.csv"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unlink(names[i]);
	rmdir("one");
	rmdir("two");
	return chdir("/") == 0 ? rmdir(folder) : -1;
}

static int free_input(void **state)
{
	(void)state;
	report_input_free(&input);
	return 0;
}

/* Words as on a command line; "-l" stands before a label. */
static int read_words(const char *const *word)
{
	for (; *word; word++) {
		if (strcmp(*word, "-l") == 0)
			report_input_label(&input, *++word);
		else
			assert_int_equal(report_input_file(&input, *word), 0);
	}
	return report_input_read(&input, error);
}

#define READ(...) read_words((const char *const[]){__VA_ARGS__, NULL})

static void expect_run(size_t i, const char *label, bool is_labelled, size_t logs, size_t iterations)
{
	assert_true(i < input.runs);
	assert_string_equal(input.run[i].label, label);
	assert_int_equal(input.run[i].is_labelled, is_labelled);
	assert_int_equal(input.run[i].logs, logs);
	assert_int_equal(input.run[i].iterations.count, iterations);
}

static void a_log_is_called_by_its_name(void **state)
{
	(void)state;
	assert_int_equal(READ("first.csv", "second"), 0);
	assert_int_equal(input.runs, 2);
	expect_run(0, "first", false, 1, 0);
	expect_run(1, "second", false, 1, 0);
}

static void names_differ(void **state)
{
	(void)state;
	assert_int_equal(READ("one/log.csv", "two/log.csv", "first.csv"), 0);
	expect_run(0, "one/log", false, 1, 0);
	expect_run(1, "two/log", false, 1, 0);
	expect_run(2, "first", false, 1, 0);
}

static void iterations_join_the_only_log(void **state)
{
	(void)state;
	assert_int_equal(READ("it1.csv", "first.csv", "it2.csv", "none.csv"), 0);
	assert_int_equal(input.runs, 1);
	expect_run(0, "first", false, 1, 3);
	assert_int_equal(input.run[0].iteration_files, 3);
}

static void iterations_join_the_log_of_their_time(void **state)
{
	(void)state;
	assert_int_equal(READ("it2.csv", "first.csv", "second", "it1.csv", "none.csv"), 0);
	assert_int_equal(input.runs, 2);
	expect_run(0, "first", false, 1, 2);
	expect_run(1, "second", false, 1, 1);
}

static void doubt_is_refused(void **state)
{
	(void)state;
	assert_int_equal(READ("first.csv", "second", "both.csv"), -1);
	assert_string_equal(error,
		"both.csv: found iterations at the time of both first.csv and second, expected labels that say to "
		"which they belong");
	report_input_free(&input);
	assert_int_equal(READ("first.csv", "second", "it3.csv"), -1);
	assert_string_equal(error, "it3.csv: found iterations at the time of none of the logs");
}

static void iterations_alone_are_one_run(void **state)
{
	(void)state;
	assert_int_equal(READ("it1.csv", "it2.csv"), 0);
	assert_int_equal(input.runs, 1);
	expect_run(0, "all", false, 0, 3);
	report_input_free(&input);
	assert_int_equal(READ("it2.csv"), 0);
	expect_run(0, "it2", false, 0, 1);
}

static void a_label_makes_a_run_of_the_files_behind_it(void **state)
{
	(void)state;
	assert_int_equal(READ("-l", "even", "first.csv", "it1.csv", "-l", "uneven", "second", "it2.csv", "one/log.csv", "-l",
				 "even", "two/log.csv", "both.csv"),
		0);
	assert_int_equal(input.runs, 3);
	expect_run(0, "even", true, 1, 2);
	expect_run(1, "uneven", true, 2, 1);
	expect_run(2, "even", true, 1, 1);
	assert_null(report_input_empty_label(&input));
}

static void equal_labels_before_files_make_a_run(void **state)
{
	(void)state;
	assert_int_equal(READ("x=first.csv", "y=second", "x=it1.csv", "y=it2.csv", "x=it3.csv", "./a=b.csv", "-l", "z", "it1.csv",
				 "x=none.csv", "it2.csv", "one/log.csv"),
		-1);
	/* Without a label, ./a=b.csv has no run to belong to. */
	assert_string_equal(error, "./a=b.csv: found iterations at the time of none of the logs");
	expect_run(0, "x", true, 1, 3);
	assert_int_equal(input.run[0].iteration_files, 3);
	expect_run(1, "y", true, 1, 1);
	expect_run(2, "z", true, 1, 3);
}

static void labels_without_files_are_found(void **state)
{
	(void)state;
	report_input_label(&input, "first");
	assert_string_equal(report_input_empty_label(&input), "first");
	assert_int_equal(report_input_file(&input, "it1.csv"), 0);
	assert_null(report_input_empty_label(&input));
	report_input_label(&input, "second");
	report_input_label(&input, "third");
	assert_int_equal(report_input_file(&input, "it1.csv"), 0);
	assert_string_equal(report_input_empty_label(&input), "second");
}

static void other_files_are_refused(void **state)
{
	(void)state;
	assert_int_equal(READ("first.csv", "other.csv"), -1);
	assert_string_equal(error,
		"other.csv:1: found the columns name,value, expected those of a log (time_s,load and others) or of iterations "
		"(start_s,end_s)");
	report_input_free(&input);
	assert_int_equal(READ("label=nonexistent.csv"), -1);
	assert_string_equal(error, "nonexistent.csv: No such file or directory");
}

static void iterations_are_passed_over_on_request(void **state)
{
	(void)state;
	input.logs_only = true;
	assert_int_equal(READ("first.csv", "second", "both.csv", "x=it1.csv"), 0);
	assert_int_equal(input.runs, 2);
	expect_run(0, "first", false, 1, 0);
}

static void iterations_of_another_machine_become_times_of_the_log(void **state)
{
	(void)state;
	assert_int_equal(READ("far.csv", "wall.csv"), 0);
	expect_run(0, "wall", false, 1, 2);
	assert_true(input.run[0].iterations.item[0].start == 100 && input.run[0].iterations.item[0].end == 101);
	assert_true(input.run[0].iterations.item[1].end == 101.5);
	report_input_free(&input);
	input.join = REPORT_JOIN_MONOTONIC;
	assert_int_equal(READ("far.csv", "wall.csv"), 0);
	assert_true(input.run[0].iterations.item[0].start == 50);
}

/* The log that comes second decides all the same; its own offset counts the other way round. */
static void offsets_move_files_and_labels(void **state)
{
	(void)state;
	struct report_offset offset[] = {{"f*.csv", 6, 0.25}, {"x", 1, 0.5}, {"wall.csv", 8, 2}};
	input.offset = offset;
	input.offsets = 1;
	assert_int_equal(READ("x=far.csv", "x=wall.csv"), 0);
	assert_true(input.run[0].iterations.item[0].start == 100.25);
	report_input_free(&input);
	input.offset = offset;
	input.offsets = 3;
	assert_int_equal(READ("x=far.csv", "x=wall.csv"), 0);
	assert_true(input.run[0].iterations.item[0].start == 98.5);
	assert_true(input.run[0].log[0].monotonic[0] == 101);
	report_input_free(&input);
	input.offset = offset;
	input.offsets = 3;
	assert_int_equal(READ("y=far.csv", "y=wall.csv"), -1);
	assert_string_equal(error, "--offset: found neither a file 'x' nor a label of iterations");
}

static void a_join_by_wall_clock_needs_it_in_each_file(void **state)
{
	(void)state;
	input.join = REPORT_JOIN_WALL;
	assert_int_equal(READ("wall.csv", "far.csv"), 0);
	report_input_free(&input);
	input.join = REPORT_JOIN_WALL;
	assert_int_equal(READ("first.csv", "far.csv"), -1);
	assert_string_equal(error, "first.csv: found no value in a column time_unix_s, expected some for --join wall");
	report_input_free(&input);
	input.join = REPORT_JOIN_WALL;
	assert_int_equal(READ("x=wall.csv", "x=it1.csv"), -1);
	assert_string_equal(error, "it1.csv: found no value in a column time_unix_s, expected some for --join wall");
}

static void inputs_are_known_by_their_files(void **state)
{
	(void)state;
	char message[FILE_USES_ERROR_MAX];
	struct file_uses uses = {0};
	assert_int_equal(report_input_file(&input, "x=one/../it1.csv"), 0);
	report_input_files(&input, &uses);
	file_uses_add(&uses, FILE_IS_WRITTEN, "--output", "it2.csv");
	assert_int_equal(file_uses_check(&uses, message), 0);
	report_input_files(&input, &uses);
	file_uses_add(&uses, FILE_IS_WRITTEN, "--output", "it1.csv");
	assert_int_equal(file_uses_check(&uses, message), -1);
	assert_string_equal(message, "--output: it1.csv is one of the files to read: expected another file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_log_is_called_by_its_name, free_input),
		cmocka_unit_test_teardown(names_differ, free_input),
		cmocka_unit_test_teardown(iterations_join_the_only_log, free_input),
		cmocka_unit_test_teardown(iterations_join_the_log_of_their_time, free_input),
		cmocka_unit_test_teardown(doubt_is_refused, free_input),
		cmocka_unit_test_teardown(iterations_alone_are_one_run, free_input),
		cmocka_unit_test_teardown(a_label_makes_a_run_of_the_files_behind_it, free_input),
		cmocka_unit_test_teardown(equal_labels_before_files_make_a_run, free_input),
		cmocka_unit_test_teardown(labels_without_files_are_found, free_input),
		cmocka_unit_test_teardown(other_files_are_refused, free_input),
		cmocka_unit_test_teardown(iterations_are_passed_over_on_request, free_input),
		cmocka_unit_test_teardown(iterations_of_another_machine_become_times_of_the_log, free_input),
		cmocka_unit_test_teardown(offsets_move_files_and_labels, free_input),
		cmocka_unit_test_teardown(a_join_by_wall_clock_needs_it_in_each_file, free_input),
		cmocka_unit_test_teardown(inputs_are_known_by_their_files, free_input),
	};
	return cmocka_run_group_tests(tests, make_files, remove_files);
}
