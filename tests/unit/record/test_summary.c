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
	const size_t module_size[KINDS] = {0};
	size_t offset[KINDS];
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
	atomic_store(&slot->cpu_until_ns, (int64_t)(seconds * 1e9));
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
	assert_true(has("\nequal instances      group 0: CPU time 1.90 to 2.10 s (2 of 3, spread 10.0 %)\n"));
	assert_true(has("\nequal instances      group 3: CPU time 0.25 to 0.75 s (2 of 3, spread 100.0 %)\n"));
}

static void one_group(void **state)
{
	(void)state;
	for (unsigned i = 0; i < WORKLOADS; i++)
		use(i, 0, 1.94 + 0.03 * (i % 2));
	print(&(struct summary){0});
	assert_true(has("\nequal instances      CPU time 1.94 to 1.97 s (spread 1.5 %)\n"));
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

static void without_a_sample_there_is_no_accuracy(void **state)
{
	(void)state;
	const struct summary summary = {0};
	for (unsigned i = 0; i < WORKLOADS; i++)
		use(i, SHARED_UNLIKE, 1);
	print(&summary);
	assert_non_null(strstr(text, "none: less than one sample of 500 ms under control\n"));
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, "pp^2"));
}

static void words_and_numbers(void **state)
{
	(void)state;
	struct summary summary = {
		.saturated = 0.003, .starved = 0.25, .controlled_s = 30, .executors_cpu_s = 0.004, .wall_s = 0.001};
	use(0, SHARED_UNLIKE, 1);
	summary.respawns = 1;
	atomic_store(&shared->slot[3].respawns, 1);
	accuracy_add(&summary.accuracy, 0.5, 0.5);
	summary.others_samples = 0;
	print(&summary);
	assert_true(has(" pp^2 (1 sample of 500 ms)\n"));
	assert_true(has("\nran all the time     0.3 % of 30.0 s under control, below the target (saturated)\n"));
	assert_true(has("\nstood still          25.0 % of 30.0 s under control, above the target (starved)\n"));
	assert_true(has("\nstarted again        1 time (3: 1)\n"));
	/* What is taken around a run is no share of a short one. */
	assert_true(has("\nShowstopper's        0.004 s\n"));
	assert_null(strstr(text, "instances"));
	accuracy_add(&summary.accuracy, 0.5, 0.5);
	summary.wall_s = 4;
	summary.respawns = 2;
	summary.others_samples = 1;
	summary.by_default = 2;
	print(&summary);
	assert_true(has("\ninstances            2: without -n, one for each processor that a group may use\n"));
	assert_true(has(" pp^2 (2 samples of 500 ms)\n"));
	assert_true(has("(known in 1 sample)\n"));
	assert_true(has("\nstarted again        2 times ("));
	assert_true(has("\nShowstopper's        0.004 s (0.10 % of one processor)\n"));
}

/* What comes before control and after it is told apart, and free workloads from those that are controlled. */
static void times_and_free_workloads(void **state)
{
	(void)state;
	struct summary summary = {0};
	for (unsigned i = 3; i < WORKLOADS; i++)
		shared->slot[i].free = true;
	use(0, SHARED_UNLIKE, 10);
	atomic_store(&shared->slot[0].cpu_before_ns, 2 * NS_PER_S);
	atomic_store(&shared->slot[0].cpu_until_ns, 9 * NS_PER_S);
	use(1, SHARED_UNLIKE, 5)->free = true;
	/* A counter that is ahead of the last one by its unit. */
	atomic_store(&use(2, SHARED_UNLIKE, 1)->cpu_until_ns, 1010 * NS_PER_MS);
	summary_collect(&summary, shared);
	assert_true(fabs(summary.controlled_cpu.before - 2) < 1e-9 && fabs(summary.controlled_cpu.control - 8) < 1e-9);
	assert_true(fabs(summary.controlled_cpu.after - 1) < 1e-9 && fabs(summary.free_cpu.control - 5) < 1e-9);
	print(&summary);
	assert_true(has("\nworkloads' CPU time  8.00 s (0: 7.00, 2: 1.00)\n"));
	assert_true(has("\noutside control      2.00 s before it began, 1.00 s after its end\n"));
	assert_true(has("\nfree                 workloads 1, 3, 4, 5, 6, 7, 8: CPU time 5.00 s\n"));
	const struct record record = {
		.target = 0.5, .load = 0.5, .free = 0.25, .others = 0, .alive = 1, .length_ns = 1, .machine = {.capacity = 1}};
	tally_add(&summary.tally, &record, 0);
	print(&summary);
	assert_true(has("\nfree                 7 workloads: CPU time 5.00 s, load 25.00 %, at most 25.00 %\n"));
	for (unsigned i = 5; i < WORKLOADS; i++)
		shared->slot[i].free = false;
	print(&summary);
	assert_true(has("\nfree                 workloads 1, 3, 4: CPU time 5.00 s, load 25.00 %\n"));
	for (unsigned i = 3; i < 5; i++)
		shared->slot[i].free = false;
	print(&summary);
	assert_true(has("\nfree                 workload 1: CPU time 5.00 s, load 25.00 %, at most 25.00 %\n"));
}

static void worst_sample(void **state)
{
	(void)state;
	struct summary summary = {.others_mean = NAN};
	struct record record = {.target = 0.5, .load = 0.53, .alive = 0.25, .length_ns = 500 * NS_PER_MS, .end_ns = NS_PER_S};
	tally_add(&summary.tally, &record, NS_PER_S / 2);
	accuracy_add(&summary.accuracy, record.target, record.load);
	print(&summary);
	assert_null(strstr(text, "worst sample"));
	record.load = 0.375;
	record.end_ns += 500 * NS_PER_MS;
	tally_add(&summary.tally, &record, NS_PER_S / 2);
	accuracy_add(&summary.accuracy, record.target, record.load);
	summary.controlled_s = 0.25;
	summary.saturated = 0.5;
	print(&summary);
	assert_true(has("\nworst sample         -12.50 pp: load 37.50 %, target 50.00 %, at 1.0 s\n"));
	assert_true(has("\nwere gone            75.0 % of the time: ended, or not yet started again\n"));
	/* What was not there did not run all the time. */
	assert_true(has("\nran all the time     12.5 % of 1.0 s under control, below the target (saturated)\n"));
}

/* A list that doesn't fit the screen gives way to the extremes, or to nothing. */
static void long_lists(void **state)
{
	(void)state;
	struct summary summary = {.respawns = 9000000};
	for (unsigned i = 0; i < WORKLOADS; i++) {
		use(i, SHARED_UNLIKE, 1000 + i);
		atomic_store(&shared->slot[i].respawns, 1000000);
	}
	summary_collect(&summary, shared);
	print(&summary);
	assert_true(has("\nworkloads' CPU time  9036.00 s (each 1000.00 to 1008.00, median 1004.00)\n"));
	assert_true(has("times\n"));
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
}

/* An event that was counted for half of the time. */
static char no_lacks[1][LINUX_COUNTER_ERROR_MAX];
static unsigned first_group[1];
static struct linux_counter_reading half[1] = {{15, 10, 5}};
static const struct counted half_of_the_time = {.events = {.count = 1, .event = {{.name = "cycles"}}},
	.lacks = no_lacks,
	.workloads = 1,
	.group = first_group,
	.sum = half,
	.seconds = 10};

/* Every row that there can be, one screen of them, and nothing that isn't explained. */
static void all_rows_are_explained(void **state)
{
	(void)state;
	char *explained = NULL;
	size_t length;
	unsigned rows = 0;
	struct summary summary = {.lost = 1,
		.respawns = 1,
		.by_default = 2,
		.power_asked = true,
		.container = "processors 1",
		.saturated = 1,
		.controlled_s = 10,
		.may_use = 1,
		.processors = 2};
	const struct record record = {.target = 0.9,
		.load = 0.5,
		.free = 0.1,
		.alive = 0.5,
		.length_ns = 1,
		.saturated = 1,
		.machine = {.capacity = 1}};
	for (int i = 0; i < 2; i++) {
		tally_add(&summary.tally, &record, 0);
		accuracy_add(&summary.accuracy, record.target, record.load);
	}
	summary.counted = &half_of_the_time;
	summary.watch = &(const struct watch){.name = "db"};
	summary.watched = &(const struct beside_sums){.total = {1, 4}, .most = 0.3, .counted = 2};
	summary.watched_ended_s = &(const double){7.5};
	summary.watches = 1;
	use(0, 0, 1);
	use(1, 0, 1);
	use(2, SHARED_UNLIKE, 1)->free = true;
	atomic_store(&use(3, SHARED_UNLIKE, 0)->lost, true);
	atomic_store(&use(4, SHARED_UNLIKE, 1)->attached, true);
	summary.controlled_cpu.before = 1;
	summary.maximum = 20;
	FILE *to = open_memstream(&explained, &length);
	assert_non_null(to);
	summary_explain(to);
	fclose(to);
	print(&summary);
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1, rows++) {
		char label[SUMMARY_COLUMN + 2] = "\n";
		const bool is_warning = strncmp(line, "warning:", 8) == 0;
		strncat(label, line, is_warning ? 8 : SUMMARY_COLUMN);
		if (!strstr(explained, label) && strncmp(explained, label + 1, strlen(label + 1)) != 0)
			fail_msg("'%s' is not explained", label + 1);
	}
	/* Each term but that of a limit once, and one warning more: then the line that names --explain fits the screen, too. */
	assert_int_equal(rows, SUMMARY_TERMS);
	/* … unless one asks for events, watches something, which may be any number, or for iterations; here it is one of each. */
	assert_true(rows - 3 < 24);
	assert_non_null(strstr(text, "\nwatched              db: 25.00 % of the machine, at most 30.00 %, ended at 7.5 s\n"));
	assert_non_null(strstr(text, "\nevents               cycles: 30 (3.0 per s), counted 50.0 % of the time\n"));
	for (unsigned term = TERM_USED + 1; term < SUMMARY_TERMS; term++)
		assert_non_null(strstr(text, summary_label(term)));
	free(explained);
}

/* What uses less than its limit is no miss: nothing of errors, and no warning. */
static void a_limit_that_is_not_used_up(void **state)
{
	(void)state;
	struct summary summary = {.limit = 1.5, .saturated = 0.96, .controlled_s = 10, .may_use = 2, .processors = 2};
	const struct record record = {.target = 0.75, .load = 0.3, .duty = 0.96, .free = NAN, .alive = 1, .length_ns = 1};
	tally_add(&summary.tally, &record, 0);
	accuracy_add(&summary.accuracy, record.target, record.load);
	print(&summary);
	assert_non_null(strstr(text, "used                 60.0 % of a processor of 150 %; held back 4 % of the time\n"));
	assert_null(strstr(text, "mean error"));
	assert_null(strstr(text, "ran all the time"));
	assert_null(strstr(text, "warning"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(equal_instances, enter, leave),
		cmocka_unit_test_setup_teardown(one_group, enter, leave),
		cmocka_unit_test_setup_teardown(nothing_to_compare, enter, leave),
		cmocka_unit_test_setup_teardown(others, enter, leave),
		cmocka_unit_test_setup_teardown(without_a_sample_there_is_no_accuracy, enter, leave),
		cmocka_unit_test_setup_teardown(words_and_numbers, enter, leave),
		cmocka_unit_test_setup_teardown(times_and_free_workloads, enter, leave),
		cmocka_unit_test_setup_teardown(worst_sample, enter, leave),
		cmocka_unit_test_setup_teardown(long_lists, enter, leave),
		cmocka_unit_test_setup_teardown(all_rows_are_explained, enter, leave),
		cmocka_unit_test_setup_teardown(a_limit_that_is_not_used_up, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
