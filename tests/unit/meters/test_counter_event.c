/* SPDX-License-Identifier: MIT */
#include "meters/counter_event.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct linux_counter_event parse(const char *text)
{
	struct linux_counter_events events;
	char error[LINUX_COUNTER_ERROR_MAX] = "";
	if (linux_counter_events_parse(text, &events, error) != 0)
		fail_msg("%s: %s", text, error);
	assert_int_equal(events.count, 1);
	return events.event[0];
}

static void expect(const char *text, const char *name, uint32_t type, uint64_t config)
{
	const struct linux_counter_event event = parse(text);
	assert_string_equal(event.name, name);
	assert_int_equal(event.type, type);
	assert_int_equal(event.config, config);
	assert_false(event.is_of_pmu);
	assert_int_equal(linux_counter_is_software(&event), type == PERF_TYPE_SOFTWARE);
}

static void expect_refused(const char *text, const char *message)
{
	struct linux_counter_events events;
	char error[LINUX_COUNTER_ERROR_MAX] = "";
	assert_int_equal(linux_counter_events_parse(text, &events, error), -1);
	if (!strstr(error, message))
		fail_msg("'%s': '%s' isn't in '%s'", text, message, error);
}

/* The numbers are the kernel's interface, as its manual has them. */
static void of_the_table(void **unused)
{
	(void)unused;
	expect("cycles", "cycles", 0, 0);
	expect("cpu-cycles", "cycles", 0, 0);
	expect("instructions", "instructions", 0, 1);
	expect("cache-references", "cache-references", 0, 2);
	expect("cache-misses", "cache-misses", 0, 3);
	expect("branches", "branches", 0, 4);
	expect("branch-instructions", "branches", 0, 4);
	expect("branch-misses", "branch-misses", 0, 5);
	expect("bus-cycles", "bus-cycles", 0, 6);
	expect("stalled-cycles-frontend", "stalled-cycles-frontend", 0, 7);
	expect("stalled-cycles-backend", "stalled-cycles-backend", 0, 8);
	expect("ref-cycles", "ref-cycles", 0, 9);
	expect("cpu-clock", "cpu-clock", 1, 0);
	expect("task-clock", "task-clock", 1, 1);
	expect("faults", "page-faults", 1, 2);
	expect("cs", "context-switches", 1, 3);
	expect("migrations", "cpu-migrations", 1, 4);
	expect("minor-faults", "minor-faults", 1, 5);
	expect("major-faults", "major-faults", 1, 6);
	expect("alignment-faults", "alignment-faults", 1, 7);
	expect("emulation-faults", "emulation-faults", 1, 8);
}

static void of_caches(void **unused)
{
	(void)unused;
	expect("L1-dcache-loads", "L1-dcache-loads", 3, 0);
	expect("l1-dcache-LOAD-misses", "L1-dcache-load-misses", 3, 0x10000);
	expect("L1-icache-load-misses", "L1-icache-load-misses", 3, 0x10001);
	expect("LLC-stores", "LLC-stores", 3, 0x102);
	expect("dTLB-store-misses", "dTLB-store-misses", 3, 0x10103);
	expect("iTLB-loads", "iTLB-loads", 3, 4);
	expect("branch-load-misses", "branch-load-misses", 3, 0x10005);
	expect("node-prefetches", "node-prefetches", 3, 0x206);
	expect("node-prefetch-misses", "node-prefetch-misses", 3, 0x10206);
}

static void raw_and_modified(void **unused)
{
	(void)unused;
	expect("r1c2", "r1c2", 4, 0x1c2);
	expect("r00C0", "rc0", 4, 0xc0);
	expect("rffffffffffffffff", "rffffffffffffffff", 4, UINT64_MAX);
	expect("cycles:u", "cycles:u", 0, 0);
	assert_true(parse("cycles:u").only_user);
	assert_false(parse("cycles:u").only_kernel);
	assert_true(parse("r1:k").only_kernel);
	assert_false(parse("cycles").only_user);
}

static void lists(void **unused)
{
	(void)unused;
	struct linux_counter_events events;
	char error[LINUX_COUNTER_ERROR_MAX];
	assert_int_equal(linux_counter_events_parse("cs,cpu/event=1,umask=2/,cpu/event=1,umask=2/:u,cycles", &events, error), 0);
	assert_int_equal(events.count, 4);
	assert_string_equal(events.event[1].name, "cpu/event=1,umask=2/");
	assert_true(events.event[1].is_of_pmu);
	assert_false(linux_counter_is_software(&events.event[1]));
	assert_string_equal(events.event[2].name, "cpu/event=1,umask=2/:u");
	assert_true(events.event[2].only_user);
	assert_string_equal(events.event[3].name, "cycles");
}

static void refused(void **unused)
{
	(void)unused;
	char many[8 * (LINUX_COUNTER_EVENTS_MAX + 1)] = "";
	char name[LINUX_COUNTER_NAME_MAX + 8];
	expect_refused("", "'' is no event: expected events such as cycles,");
	expect_refused("cycels", "'cycels' is no event");
	expect_refused("cycles,", "'' is no event");
	expect_refused(",cycles", "'' is no event");
	expect_refused("cycles:x", "'cycles:x' is no event");
	expect_refused(":u", "':u' is no event");
	expect_refused("cs,context-switches", "found the event 'context-switches' twice");
	expect_refused("cpu/a-b/,cpu/a_b/", "found the event 'cpu/a_b/' twice");
	expect_refused("L1-dcache", "'L1-dcache' is no event");
	expect_refused("L1-dcache-", "is no event");
	expect_refused("LLC-misses", "is no event");
	expect_refused("r", "is no event");
	expect_refused("rxyz", "is no event");
	expect_refused("r12345678901234567", "is no event");
	expect_refused("cpu/", "is no event");
	expect_refused("cpu//", "is no event");
	expect_refused("/cycles/", "is no event");
	expect_refused("cpu/a/b/", "is no event");
	expect_refused("../cycles/", "is no event");
	expect_refused("-/x/", "is no event"); /* no name of a column could be made of it */
	expect_refused("cpu/event 1/", "is no event");
	expect_refused("cpu/event=1", "is no event");
	for (int i = 0; i <= LINUX_COUNTER_EVENTS_MAX; i++)
		snprintf(many + strlen(many), sizeof many - strlen(many), "%sr%x", i ? "," : "", 1 + i);
	expect_refused(many, "found more than 32 events");
	memset(name, 'a', sizeof name);
	memcpy(name, "cpu/", 4);
	name[LINUX_COUNTER_NAME_MAX - 3] = '/';
	name[LINUX_COUNTER_NAME_MAX - 2] = '\0';
	expect_refused(name, "is too long for an event's name: at most 53 characters");
	memcpy(name + LINUX_COUNTER_NAME_MAX - 6, "/:u", 4);
	assert_int_equal(strlen(parse(name).name), LINUX_COUNTER_NAME_MAX - 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_the_table),
		cmocka_unit_test(of_caches),
		cmocka_unit_test(raw_and_modified),
		cmocka_unit_test(lists),
		cmocka_unit_test(refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
