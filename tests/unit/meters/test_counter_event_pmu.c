/* SPDX-License-Identifier: MIT */
#include "meters/counter_event.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_root.h"

#define PMU "/sys/bus/event_source/devices/"

static void place(void **unused)
{
	(void)unused;
	struct linux_counter_event event = {.config = 0xff00};
	assert_true(linux_counter_pmu_place("config:0-7", 0xc0, &event));
	assert_int_equal(event.config, 0xffc0);
	/* A second value takes the place of the first. */
	assert_true(linux_counter_pmu_place("config:0-7", 1, &event));
	assert_int_equal(event.config, 0xff01);
	/* Bits that lie apart, the lowest ones first. */
	event.config = 0;
	assert_true(linux_counter_pmu_place("config:0-7,32-35", 0x5c1, &event));
	assert_int_equal(event.config, 0x5000000c1);
	assert_true(linux_counter_pmu_place("config1:0-63", UINT64_MAX, &event));
	assert_int_equal(event.config1, UINT64_MAX);
	assert_true(linux_counter_pmu_place("config2:63", 1, &event));
	assert_int_equal(event.config2, UINT64_C(1) << 63);
	assert_int_equal(event.config, 0x5000000c1);
}

static void place_refused(void **unused)
{
	(void)unused;
	static const char *const malformed[] = {"", "config", "config:", "config:a", "config:3-", "config:7-0", "config:0-64",
		"config3:0-7", "config:0-7,", "config:0-7 ", "config:0--7", "conf:0-7", ":0-7"};
	struct linux_counter_event event = {0};
	for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
		if (linux_counter_pmu_place(malformed[i], 0, &event))
			fail_msg("'%s' was taken", malformed[i]);
	assert_false(linux_counter_pmu_place("config:0-7", 256, &event));
	assert_false(linux_counter_pmu_place("config:5", 2, &event));
}

static struct linux_counter_event named(const char *name)
{
	struct linux_counter_events events;
	char error[LINUX_COUNTER_ERROR_MAX] = "";
	if (linux_counter_events_parse(name, &events, error) != 0)
		fail_msg("%s", error);
	return events.event[0];
}

static void make_unit(char root[static PATH_MAX])
{
	fake_root_make(root);
	fake_file(root, PMU "cpu/type", "4\n");
	fake_file(root, PMU "cpu/format/event", "config:0-7,32-35\n");
	fake_file(root, PMU "cpu/format/umask", "config:8-15\n");
	fake_file(root, PMU "cpu/format/edge", "config:18\n");
	fake_file(root, PMU "cpu/format/ldlat", "config1:0-15\n");
	fake_file(root, PMU "cpu/events/cpu-cycles", "event=0x3c\n");
	fake_file(root, PMU "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	fake_file(root, PMU "cpu/events/strange", "event=?\n");
	fake_file(root, PMU "uncore_imc_0/type", "24\n");
	fake_file(root, PMU "uncore_imc_0/cpumask", "0,8-9\n");
	fake_file(root, PMU "uncore_imc_0/format/event", "config:0-7\n");
	fake_file(root, PMU "bad_mask/type", "25\n");
	fake_file(root, PMU "bad_mask/cpus", "x\n");
	fake_file(root, PMU "bad_type/type", "none\n");
}

static void resolved(void **unused)
{
	(void)unused;
	char root[PATH_MAX], error[LINUX_COUNTER_ERROR_MAX] = "";
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config, config1;
	} events[] = {
		{"cpu/cpu-cycles/", 4, 0x3c, 0},
		{"cpu/mem-loads/", 4, 0x1cd, 3},
		{"cpu/mem-loads,ldlat=0x20,edge/:u", 4, 0x401cd, 0x20},
		{"cpu/event=0x1c2,umask=255/", 4, 0x10000ffc2, 0},
		{"cpu/config=0x76,config1=1/:k", 4, 0x76, 1},
	};
	struct sst_cpus *cpus;
	make_unit(root);
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		struct linux_counter_event event = named(events[i].name);
		if (linux_counter_pmu_resolve(root, &event, &cpus, error) != 0)
			fail_msg("%s: %s", events[i].name, error);
		assert_int_equal(event.type, events[i].type);
		assert_int_equal(event.config, events[i].config);
		assert_int_equal(event.config1, events[i].config1);
		assert_null(cpus);
	}
	struct linux_counter_event event = named("uncore_imc_0/event=4/");
	assert_int_equal(linux_counter_pmu_resolve(root, &event, &cpus, error), 0);
	assert_non_null(cpus);
	assert_int_equal(cpus->count, 3);
	assert_int_equal(cpus->cpu[2], 9);
	free(cpus);
	fake_remove(root, "");
}

static void not_resolved(void **unused)
{
	(void)unused;
	char root[PATH_MAX];
	static const struct {
		const char *name, *message;
	} events[] = {
		{"gpu/cycles/", "there is no "},
		{"bad_type/cycles/", PMU "bad_type"},
		{"bad_mask/config=1/", "can't tell on which processors bad_mask counts"},
		{"cpu/cycles/", "cpu has neither an event nor a field 'cycles'"},
		{"cpu/.._/", "cpu has neither an event nor a field '.._'"},
		{"cpu/../", "cpu has neither an event nor a field '..'"},
		{"cpu/event=1,,umask=1/", "cpu has neither an event nor a field ''"},
		{"cpu/event=/", "'event' of cpu can't be '': it is config:0-7,32-35"},
		{"cpu/event=-1/", "'event' of cpu can't be '-1'"},
		{"cpu/event=0x1000/", "'event' of cpu can't be '0x1000'"},
		{"cpu/event=18446744073709551616/", "can't be"},
		{"cpu/strange/", "'event' of cpu can't be '?'"},
		{"cpu/config7=1/", "'config7' of cpu can't be '1'"},
	};
	make_unit(root);
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		char error[LINUX_COUNTER_ERROR_MAX] = "";
		struct sst_cpus *cpus = NULL;
		struct linux_counter_event event = named(events[i].name);
		assert_int_equal(linux_counter_pmu_resolve(root, &event, &cpus, error), -1);
		assert_null(cpus);
		if (!strstr(error, events[i].message))
			fail_msg("%s: '%s' isn't in '%s'", events[i].name, events[i].message, error);
	}
	fake_remove(root, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(place),
		cmocka_unit_test(place_refused),
		cmocka_unit_test(resolved),
		cmocka_unit_test(not_resolved),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
