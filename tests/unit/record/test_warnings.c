/* SPDX-License-Identifier: MIT */
#include "record/summary.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"

#define BELOW "warning: the load stayed below the target: "
#define ABOVE "warning: the load stayed above the target: "

/* A run on two processors, all of which the workloads may use, of one sample. */
static struct summary run_of(const struct record *record)
{
	struct summary summary = {.control = "pi",
		.may_use = 2,
		.processors = 2,
		.controlled_s = 10,
		.saturated = record->saturated,
		.starved = record->starved};
	struct record whole = *record;
	whole.length_ns = 500 * NS_PER_MS;
	whole.machine.capacity = 1;
	accuracy_add(&summary.accuracy, record->target, record->load);
	tally_add(&summary.tally, &whole, 0);
	return summary;
}

static void expect(const struct summary *summary, const char *expected)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);
	assert_non_null(to);
	warnings_print(summary, NULL, to);
	fclose(to);
	assert_string_equal(text, expected);
	free(text);
}

static const struct record saturated = {.target = 0.8, .load = 0.51, .others = 0.01, .free = NAN, .alive = 1, .saturated = 1};
static const struct record starved = {.target = 0.3, .load = 0.75, .others = 0.25, .free = 0.5, .alive = 1, .starved = 1};

static void the_target_was_held(void **state)
{
	(void)state;
	struct record record = saturated;
	record.load = 0.796;
	struct summary summary = run_of(&record);
	expect(&summary, "");
}

/* Missed, but not for long at a bound. */
static void a_controller_that_misses(void **state)
{
	(void)state;
	static const char expected[] =
		"warning: the load was %.1f pp from the target (root mean square), though the workloads were "
		"neither saturated nor starved: control module 'pi' doesn't hold it\n";
	char text[256];
	struct record record = saturated;
	record.saturated = 0.04;
	struct summary summary = run_of(&record);
	snprintf(text, sizeof text, expected, 29.0);
	expect(&summary, text);
	record = starved;
	record.starved = 0.04;
	summary = run_of(&record);
	snprintf(text, sizeof text, expected, 45.0);
	expect(&summary, text);
	record.load = record.target + 0.049;
	summary = run_of(&record);
	expect(&summary, "");
}

static void workloads_that_stand_by_themselves(void **state)
{
	(void)state;
	const struct record record = {.target = 0.8, .load = 0.51, .others = 0.01, .free = NAN, .alive = 1};
	struct summary summary = run_of(&record);
	char *text = NULL, stopped[STOPPED_TEXT_MAX];
	size_t length;
	uint64_t signals;
	static const size_t none[KINDS];
	struct shared *const shared = shared_create(12, none);
	assert_non_null(shared);
	assert_false(stopped_describe(shared, stopped, &signals));
	for (unsigned i = 0; i < 12; i++)
		atomic_store(&shared->slot[i].stopped_by, i ? SIGTTOU : SIGSTOP);
	FILE *to = open_memstream(&text, &length);
	warnings_print(&summary, shared, to);
	fclose(to);
	assert_string_equal(text, "warning: stopped, though not by Showstopper: workloads 0 (SIGSTOP), 1 (SIGTTOU), 2 (SIGTTOU), "
				  "3 (SIGTTOU), 4 (SIGTTOU), "
				  "5 (SIGTTOU), 6 (SIGTTOU), 7 (SIGTTOU) and 4 more: the terminal may not be used from the "
				  "background; redirect input and "
				  "output (</dev/null, >FILE), or put setsid --wait in front of the command\n");
	free(text);
	assert_true(stopped_describe(shared, stopped, &signals));
	assert_true(signals == (UINT64_C(1) << SIGTTOU | UINT64_C(1) << SIGSTOP));
	shared_destroy(shared);
}

/* Of cores, the processors that were used say nothing, and what else ran isn't known. */
static void nothing_is_said_of_processors_where_it_is_cores(void **state)
{
	(void)state;
	struct record record = saturated;
	record.others = NAN;
	struct summary summary = run_of(&record);
	summary.of_cores = true;
	summary.may_use = NAN;
	expect(&summary, BELOW "the workloads ran all the time for 100.0 % of it; what else ran is not known here\n");
}

static void processors_that_may_be_used(void **state)
{
	(void)state;
	struct summary summary = run_of(&saturated);
	summary.may_use = 1;
	expect(&summary,
		BELOW "the workloads may use 1 of 2 processors (50.00 %), and the target was up to 80.00 %: more processors are "
		      "needed (affinity, --cpus, --pin, quota), more instances don't help\n");
	/* With what others make beside them the target is within reach: then it isn't that alone. */
	struct record record = saturated;
	record.others = 0.31;
	summary = run_of(&record);
	summary.may_use = 1;
	expect(&summary, BELOW
		"the workloads ran all the time for 100.0 % of it, and used 0.40 of the 1 processor that they may use then; "
		"the load of free workloads was 0.00 %, that of others 31.00 %\n");
}

static void what_they_used(void **state)
{
	(void)state;
	struct summary summary = run_of(&saturated);
	expect(&summary, BELOW
		"the workloads ran all the time for 100.0 % of it, and used 1.00 of the 2 processors that they may use then: "
		"more instances, or more threads, are needed\n");
	struct record record = saturated;
	record.others = NAN;
	summary = run_of(&record);
	summary.controlled_cpu.control = 5;
	summary.may_use = NAN;
	expect(&summary, BELOW
		"the workloads ran all the time for 100.0 % of it, and used 0.50 of the 2 processors that they may use in the "
		"mean; what else ran is not known here\n");
}

/* Where free workloads have the processors, more instances are no help. */
static void free_workloads_beside_them(void **state)
{
	(void)state;
	struct record record = saturated;
	record.load = 0.77;
	record.free = 0.35;
	struct summary summary = run_of(&record);
	expect(&summary, BELOW
		"the workloads ran all the time for 100.0 % of it, and used 0.82 of the 2 processors that they may use then; the "
		"load of free workloads was 35.00 %, that of others 1.00 %\n");
	/* With what these make, one processor is enough to reach the target. */
	summary.may_use = 1;
	expect(&summary, BELOW
		"the workloads ran all the time for 100.0 % of it, and used 0.82 of the 1 processor that they may use then; the "
		"load of free workloads was 35.00 %, that of others 1.00 %\n");
}

/* Nor where what is watched has them, which are no workloads and no others. */
static void what_is_watched_beside_them(void **state)
{
	(void)state;
	struct record record = saturated;
	record.load = 0.77;
	record.watched_all = 0.35;
	struct summary summary = run_of(&record);
	summary.watches = 1;
	expect(&summary, BELOW
		"the workloads ran all the time for 100.0 % of it, and used 0.82 of the 2 processors that they may use then; the "
		"load of free workloads was 0.00 %, that of what is watched 35.00 %, that of others 1.00 %\n");
	record = starved;
	record.free = NAN;
	record.watched_all = 0.5;
	summary = run_of(&record);
	summary.watches = 1;
	expect(&summary,
		ABOVE "the workloads stood still for 100.0 % of the time; then the load of what is watched was 50.00 %, that of "
		      "others 25.00 %\n");
}

/* Who isn't there doesn't run all the time, and more processors don't help it. */
static void nobody_there(void **state)
{
	(void)state;
	struct record record = saturated;
	record.alive = 0.04;
	struct summary summary = run_of(&record);
	expect(&summary,
		BELOW "the workloads were gone for 96.0 % of the time: such as last longer, or more of them, are needed\n");
	summary.respawns = 7;
	summary.may_use = 1;
	expect(&summary, BELOW
		"the workloads were gone for 96.0 % of the time (started again 7 times): such as last longer, or more of them, "
		"are needed\n");
}

static void who_made_the_load(void **state)
{
	(void)state;
	struct summary summary = run_of(&starved);
	expect(&summary, ABOVE
		"the workloads stood still for 100.0 % of the time; then the load of free workloads was 50.00 %, that of others "
		"25.00 %\n");
	struct record record = starved;
	record.free = NAN;
	record.others = 0.004;
	summary = run_of(&record);
	expect(&summary, ABOVE
		"the workloads stood still for 100.0 % of the time; then the load of the controlled workloads and Showstopper "
		"was 74.60 %\n");
	record.others = NAN;
	summary = run_of(&record);
	expect(&summary, ABOVE "the workloads stood still for 100.0 % of the time; what else ran is not known here\n");
	summary.free_cpu.control = 2.5;
	expect(&summary, ABOVE
		"the workloads stood still for 100.0 % of the time; free workloads used 2.50 s of processor time under control; "
		"what else ran is not known here\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_target_was_held),
		cmocka_unit_test(a_controller_that_misses),
		cmocka_unit_test(workloads_that_stand_by_themselves),
		cmocka_unit_test(nothing_is_said_of_processors_where_it_is_cores),
		cmocka_unit_test(processors_that_may_be_used),
		cmocka_unit_test(what_they_used),
		cmocka_unit_test(free_workloads_beside_them),
		cmocka_unit_test(what_is_watched_beside_them),
		cmocka_unit_test(nobody_there),
		cmocka_unit_test(who_made_the_load),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
