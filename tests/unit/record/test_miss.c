/* SPDX-License-Identifier: MIT */
#include "record/miss.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"

#define SAMPLE_NS (500 * NS_PER_MS)

struct sample {
	double target, load, alive, saturated, starved, others;
};

static const struct sample fine = {0.4, 0.4, 1, 0.1, 0, 0.02};
static const struct sample gone = {0.4, 0.1, 0.25, 0, 0, 0.02};
static const struct sample saturated = {0.8, 0.5, 1, 1, 0, 0.02};
static const struct sample starved = {0.4, 0.6, 1, 0, 1, 0.6};

/* How often so many samples are worth a message; the last one is in *found. */
static int count(struct miss *miss, int samples, const struct sample *sample, struct miss_found *found)
{
	int told = 0;
	for (int i = 0; i < samples; i++) {
		const struct record record = {.end_ns = miss->end_ns + SAMPLE_NS,
			.length_ns = SAMPLE_NS,
			.target = sample->target,
			.load = sample->load,
			.alive = sample->alive,
			.saturated = sample->saturated,
			.starved = sample->starved,
			.others = sample->others,
			.free = NAN};
		told += miss_add(miss, &record, found);
	}
	return told;
}

static void each_cause_is_told_once_after_5_seconds(void **state)
{
	(void)state;
	const struct sample *const all[] = {&gone, &saturated, &starved};
	const enum miss_cause cause[] = {MISS_GONE, MISS_SATURATED, MISS_OTHERS};
	for (size_t i = 0; i < 3; i++) {
		struct miss miss = {0};
		struct miss_found found;
		assert_int_equal(count(&miss, 9, all[i], &found), 0);
		assert_int_equal(count(&miss, 1, all[i], &found), 1);
		assert_int_equal(found.cause, cause[i]);
		assert_true(fabs(found.seconds - 5) < 1e-9 && fabs(found.load - all[i]->load) < 1e-9);
		assert_int_equal(count(&miss, 1000, all[i], &found), 0);
		assert_string_not_equal(miss_note(miss.now), "");
	}
}

static void it_is_told_again_once_it_was_over(void **state)
{
	(void)state;
	struct miss miss = {0};
	struct miss_found found;
	assert_int_equal(count(&miss, 10, &saturated, &found), 1);
	assert_int_equal(count(&miss, 9, &fine, &found) + count(&miss, 10, &saturated, &found), 0);
	assert_int_equal(count(&miss, 21, &fine, &found), 0);
	assert_string_equal(miss_note(miss.now), "");
	assert_int_equal(count(&miss, 10, &saturated, &found), 1);
}

/* Such as a program at an unreachable target that is started again every few seconds. */
static void causes_in_turn_are_told_once_each(void **state)
{
	(void)state;
	struct miss miss = {0};
	struct miss_found found;
	int told = 0;
	for (int i = 0; i < 50; i++)
		told += count(&miss, 10, i % 2 ? &gone : &saturated, &found);
	assert_int_equal(told, 2);
}

static void what_holds_its_target_is_left_alone(void **state)
{
	(void)state;
	const struct sample some[] = {
		fine, {0.4, 0.2, 0.96, 0, 0, 0.02}, /* one of 25 is gone */
		{0.4, 0.4, 0.2, 0, 0, 0.02},        /* the others make up for it */
		{0.8, 0.78, 1, 1, 0, 0.02},         /* a little too slow */
		{0.4, 0.403, 1, 0, 1, 0.403},       /* a little more than the target */
		{0.4, 0.6, 1, 0, 1, 0.3},           /* the workloads themselves */
		{0.4, 0.2, 1, 0.5, 0.5, 0.02},      /* neither of both */
	};
	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		struct miss miss = {0};
		struct miss_found found;
		assert_int_equal(count(&miss, 100, &some[i], &found), 0);
	}
}

/* At its lower end, a ramp is below what others make. */
static void a_ramp_begins_below_the_others(void **state)
{
	(void)state;
	struct miss miss = {0};
	struct miss_found found;
	int told = 0;
	for (int i = 0; i < 20; i++)
		told += count(&miss, 1, &(struct sample){i / 2000.0, 0.02, 1, 0, 1, 0.02}, &found);
	assert_int_equal(told, 0);
	told += count(&miss, 10, &(struct sample){0.01, 0.02, 1, 0, 1, 0.02}, &found);
	assert_int_equal(told, 1);
}

static void a_gap_begins_anew(void **state)
{
	(void)state;
	struct miss miss = {0};
	struct miss_found found;
	assert_int_equal(count(&miss, 9, &starved, &found), 0);
	miss.end_ns += NS_PER_S;
	const struct record late = {
		.end_ns = miss.end_ns + 5 * NS_PER_S, .length_ns = SAMPLE_NS, .target = 0.4, .load = 0.6, .starved = 1};
	assert_false(miss_add(&miss, &late, &found));
	assert_int_equal(count(&miss, 8, &starved, &found), 0);
}

static void messages_have_the_figures_and_what_to_do(void **state)
{
	(void)state;
	char text[MISS_TEXT_MAX];
	struct miss_found found = {MISS_SATURATED, 5, 0.8, 0.5, 0.02, 0};
	miss_describe(&found, 2, 2, false, text);
	assert_non_null(strstr(
		text, "the load was 50.0 %, below the target of 80.0 %: more instances (-n), or more threads, are needed"));
	miss_describe(&found, 1, 2, false, text);
	assert_non_null(strstr(text, "they may use 1 of 2 processors"));
	miss_describe(&found, NAN, 2, false, text);
	assert_non_null(strstr(text, "more instances"));
	found = (struct miss_found){MISS_OTHERS, 5, 0.4, 0.6, 0.55, 0};
	miss_describe(&found, 2, 2, false, text);
	assert_non_null(strstr(text, "a load of 55.0 % by itself, more than the target of 40.0 %"));
	found.others = NAN;
	miss_describe(&found, 2, 2, false, text);
	assert_non_null(strstr(text, "stood still for the last 5.0 s, and the load was 60.0 %, above the target of 40.0 %"));
	found = (struct miss_found){MISS_GONE, 5, 0.4, 0.1, 0.02, 0.75};
	miss_describe(&found, 2, 2, true, text);
	assert_non_null(
		strstr(text, "gone for 75.0 % of the last 5.0 s, and the load is 30.0 pp below the target: there are 100 ms"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cause_is_told_once_after_5_seconds),
		cmocka_unit_test(it_is_told_again_once_it_was_over),
		cmocka_unit_test(causes_in_turn_are_told_once_each),
		cmocka_unit_test(what_holds_its_target_is_left_alone),
		cmocka_unit_test(a_ramp_begins_below_the_others),
		cmocka_unit_test(a_gap_begins_anew),
		cmocka_unit_test(messages_have_the_figures_and_what_to_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
