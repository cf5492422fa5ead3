/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "trace/stream.h"

#define S NS_PER_S

static struct stream_writer writer;
static double last;

static int set_up(void **state)
{
	(void)state;
	writer = (struct stream_writer){.board = stream_board_new(0.25), .end_ns = INT64_MAX};
	last = -1;
	return writer.board ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	stream_board_free(writer.board);
	return 0;
}

static int say(const char *text, int64_t now_ns)
{
	struct stream_line line;
	char error[STREAM_ERROR_MAX];
	if (stream_line_parse(text, strlen(text), &line, error) != 0)
		fail_msg("'%s' refused: %s", text, error);
	return stream_say(&writer, &line, now_ns);
}

static double target(int64_t since_ns)
{
	return stream_board_target(writer.board, since_ns, &last);
}

/* ---- Lines ------------------------------------------------------------------------------------------------------------ */

static void reads_lines(void **state)
{
	static const struct {
		const char *text;
		struct stream_line line;
	} table[] = {
		{"40%", {STREAM_TARGET, false, 0, 0.4}},
		{" \t1/4 # a quarter", {STREAM_TARGET, false, 0, 0.25}},
		{"0.5\r", {STREAM_TARGET, false, 0, 0.5}},
		{"free", {STREAM_TARGET, false, 0, NAN}},
		{"end", {STREAM_END, false, 0, NAN}},
		{"1min30s 100%", {STREAM_TARGET, true, 90 * S, 1}},
		{"0s free", {STREAM_TARGET, true, 0, NAN}},
		{"2h end", {STREAM_END, true, 7200 * S, NAN}},
		{"", {STREAM_NOTHING, false, 0, NAN}},
		{"  # nothing", {STREAM_NOTHING, false, 0, NAN}},
	};
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct stream_line *const expected = &table[i].line;
		struct stream_line line;
		char error[STREAM_ERROR_MAX];
		assert_int_equal(stream_line_parse(table[i].text, strlen(table[i].text), &line, error), 0);
		const bool is_same = isnan(expected->load) ? isnan(line.load) : line.load == expected->load;
		if (line.says != expected->says || line.at != expected->at || line.ns != expected->ns || !is_same)
			fail_msg("'%s': says %d, at %d, %lld ns, load %g", table[i].text, line.says, line.at, (long long)line.ns,
				line.load);
	}
}

static void refuses_other_lines(void **state)
{
	static const char *const table[][2] = {
		{"bla", "found 'bla', expected LOAD"},
		{"45", "found '45', expected LOAD, TIME LOAD, or free or end in place of LOAD; a load in per cent has a %"},
		{"-0.1", "found '-0.1'"},
		{"101%", "found '101%'"},
		{"nan", "found 'nan'"},
		{"5x 40%", "found '5x', expected a time"},
		{"-5s 40%", "found '-5s', expected a time"},
		{"5s 40% more", "found 'more', expected nothing behind"},
		{"5s nothing", "found 'nothing', expected LOAD"},
		{"freed", "found 'freed'"},
		{"4\x1b[2J", "found '4?[2J'"},
	};
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct stream_line line;
		char error[STREAM_ERROR_MAX] = "";
		if (stream_line_parse(table[i][0], strlen(table[i][0]), &line, error) == 0 ||
			strncmp(error, table[i][1], strlen(table[i][1])) != 0)
			fail_msg("'%s': found the message '%s', expected '%s'", table[i][0], error, table[i][1]);
	}
}

struct taken {
	char text[4096];
	unsigned lines, too_long;
};

static void take(void *context, const char *text, size_t length)
{
	struct taken *const taken = context;
	taken->lines++;
	if (text)
		strcat(strncat(taken->text, text, length), "|");
	else
		taken->too_long++;
}

static void cuts_lines_wherever_pieces_end(void **state)
{
	char text[2 * STREAM_LINE_MAX + 64] = "a\nbb\n\n";
	(void)state;
	const size_t before = strlen(text);
	memset(text + before, 'x', STREAM_LINE_MAX);
	strcpy(text + before + STREAM_LINE_MAX, "\ny");
	memset(text + strlen(text), 'y', STREAM_LINE_MAX);
	strcat(text, "\nz");
	const size_t length = strlen(text);
	for (size_t piece = 1; piece <= length; piece++) {
		struct stream_cutter cutter = {0};
		struct taken taken = {0};
		for (size_t at = 0; at < length; at += piece)
			stream_cut(&cutter, text + at, length - at < piece ? length - at : piece, take, &taken);
		assert_int_equal(taken.lines, 5);
		stream_cut_rest(&cutter, take, &taken);
		stream_cut_rest(&cutter, take, &taken);
		assert_int_equal(taken.lines, 6);
		assert_int_equal(cutter.lines, 6);
		assert_int_equal(taken.too_long, 1);
		assert_int_equal(strlen(taken.text), 2 + 3 + 1 + STREAM_LINE_MAX + 1 + 2);
		assert_string_equal(taken.text + strlen(taken.text) - 3, "|z|");
	}
}

/* ---- The board -------------------------------------------------------------------------------------------------------- */

static void has_the_first_until_one_is_said(void **state)
{
	(void)state;
	assert_true(target(0) == 0.25);
	assert_true(target(INT64_MAX) == 0.25);
	say("50%", INT64_MIN / 2); /* before control begins */
	assert_true(target(0) == 0.5);
}

static void a_load_counts_from_now_on(void **state)
{
	(void)state;
	say("50%", 2 * S);
	say("75%", 4 * S);
	assert_true(target(2 * S - 1) == 0.25);
	assert_true(target(2 * S) == 0.5);
	assert_true(target(4 * S - 1) == 0.5);
	assert_true(target(4 * S) == 0.75);
	say("free", 5 * S);
	assert_true(isnan(target(6 * S)));
	assert_true(target(4 * S) == 0.75);
}

static void a_time_ahead_counts_from_then_on(void **state)
{
	(void)state;
	say("10s 50%", S);
	say("20s 75%", S);
	say("0s 10%", 2 * S); /* over: from now on, in place of all that */
	assert_true(target(2 * S - 1) == 0.25);
	assert_true(target(30 * S) == 0.1);
	say("10s 50%", 3 * S);
	say("20s 75%", 3 * S);
	say("15s 60%", 3 * S);
	assert_true(target(9 * S) == 0.1);
	assert_true(target(10 * S) == 0.5);
	assert_true(target(30 * S) == 0.6);
}

static void an_end_is_at_its_time_or_now(void **state)
{
	(void)state;
	say("20s end", S);
	assert_true(writer.end_ns == 20 * S);
	say("25s 50%", S); /* said for later */
	assert_true(writer.end_ns == 20 * S);
	say("15s 50%", S);
	assert_true(writer.end_ns == INT64_MAX);
	say("end", 3 * S);
	assert_true(writer.end_ns == 3 * S);
	/* What stands behind it comes too late. */
	say("50%", 3 * S);
	say("20s end", 4 * S);
	assert_true(writer.end_ns == 3 * S);
}

static void the_rest_is_as_asked(void **state)
{
	(void)state;
	say("10s 50%", S);
	stream_say_rest(&writer, SST_THEN_HOLD, 2 * S);
	assert_true(target(30 * S) == 0.5 && writer.end_ns == INT64_MAX);
	stream_say_rest(&writer, SST_THEN_END, 2 * S);
	assert_true(writer.end_ns == 10 * S);
	stream_say_rest(&writer, SST_THEN_FREE, 12 * S);
	assert_true(target(12 * S - 1) == 0.5);
	assert_true(isnan(target(12 * S)));
	/* The last line of a file is its end, also where it repeats a load. */
	say("20s 50%", 12 * S);
	say("30s 50%", 12 * S);
	writer.end_ns = INT64_MAX;
	stream_say_rest(&writer, SST_THEN_END, 12 * S);
	assert_true(writer.end_ns == 30 * S);
}

/* The same one again is no new one, or a source that repeats itself would use all up. */
static void holds_all_that_is_ahead_and_refuses_more(void **state)
{
	char text[64];
	(void)state;
	for (int i = 1; i < STREAM_POINTS; i++) {
		snprintf(text, sizeof text, "%ds 0.%d", i, 1 + i % 2);
		assert_int_equal(say(text, 0), 0);
	}
	assert_int_equal(say("5000s 0.9", 0), -1);
	assert_true(target(5000 * S) == 0.1 + 0.1 * ((STREAM_POINTS - 1) % 2));
	assert_true(target(7 * S) == 0.2);
	/* What is over makes room. */
	assert_int_equal(say("5000s 0.9", 600 * S), 0);
	assert_true(target(5000 * S) == 0.9);
	assert_true(target(599 * S) == 0.2);
	assert_true(target(601 * S) == 0.2 && target(602 * S) == 0.1);
}

static void a_flood_leaves_what_was_said_last(void **state)
{
	char text[64];
	(void)state;
	for (int i = 0; i < 1000000; i++) {
		snprintf(text, sizeof text, "0.%d", 1 + i % 9);
		assert_int_equal(say(text, i), 0);
	}
	assert_true(target(1000000) == 0.1 * (1 + 999999 % 9));
	assert_true(target(1000000 - 2) == 0.1 * (1 + 999998 % 9));
}

/* Whatever is being changed meanwhile; and who writes may be killed. */
static void readers_see_whole_boards(void **state)
{
	double before = 0.25;
	double ahead = 0.25;
	(void)state;
	const pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int64_t i = 0;; i++)
			say(i % 2 ? "10s 50%" : "10s 75%", i % S);
	}
	bool whole = true;
	for (int i = 0; i < 1000000 && whole; i++) {
		stream_board_target(writer.board, 5 * S, &before);
		stream_board_target(writer.board, 10 * S, &ahead);
		whole = before == 0.25 && (ahead == 0.5 || ahead == 0.75 || ahead == 0.25);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if (!whole)
		fail_msg("read %g, later %g", before, ahead);
	/* Now it may stay in the middle of a change. */
	assert_true(stream_board_target(writer.board, 5 * S, &before) == 0.25);
}

int main(void)
{
#define ON_A_BOARD(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_lines),
		cmocka_unit_test(refuses_other_lines),
		cmocka_unit_test(cuts_lines_wherever_pieces_end),
		ON_A_BOARD(has_the_first_until_one_is_said),
		ON_A_BOARD(a_load_counts_from_now_on),
		ON_A_BOARD(a_time_ahead_counts_from_then_on),
		ON_A_BOARD(an_end_is_at_its_time_or_now),
		ON_A_BOARD(the_rest_is_as_asked),
		ON_A_BOARD(holds_all_that_is_ahead_and_refuses_more),
		ON_A_BOARD(a_flood_leaves_what_was_said_last),
		ON_A_BOARD(readers_see_whole_boards),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
