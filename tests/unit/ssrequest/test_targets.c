/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ssrequest/request_log.h"
#include "ssrequest/targets.h"

static char path[] = "/tmp/test_targets.XXXXXX";
static char error[TARGETS_ERROR_MAX];

/* Reads a file with that text. */
static int read_text(struct targets *targets, const char *text, size_t length)
{
	strcpy(strrchr(path, '.'), ".XXXXXX");
	const int file = mkstemp(path);
	assert_true(file >= 0);
	assert_int_equal(write(file, text, length), length);
	close(file);
	*targets = (struct targets){.count = 0};
	const int result = targets_read(targets, path, error);
	unlink(path);
	return result;
}

static void a_line_has_weight_and_url(void **state)
{
	(void)state;
	static const char text[] =
		"\xef\xbb\xbf# comment\n\n 1 http://a/#part # one\r\n0.5\tHTTPS://b:8443/x?y=#z\n3 http://[::1]/";
	struct targets targets;
	assert_int_equal(read_text(&targets, text, strlen(text)), 0);
	assert_int_equal(targets.count, 3);
	assert_string_equal(targets.item[0].url, "http://a/#part");
	assert_string_equal(targets.item[1].url, "HTTPS://b:8443/x?y=#z");
	assert_string_equal(targets.item[2].url, "http://[::1]/");
	assert_true(targets.weight == 4.5);
	targets_free(&targets);
}

static void others_are_refused_with_their_place(void **state)
{
	(void)state;
	static const struct {
		const char *line, *reason;
	} wrong[] = {
		{"http://a/", "found one word"},
		{"1 http://a/ b", "found more words"},
		{"x http://a/", "weight 'x'"},
		{"0 http://a/", "weight '0'"},
		{"-1 http://a/", "weight '-1'"},
		{"nan http://a/", "weight 'nan'"},
		{"2e9 http://a/", "weight '2e9'"},
		{"1 a/", "'a/': expected an URL"},
		{"1 http:///b", "'http:///b': expected an URL"},
		{"1 ftp://a/", "'ftp://a/': expected an URL"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char text[100];
		struct targets targets;
		const int length = snprintf(text, sizeof text, "1 http://a/\n%s\n", wrong[i].line);
		assert_int_equal(read_text(&targets, text, (size_t)length), -1);
		assert_non_null(strstr(error, ":2: "));
		assert_non_null(strstr(error, wrong[i].reason));
		targets_free(&targets);
	}
	struct targets targets;
	assert_int_equal(read_text(&targets, "1 http://a/\0b\n", 14), -1);
	assert_non_null(strstr(error, ":1: found a NUL"));
	targets_free(&targets);
	assert_int_equal(read_text(&targets, "# none\n", 7), -1);
	assert_non_null(strstr(error, "found no URL"));
	targets_free(&targets);
	assert_int_equal(targets_read(&targets, "/nowhere/urls", error), -1);
	assert_string_equal(error, "/nowhere/urls: No such file or directory");
	assert_int_equal(targets_read(&targets, "/tmp", error), -1);
	assert_string_equal(error, "/tmp: Is a directory");
}

static void picks_follow_weights_and_seed(void **state)
{
	(void)state;
	struct targets targets = {.count = 0};
	unsigned count[3] = {0}, other = 0;
	assert_int_equal(targets_add(&targets, "http://a/", 1, error), 0);
	assert_int_equal(targets_add(&targets, "http://b/", 3, error), 0);
	assert_int_equal(targets_add(&targets, "http://c/", 6, error), 0);
	for (uint64_t i = 0; i < 100000; i++) {
		const unsigned picked = targets_pick(&targets, 1, i);
		assert_in_range(picked, 0, 2);
		assert_int_equal(picked, targets_pick(&targets, 1, i));
		count[picked]++;
		other += picked != targets_pick(&targets, 2, i);
	}
	assert_in_range(count[0], 9500, 10500);
	assert_in_range(count[1], 29300, 30700);
	/* 1 - 0.1² - 0.3² - 0.6² of them. */
	assert_in_range(other, 53200, 54800);
	targets_free(&targets);
}

/* Each of as many as records can name is found, and one more is refused. */
static void many_can_be_named(void **state)
{
	(void)state;
	enum { PICKS = 10000 };
	struct targets targets = {.count = 0};
	unsigned beyond = 0;
	for (int i = 0; i < REQUEST_LOG_URLS_MAX; i++)
		assert_int_equal(targets_add(&targets, "http://a/", 1, error), 0);
	assert_int_equal(targets_add(&targets, "http://a/", 1, error), -1);
	assert_non_null(strstr(error, "expected at most 1000000 URLs"));
	assert_int_equal(targets.count, REQUEST_LOG_URLS_MAX);
	for (uint64_t i = 0; i < PICKS; i++) {
		const unsigned picked = targets_pick(&targets, 1, i);
		assert_in_range(picked, 0, REQUEST_LOG_URLS_MAX - 1);
		beyond += picked >= REQUEST_LOG_URLS_MAX / 2;
	}
	assert_in_range(beyond, PICKS / 2 - 200, PICKS / 2 + 200);
	targets_free(&targets);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_weight_and_url),
		cmocka_unit_test(others_are_refused_with_their_place),
		cmocka_unit_test(picks_follow_weights_and_seed),
		cmocka_unit_test(many_can_be_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
