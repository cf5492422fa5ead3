/* SPDX-License-Identifier: MIT */
/* Readers of logs and records against what was put into them, by many seeds (irregular.h): sums of times, means, gaps, counts, clocks. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "irregular.h"
#include "report/input.h"
#include "report/window.h"

#define SEEDS 400

static struct irregular made;
static uint64_t seed;
static char error[CSV_ERROR_MAX];
static struct report_log in_file;

static void check(bool is_right, const char *what)
{
	if (!is_right)
		fail_msg("seed %llu: %s", (unsigned long long)seed, what);
}

static bool is_near(double found, double expected)
{
	return isnan(found) == isnan(expected) && !(fabs(found - expected) > 1e-6);
}

static void check_near(double found, double expected, const char *what)
{
	if (!is_near(found, expected))
		fail_msg("seed %llu: %s: found %.9g, expected %.9g", (unsigned long long)seed, what, found, expected);
}

static int compare(const void *a, const void *b)
{
	const double first = *(const double *)a, second = *(const double *)b;
	return (first > second) - (first < second);
}

/* ---- Logs ------------------------------------------------------------------------------------------------------------- */

/* The rows as a reader can know them: one behind missing ones is taken to be as long as usual. */
static struct irregular_row known[IRREGULAR_ROWS];
static size_t rows;

static void know(void)
{
	double length[IRREGULAR_ROWS];
	size_t lengths = 0;
	rows = 0;
	for (size_t i = 0; i < made.rows; i++)
		if (made.row[i].is_there)
			known[rows++] = made.row[i];
	for (size_t i = 1; i < rows; i++)
		if (!isnan(known[i].load))
			length[lengths++] = known[i].end - known[i - 1].end;
	qsort(length, lengths, sizeof *length, compare);
	check_near(in_file.interval, length[lengths / 2], "the usual length");
	for (size_t i = 1; i < rows; i++) {
		const double from = known[i - 1].end;
		const bool is_long = known[i].end - from > REPORT_GAP_FACTOR * in_file.interval;
		/* One without a load may stand for all of it. */
		known[i].start = is_long && !isnan(known[i].load) ? known[i].end - in_file.interval : from;
	}
	known[0].start = report_log_start(&in_file, 0);
}

static void read_log(void)
{
	const char *const text = irregular_log(&made);
	struct csv *const csv = csv_open_text(text, strlen(text), "irregular", error);
	assert_non_null(csv);
	check(report_log_is(csv), "no log");
	if (report_log_read(&in_file, csv, "irregular", error) != 0)
		fail_msg("seed %llu: %s", (unsigned long long)seed, error);
	csv_close(csv);
	know();
	check(in_file.count == rows, "another number of rows");
	assert_int_equal(report_gaps_fill(&in_file), 0);
}

static void each_log(void (*look)(void))
{
	for (seed = 1; seed <= SEEDS; seed++) {
		irregular_make(&made, seed);
		read_log();
		look();
		report_log_free(&in_file);
	}
}

enum { LOAD, TARGET, OTHERS, POWER };

static double value_of(const struct irregular_row *row, int which)
{
	return which == LOAD ? row->load : which == TARGET ? row->target : which == OTHERS ? row->others : row->power;
}

/* Row by row. */
static double sum_of(int which, bool with_load, double start, double end, double *seconds)
{
	double sum = 0;
	*seconds = 0;
	for (size_t i = 0; i < rows; i++) {
		const double length = fmin(known[i].end, end) - fmax(known[i].start, start);
		const double value = value_of(&known[i], which);
		if (length <= 0 || isnan(value) || (with_load && isnan(known[i].load)))
			continue;
		sum += value * length;
		*seconds += length;
	}
	return sum;
}

static void look_at_means(void)
{
	const double first = known[0].start, last = known[rows - 1].end;
	for (int i = 0; i < 20; i++) {
		double start = irregular_number(&made, first, last), end = irregular_number(&made, first, last), seconds;
		if (start > end) {
			const double kept = start;
			start = end;
			end = kept;
		}
		const struct report_mean mean = report_log_mean(&in_file, start, end);
		const double load = sum_of(LOAD, false, start, end, &seconds);
		check_near(mean.known, seconds, "seconds with a load");
		if (seconds > 1e-3)
			check_near(mean.load, load / seconds, "mean load");
		const double power = sum_of(POWER, false, start, end, &seconds);
		if (seconds > 1e-3)
			check_near(mean.power, power / seconds, "mean power");
		const double others = sum_of(OTHERS, false, start, end, &seconds);
		if (seconds > 1e-3)
			check_near(
				report_log_mean_of(&in_file, in_file.background, start, end), others / seconds, "mean of others");
		const double target = sum_of(TARGET, true, start, end, &seconds);
		check_near(mean.targeted, seconds, "seconds with load and target");
		if (seconds > 1e-3)
			check_near(mean.target, target / seconds, "mean target");
		/* Cut in two, the parts are the whole. */
		const double middle = irregular_number(&made, start, end);
		const struct report_mean before = report_log_mean(&in_file, start, middle),
					 after = report_log_mean(&in_file, middle, end);
		check_near(before.known + after.known, mean.known, "seconds of two parts");
		check_near((before.known > 0 ? before.known * before.load : 0) + (after.known > 0 ? after.known * after.load : 0),
			mean.known > 0 ? mean.known * mean.load : 0, "load of two parts");
	}
}

static void means_are_those_of_the_rows(void **state)
{
	(void)state;
	each_log(look_at_means);
}

/* What is known and what isn't are all of the time under control, and no row overlaps another. */
static void look_at_gaps(void)
{
	double seconds, whole = 0;
	const struct report_gaps gaps = report_gaps_measure(&in_file);
	sum_of(LOAD, false, 0, INFINITY, &seconds);
	check_near(gaps.whole - gaps.unknown, seconds, "seconds that are known");
	check_near(gaps.whole, known[rows - 1].end, "all seconds");
	for (size_t i = 0; i < in_file.count; i++) {
		whole += report_log_length(&in_file, i);
		check(report_log_length(&in_file, i) > 0, "a row without a length");
		check(!in_file.is_gap[i] || isnan(in_file.load[i]), "a gap with a load");
		check((i < in_file.warmup) == (in_file.time[i] <= 0), "another warm-up");
	}
	check_near(whole, known[rows - 1].end - known[0].start, "the sum of all rows");
}

static void what_is_missing_is_all_that_isnt_known(void **state)
{
	(void)state;
	each_log(look_at_gaps);
}

static void look_at_clocks(void)
{
	check(in_file.clock.is_known, "no wall clock");
	check_near(in_file.clock.usual, made.wall, "the wall clock");
	for (int i = 0; i < 10; i++) {
		const double time = irregular_number(&made, known[0].start - 5, known[rows - 1].end + 5);
		const double there = report_log_monotonic(&in_file, time);
		check_near(there, made.boot + time, "another clock");
		check_near(report_log_time(&in_file, there), time, "there and back");
	}
}

static void clocks_go_there_and_back(void **state)
{
	(void)state;
	each_log(look_at_clocks);
}

/* ---- Iterations ------------------------------------------------------------------------------------------------------- */

static struct report_iterations read_records(bool mixed)
{
	struct report_iterations records = {0};
	bool is_cut;
	const char *const text = irregular_records(&made, mixed);
	struct csv *const csv = csv_open_text(text, strlen(text), "records", error);
	assert_non_null(csv);
	if (report_iterations_read(&records, csv, "records", &is_cut, error) != 0)
		fail_msg("seed %llu: %s", (unsigned long long)seed, error);
	csv_close(csv);
	const struct report_iterations none = {0};
	/* Joins those that overlap. */
	assert_int_equal(report_iterations_add_gaps(&records, &none, 0), 0);
	return records;
}

static bool is_lost_at(double moment)
{
	for (size_t i = 0; i < made.iterations; i++)
		if (made.iteration[i].is_lost && made.iteration[i].start <= moment && moment < made.iteration[i].end)
			return true;
	return false;
}

/* The moments at which anything changes in a stretch: between two of them all is alike. */
static size_t cuts_of(const struct report_stretch *stretch, double *cut)
{
	size_t count = 0;
	cut[count++] = stretch->start;
	cut[count++] = stretch->end;
	for (size_t i = 0; i < made.iterations; i++)
		for (int k = 0; k < 2; k++) {
			const double moment = k ? made.iteration[i].end : made.iteration[i].start;
			if (moment > stretch->start && moment < stretch->end)
				cut[count++] = moment;
		}
	qsort(cut, count, sizeof *cut, compare);
	return count;
}

/* Piece by piece. */
static double count_slowly(const struct report_stretch *stretch, double *seconds)
{
	static double cut[2 * IRREGULAR_ITERATIONS + 2];
	const size_t count = cuts_of(stretch, cut);
	double sum = 0;
	*seconds = 0;
	for (size_t k = 0; k + 1 < count; k++) {
		const double middle = (cut[k] + cut[k + 1]) / 2, length = cut[k + 1] - cut[k];
		if (is_lost_at(middle))
			continue;
		*seconds += length;
		for (size_t i = 0; i < made.iterations; i++) {
			const struct irregular_iteration *const one = &made.iteration[i];
			if (!one->is_lost && one->start <= middle && middle < one->end)
				sum += length / (one->end - one->start);
		}
	}
	return sum;
}

static void iterations_count_by_their_parts(void **state)
{
	(void)state;
	for (seed = 1; seed <= SEEDS; seed++) {
		struct report_stretch stretch[7];
		double sum[7], seconds[7], other_sum[7], other_seconds[7];
		irregular_make(&made, seed);
		irregular_iterate(&made, 100);
		/* None that takes no time: it lies at a point. */
		for (size_t i = 0; i < made.iterations; i++)
			if (made.iteration[i].start == made.iteration[i].end)
				made.iteration[i].is_lost = true;
		double at = made.boot - 3;
		for (size_t i = 0; i < 7; i++) {
			at += irregular_chance(&made, 2) ? irregular_number(&made, 0, 5) : 0;
			stretch[i].start = at;
			at += irregular_number(&made, 0.001, 25);
			stretch[i].end = at;
		}
		struct report_iterations records = read_records(false), mixed = read_records(true);
		check(records.count == mixed.count && records.gaps == mixed.gaps, "another number in another order");
		assert_int_equal(report_iterations_count(&records, stretch, 7, sum, seconds), 0);
		assert_int_equal(report_iterations_count(&mixed, stretch, 7, other_sum, other_seconds), 0);
		for (size_t i = 0; i < 7; i++) {
			double slow_seconds;
			const double slow = count_slowly(&stretch[i], &slow_seconds);
			check_near(seconds[i], slow_seconds, "seconds without lost records");
			check_near(sum[i], slow, "iterations");
			check_near(other_sum[i], sum[i], "iterations in another order");
			check_near(other_seconds[i], seconds[i], "seconds in another order");
		}
		report_iterations_free(&records);
		report_iterations_free(&mixed);
	}
}

/* Over all of the time, however it is cut, they are as many as there are. */
static void all_stretches_have_all_iterations(void **state)
{
	(void)state;
	for (seed = 1; seed <= SEEDS; seed++) {
		struct report_stretch stretch[9];
		double sum[9], seconds[9], all = 0;
		irregular_make(&made, seed);
		irregular_iterate(&made, 50);
		for (size_t i = 0; i < made.iterations; i++)
			made.iteration[i].is_lost = false;
		double at = made.boot;
		for (size_t i = 0; i < 9; i++) {
			stretch[i].start = at;
			at = i == 8 ? made.boot + 50 : at + irregular_number(&made, 0.001, (made.boot + 50 - at) / 2);
			stretch[i].end = at;
		}
		struct report_iterations records = read_records(true);
		assert_int_equal(report_iterations_count(&records, stretch, 9, sum, seconds), 0);
		for (size_t i = 0; i < 9; i++)
			all += sum[i];
		check_near(all, (double)made.iterations, "all iterations");
		report_iterations_free(&records);
	}
}

/* ---- Files of one run ------------------------------------------------------------------------------------------------- */

static void write_file(const char *name, const char *text)
{
	FILE *const file = fopen(name, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Records that another boot wrote, at another time of its clock, find their place by the wall clock. */
static void files_of_two_boots_are_joined_by_the_wall_clock(void **state)
{
	(void)state;
	char folder[] = "/tmp/test_irregular.XXXXXX";
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	for (seed = 1; seed <= SEEDS / 10; seed++) {
		struct report_input input = {0};
		irregular_make(&made, seed);
		write_file("log.csv", irregular_log(&made));
		irregular_iterate(&made, made.row[made.rows - 1].end);
		const double ahead = irregular_number(&made, 1000, 1e6);
		for (size_t i = 0; i < made.iterations; i++) {
			made.iteration[i].is_lost = false;
			made.iteration[i].start += ahead;
			made.iteration[i].end += ahead;
		}
		made.wall -= ahead;
		write_file("it.csv", irregular_records(&made, true));
		assert_int_equal(report_input_file(&input, "log.csv"), 0);
		assert_int_equal(report_input_file(&input, "it.csv"), 0);
		if (report_input_read(&input, error) != 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, error);
		check(input.runs == 1 && input.run[0].iterations.count == made.iterations, "not one run");
		double sum = 0, expected = 0;
		for (size_t i = 0; i < made.iterations; i++) {
			sum += input.run[0].iterations.item[i].end;
			expected += made.iteration[i].end - ahead;
		}
		check_near(sum / (double)made.iterations, expected / (double)made.iterations, "the mean end");
		report_input_free(&input);
	}
	assert_true(unlink("log.csv") == 0 && unlink("it.csv") == 0 && chdir("/") == 0 && rmdir(folder) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_are_those_of_the_rows),
		cmocka_unit_test(what_is_missing_is_all_that_isnt_known),
		cmocka_unit_test(clocks_go_there_and_back),
		cmocka_unit_test(iterations_count_by_their_parts),
		cmocka_unit_test(all_stretches_have_all_iterations),
		cmocka_unit_test(files_of_two_boots_are_joined_by_the_wall_clock),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
