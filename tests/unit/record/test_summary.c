/* SPDX-License-Identifier: MIT */
#include "record/summary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"

#define WORKLOADS 9

static struct shared *shared;
static char *text;

static int enter(void **state)
{
	(void)state;
	const size_t module_size[SST_KINDS] = {0};
	size_t offset[SST_KINDS];
	const size_t size = shared_layout(WORKLOADS, module_size, offset);
	shared = aligned_alloc(128, (size + 127) / 128 * 128);
	assert_non_null(shared);
	memset(shared, 0, size);
	shared_init(shared, WORKLOADS, size, offset);
	text = NULL;
	return 0;
}

static int leave(void **state)
{
	(void)state;
	free(shared);
	free(text);
	return 0;
}

/* Slot `index`: whose group it is, and what it used. */
static struct slot *use(unsigned index, unsigned group, double seconds)
{
	struct slot *slot = &shared->slot[index];
	slot->group = group;
	atomic_store(&slot->workload_cpu_ns, (int64_t)(seconds * 1e9));
	return slot;
}

static const char *print(const struct summary *summary)
{
	size_t length;
	free(text);
	FILE *to = open_memstream(&text, &length);
	assert_non_null(to);
	summary_print(summary, shared, false, to);
	fclose(to);
	return text;
}

static bool has(const char *line)
{
	if (strstr(text, line))
		return true;
	fprintf(stderr, "no '%s' in:\n%s", line, text);
	return false;
}

/* Only those are compared that were there from beginning to end, each group by itself. */
static void equal_instances(void **state)
{
	(void)state;
	struct summary_equal equal;
	use(0, 0, 1.9);
	use(1, 0, 2.1);
	atomic_store(&use(2, 0, 0.5)->ended, true);
	use(3, 1, 7);
	atomic_store(&use(4, 1, 3)->respawns, 1);
	use(5, 3, 0.25);
	use(6, 3, 0.75);
	atomic_store(&use(7, 3, 5)->lost, true);
	use(8, SHARED_UNLIKE, 50);
	assert_true(summary_next_equal(shared, 0, &equal));
	assert_int_equal(equal.group, 0);
	assert_int_equal(equal.instances, 2);
	assert_int_equal(equal.asked, 3);
	assert_true(equal.least_s == 1.9 && equal.most_s == 2.1);
	assert_true(fabs(equal.spread - 0.1) < 1e-9);
	assert_true(summary_next_equal(shared, 1, &equal));
	assert_int_equal(equal.group, 3);
	assert_true(fabs(equal.spread - 1) < 1e-9);
	assert_false(summary_next_equal(shared, 4, &equal));
	print(&(struct summary){0});
	assert_true(has("\nequal instances      group 1: CPU time 1.90 to 2.10 s (2 of 3, least to most, spread 10.0 %)\n"));
	assert_true(has("\nequal instances      group 4: CPU time 0.25 to 0.75 s (2 of 3, least to most, spread 100.0 %)\n"));
}

static void one_group(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WORKLOADS; i++)
		use(i, 0, 1.94 + 0.03 * (i % 2));
	print(&(struct summary){0});
	assert_true(has("\nequal instances      CPU time 1.94 to 1.97 s (least to most, spread 1.5 %)\n"));
}

/* Processes that did nothing but start, and such that are like no other. */
static void nothing_to_compare(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WORKLOADS; i++)
		use(i, i % 2 ? SHARED_UNLIKE : 0, i % 2 ? 5 + i : 0.001 * i);
	print(&(struct summary){0});
	assert_null(strstr(text, "equal instances"));
}

static void others(void **state)
{
	(void)state;
	struct summary summary = {.others_mean = 0.0125, .others_max = 0.3, .others_samples = 2};
	for (unsigned i = 0; i < WORKLOADS; i++)
		use(i, SHARED_UNLIKE, 1);
	assert_null(strstr(print(&summary), "others"));
	accuracy_add(&summary.accuracy, 0.5, 0.5);
	accuracy_add(&summary.accuracy, 0.5, 0.5);
	print(&summary);
	assert_true(has("\nothers               1.25 % of the machine, at most 30.00 %\n"));
	accuracy_add(&summary.accuracy, 0.5, 0.5);
	print(&summary);
	assert_true(has("\nothers               1.25 % of the machine, at most 30.00 % (known in 2 samples)\n"));
	summary.others_mean = summary.others_max = NAN;
	print(&summary);
	assert_true(has("\nothers               unavailable\n"));
}

static void words_and_numbers(void **state)
{
	(void)state;
	struct summary summary = {
		.saturated = 0.003, .starved = 0.25, .controlled_s = 30, .executors_cpu_s = 0.004, .wall_s = 0.001};
	use(0, SHARED_UNLIKE, 1);
	summary.respawns = 1;
	accuracy_add(&summary.accuracy, 0.5, 0.5);
	summary.others_samples = 0;
	print(&summary);
	assert_true(has(" pp^2 (1 sample of 500 ms)\n"));
	assert_true(has("\nran all the time     0.3 % of 30.0 s under control, below the target (saturated)\n"));
	assert_true(has("\nstood still          25.0 % of 30.0 s under control, above the target (starved)\n"));
	assert_true(has("\nstarted again        1 time ("));
	/* What is taken around a run is no share of a short one. */
	assert_true(has("\nShowstopper's        0.004 s\n"));
	assert_null(strstr(text, "instances"));
	accuracy_add(&summary.accuracy, 0.5, 0.5);
	summary.wall_s = 4;
	summary.respawns = 2;
	summary.others_samples = 1;
	summary.by_default = 2;
	print(&summary);
	assert_true(strncmp(text, "instances            2: without -n, one for each processor that a group may use\n", 40) == 0);
	assert_true(has(" pp^2 (2 samples of 500 ms)\n"));
	assert_true(has("(known in 1 sample)\n"));
	assert_true(has("\nstarted again        2 times ("));
	assert_true(has("\nShowstopper's        0.004 s (0.10 % of one processor)\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_instances, enter, leave),
		cmocka_unit_test_setup_teardown(one_group, enter, leave),
		cmocka_unit_test_setup_teardown(nothing_to_compare, enter, leave),
		cmocka_unit_test_setup_teardown(others, enter, leave),
		cmocka_unit_test_setup_teardown(words_and_numbers, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
