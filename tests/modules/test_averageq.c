/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "dithering_test.h"

static void an_epoch_is_a_run_and_a_stop(void **state)
{
	(void)state;
	begin("averageq", "100m,jitter=0", 1000);
	/* D·τ and then (1 − D)·τ */
	assert_answer(next(0.3, 0), true, 1000 + 30 * NS_PER_MS);
	assert_answer(next(0.3, 0), false, 1000 + 100 * NS_PER_MS);
	assert_answer(next(0.3, 0), true, 1000 + 130 * NS_PER_MS);
	assert_answer(next(0.3, 0), false, 1000 + 200 * NS_PER_MS);
	module_test_end(&test);
}

static void the_duty_cycle_is_asked_for_again_before_the_stop(void **state)
{
	(void)state;
	begin("averageq", "100m,jitter=0", 0);
	assert_answer(next(0.3, 0), true, 30 * NS_PER_MS);
	assert_answer(next(0.8, 0), false, 50 * NS_PER_MS); /* (1 − 0.8)·τ */
	assert_answer(next(0.5, 0), true, 100 * NS_PER_MS);
	assert_answer(next(0.1, 0), false, 190 * NS_PER_MS);
	module_test_end(&test);
}

static void a_part_without_length_is_left_out(void **state)
{
	(void)state;
	begin("averageq", "100m,jitter=0", 0);
	assert_answer(next(0, 0), false, 100 * NS_PER_MS);
	assert_answer(next(0, 0), false, 200 * NS_PER_MS);
	assert_answer(next(1, 0), true, 300 * NS_PER_MS);
	assert_answer(next(1, 0), true, 400 * NS_PER_MS);
	assert_answer(next(0, 0), false, 500 * NS_PER_MS);
	assert_answer(next(1, 0), true, 600 * NS_PER_MS);
	assert_answer(next(0.75, 0), false, 625 * NS_PER_MS);
	module_test_end(&test);
}

static void delays_do_not_add_up(void **state)
{
	(void)state;
	begin("averageq", "100m,jitter=0", 0);
	/* Each question is some milliseconds late: edges are where they would have been. */
	assert_answer(next(0.5, 7 * NS_PER_MS), true, 50 * NS_PER_MS);
	assert_answer(next(0.5, 20 * NS_PER_MS), false, 100 * NS_PER_MS);
	assert_answer(next(0.5, 49 * NS_PER_MS), true, 150 * NS_PER_MS);
	/* As late as a whole epoch still counts from the due time, so the answer lies in the past: the next comes at once. */
	assert_answer(next(0.5, 100 * NS_PER_MS), false, 200 * NS_PER_MS);
	module_test_end(&test);
}

static void after_a_break_the_count_starts_again(void **state)
{
	(void)state;
	begin("averageq", "100m,jitter=0", 0);
	assert_answer(next(0.5, 0), true, 50 * NS_PER_MS);
	const int64_t late = 100 * NS_PER_MS + 1;
	assert_answer(next(0.5, late), false, 50 * NS_PER_MS + late + 50 * NS_PER_MS);
	/* An hour's pause doesn't bring an hour's worth of edges. */
	const int64_t due = in.due_ns;
	assert_answer(next(0.5, 3600 * NS_PER_S), true, due + 3600 * NS_PER_S + 50 * NS_PER_MS);
	module_test_end(&test);
}

static void a_long_run_has_no_drift(void **state)
{
	(void)state;
	begin("averageq", "jitter=0", 12345);
	/* A third of 107 ms has no whole number of nanoseconds; the epoch has. */
	for (int i = 0; i < 100000; i++) {
		next(1.0 / 3, i % 1000);
		assert_false(next(1.0 / 3, i % 777).run);
	}
	assert_int_equal(in.due_ns, 12345 + 100000 * (107 * NS_PER_MS));
	module_test_end(&test);
}

static void odd_lengths_are_rounded_to_nanoseconds(void **state)
{
	(void)state;
	begin("averageq", "1000001n,jitter=0", 0);
	assert_answer(next(0.5, 0), true, 500001);
	assert_answer(next(0.5, 0), false, 1000001);
	module_test_end(&test);
}

/* Ours: the first epoch has any length up to the quantum, the others are within the jitter of it, and the quantum is their mean. */
static void epochs_differ(void **state)
{
	(void)state;
	int64_t first[2];
	for (unsigned executor = 0; executor < 2; executor++) {
		module_test_start(&test, SST_DITHERING, "averageq", "100m");
		test.env.index = executor;
		assert_int_equal(test.module.base->init(test.module.state, &test.env), 0);
		in = (struct sst_dithering_input){.live = 8};
		next(0.3, 0);
		first[executor] = next(0.3, 0).until_ns;
		assert_in_range(first[executor], 1, 100 * NS_PER_MS);
		int64_t least = INT64_MAX;
		int64_t most = 0;
		for (int i = 0; i < 10000; i++) {
			const int64_t began = in.due_ns;
			const int64_t run = next(0.3, 0).until_ns - began;
			const int64_t length = next(0.3, 0).until_ns - began;
			assert_in_range(run, length * 3 / 10 - 1, length * 3 / 10 + 1);
			least = length < least ? length : least;
			most = length > most ? length : most;
		}
		assert_in_range(least, 80 * NS_PER_MS, 81 * NS_PER_MS);
		assert_in_range(most, 119 * NS_PER_MS, 120 * NS_PER_MS);
		assert_in_range((in.due_ns - first[executor]) / 10000, 99 * NS_PER_MS, 101 * NS_PER_MS);
		module_test_end(&test);
	}
	assert_int_not_equal(first[0], first[1]);
}

/* The seed decides, not the moment; each executor has lengths of its own. */
static void a_seed_repeats_the_epochs(void **state)
{
	(void)state;
	enum { ENTROPIES = 2, EXECUTORS = 2, EPOCHS = 20 };
	static const char *const options[] = {"100m,seed=7", "100m,seed=8"};
	int64_t until[2][ENTROPIES][EXECUTORS][EPOCHS];
	for (unsigned seed = 0; seed < 2; seed++)
		for (unsigned entropy = 0; entropy < ENTROPIES; entropy++)
			for (unsigned executor = 0; executor < EXECUTORS; executor++) {
				assert_null(module_test_open(&test, SST_DITHERING, "averageq", options[seed]));
				test.env.entropy = UINT64_MAX - entropy;
				assert_null(module_test_prepare(&test));
				test.env.index = executor;
				assert_int_equal(test.module.base->init(test.module.state, &test.env), 0);
				in = (struct sst_dithering_input){.live = 8};
				for (int i = 0; i < EPOCHS; i++)
					until[seed][entropy][executor][i] = next(0.3, 0).until_ns;
				module_test_end(&test);
			}
	/* Without one, what was picked is recorded, and repeats them. */
	char recorded[1024];
	assert_null(module_test_open(&test, SST_DITHERING, "averageq", "100m"));
	test.env.entropy = UINT64_C(0x8000000000000007); /* the top bit would make it negative */
	assert_null(module_test_prepare(&test));
	strcpy(recorded, module_test_options(&test));
	assert_non_null(strstr(recorded, "seed=7"));
	module_test_end(&test);
	assert_memory_equal(until[0][0], until[0][1], sizeof until[0][0]);
	assert_memory_not_equal(until[0][0], until[1][0], sizeof until[0][0]);
	assert_memory_not_equal(until[0][0][0], until[0][0][1], sizeof until[0][0][0]);
}

/* Up to 20 % from eight workloads on, a seventh of that for two. */
static void the_epochs_of_few_differ_less(void **state)
{
	(void)state;
	begin("averageq", "100m", 0);
	in.live = 2;
	next(0.5, 0);
	next(0.5, 0);
	int64_t least = INT64_MAX;
	int64_t most = 0;
	for (int i = 0; i < 10000; i++) {
		const int64_t began = in.due_ns;
		next(0.5, 0);
		const int64_t length = next(0.5, 0).until_ns - began;
		least = length < least ? length : least;
		most = length > most ? length : most;
	}
	assert_in_range(least, 97 * NS_PER_MS, 98 * NS_PER_MS);
	assert_in_range(most, 102 * NS_PER_MS, 103 * NS_PER_MS);
	module_test_end(&test);
}

static void wrong_options_are_refused(void **state)
{
	(void)state;
	assert_non_null(strstr(module_test_load(&test, SST_DITHERING, "averageq", "quantum=999u"), "from 1ms to 1h"));
	assert_non_null(strstr(module_test_load(&test, SST_DITHERING, "averageq", "2h"), "from 1ms to 1h"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_epoch_is_a_run_and_a_stop),
		cmocka_unit_test(the_duty_cycle_is_asked_for_again_before_the_stop),
		cmocka_unit_test(a_part_without_length_is_left_out),
		cmocka_unit_test(delays_do_not_add_up),
		cmocka_unit_test(after_a_break_the_count_starts_again),
		cmocka_unit_test(a_long_run_has_no_drift),
		cmocka_unit_test(odd_lengths_are_rounded_to_nanoseconds),
		cmocka_unit_test(epochs_differ),
		cmocka_unit_test(a_seed_repeats_the_epochs),
		cmocka_unit_test(the_epochs_of_few_differ_less),
		cmocka_unit_test(wrong_options_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
