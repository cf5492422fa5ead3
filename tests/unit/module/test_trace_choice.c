/* SPDX-License-Identifier: MIT */
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

#include "module/trace_choice.h"
#include "said.h"

#define LOAD "a load from 0 to 1, such as 1/3, 0.25 or 25%"

static const char usual[] = "constant";
static const char *module, *options;

static int choose(const char *load, const char *given_module, const char *given_options)
{
	module = given_module ? given_module : usual;
	options = given_options;
	said_begin();
	const int result = trace_choice_complete(load, given_module != NULL, &module, &options);
	said_end();
	return result;
}

static int check(const char *source, const char *load)
{
	said_begin();
	const int result = trace_choice_check_load(source, load);
	said_end();
	return result;
}

static void take(const char *load, const char *given_module, const char *given_options, const char *then, const char *with)
{
	if (choose(load, given_module, given_options) != 0)
		fail_msg("-T '%s': %s", given_options ? given_options : "", said);
	assert_string_equal(module, then);
	if (with)
		assert_string_equal(options, with);
	else
		assert_null(options);
}

static void refuse(const char *given_options, const char *message)
{
	if (choose(NULL, NULL, given_options) == 0)
		fail_msg("-T '%s' is taken", given_options);
	assert_string_equal(said, message);
}

static void a_load_stands_for_the_constant_trace(void **state)
{
	(void)state;
	take("50%", NULL, NULL, "constant", "50%");
	take(NULL, NULL, NULL, "constant", NULL);
	static const char both[] = "-l: expected neither -t nor -T with it: it stands for -t constant -T LOAD";
	assert_int_equal(choose("50%", "constant", NULL), -1);
	assert_string_equal(said, both);
	assert_int_equal(choose("50%", NULL, "50%"), -1);
	assert_string_equal(said, both);
	assert_int_equal(choose("50%", "file", "x"), -1);
	assert_string_equal(said, both);
}

static void a_load_is_looked_at_where_it_is_given(void **state)
{
	(void)state;
	static const char *const good[] = {"0", "1", "1/3", "0.25", "25%"};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_int_equal(check("-l", good[i]), 0);
	assert_int_equal(check("--load", "60"), -1);
	assert_string_equal(said, "--load: '60' is out of range: expected " LOAD "; 60 per cent is 60%");
	assert_int_equal(check("-l", ""), -1);
	assert_string_equal(said, "-l: '' is malformed: expected " LOAD);
	assert_int_equal(check("-l", "50%,load=2"), -1);
	assert_string_equal(said, "-l: '50%,load=2' is malformed: expected " LOAD);
}

static void a_word_is_a_load_or_else_a_file(void **state)
{
	(void)state;
	char folder[] = "/tmp/trace_choice.XXXXXX";
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	static const char *const names[] = {"day.trace", "a,b", "60", "1", "pipe"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_int_equal(mkfifo(names[i], 0600), 0); /* never opened here */
	take(NULL, NULL, "day.trace", "file", "day.trace");
	take(NULL, NULL, "./day.trace,speed=2,loop", "file", "./day.trace,speed=2,loop");
	take(NULL, NULL, "a\\,b,loop", "file", "a\\,b,loop");
	take(NULL, NULL, "60", "file", "60");
	take(NULL, NULL, "1", "constant", "1");
	take(NULL, NULL, "1/3,x=y", "constant", "1/3,x=y");
	/* Named options, and those of a module that was named, are the module's. */
	take(NULL, NULL, "load=50%", "constant", "load=50%");
	take(NULL, NULL, "file=day.trace", "constant", "file=day.trace");
	take(NULL, NULL, "", "constant", "");
	take(NULL, NULL, ",x", "constant", ",x");
	take(NULL, "constant", "day.trace", "constant", "day.trace");
	take(NULL, "sine", "nosuch", "sine", "nosuch");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unlink(names[i]);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void what_is_neither_is_refused_with_both(void **state)
{
	(void)state;
#define NEITHER(word) "-T: '" word "': expected " LOAD ", or the name of a trace file: "
	refuse("/nonexistent/x.trace", NEITHER("/nonexistent/x.trace") "No such file or directory");
	refuse("/nonexistent/x.trace,loop", NEITHER("/nonexistent/x.trace") "No such file or directory");
	refuse("/dev/null/x", NEITHER("/dev/null/x") "Not a directory");
	refuse("60.5", NEITHER("60.5") "No such file or directory; 60.5 per cent is 60.5%");
	refuse("101%", NEITHER("101%") "No such file or directory");
	/* What is longer than any name is the module's to refuse. */
	char *word = malloc(100001);
	assert_non_null(word);
	memset(word, 'x', 100000);
	word[100000] = '\0';
	take(NULL, NULL, word, "constant", word);
	word[4000] = '\0';
	assert_int_equal(choose(NULL, NULL, word), -1);
	assert_true(strlen(said) < 512);
	free(word);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_load_stands_for_the_constant_trace),
		cmocka_unit_test(a_load_is_looked_at_where_it_is_given),
		cmocka_unit_test(a_word_is_a_load_or_else_a_file),
		cmocka_unit_test(what_is_neither_is_refused_with_both),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
