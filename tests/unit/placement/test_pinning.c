/* SPDX-License-Identifier: MIT */
/* Schemes on places that are written down, and on topologies as hwloc reads them: synthetic ones, and XML. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <hwloc.h>

#include "base/cpus.h"
#include "fake_root.h"
#include "placement/pinning.h"
#include "placement/placement.h"
#include "processes/affinity.h"

/* The set as a text, or the reason. */
static const char *set_of(const struct topology *topology, const char *scheme, unsigned part, unsigned parts)
{
	static char text[4096];
	struct sst_cpus *cpus;
	char reason[PINNING_REASON_MAX];
	if (pinning_cpus(topology->place, topology->count, pinning_find(scheme), part, parts, &cpus, reason) != 0)
		return strcpy(text, reason);
	if (!cpus)
		return "all";
	FILE *to = fmemopen(text, sizeof text, "w");
	assert_non_null(to);
	cpus_print(cpus, to);
	fclose(to);
	free(cpus);
	return text;
}

static void read_all(struct topology *topology)
{
	struct sst_cpus *allowed = linux_affinity_get();
	assert_non_null(allowed);
	assert_int_equal(topology_read(allowed, topology), 0);
	free(allowed);
}

static void read_synthetic(const char *description, struct topology *topology)
{
	assert_int_equal(setenv("HWLOC_SYNTHETIC", description, 1), 0);
	read_all(topology);
	unsetenv("HWLOC_SYNTHETIC");
	assert_true(topology->elsewhere);
}

/* The same machine without some of its processors, by way of a file. */
static void read_xml(const char *description, const char *present, struct topology *topology)
{
	char root[PATH_MAX];
	char path[PATH_MAX + 16];
	hwloc_topology_t whole;
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	fake_root_make(root);
	snprintf(path, sizeof path, "%s/topology.xml", root);
	assert_int_equal(hwloc_topology_init(&whole), 0);
	assert_int_equal(hwloc_topology_set_synthetic(whole, description), 0);
	assert_int_equal(hwloc_topology_load(whole), 0);
	assert_int_equal(hwloc_bitmap_list_sscanf(set, present), 0);
	assert_int_equal(hwloc_topology_restrict(whole, set, 0), 0);
	assert_int_equal(hwloc_topology_export_xml(whole, path, 0), 0);
	hwloc_topology_destroy(whole);
	hwloc_bitmap_free(set);
	assert_int_equal(setenv("HWLOC_XMLFILE", path, 1), 0);
	read_all(topology);
	unsetenv("HWLOC_XMLFILE");
	fake_remove(root, "");
}

/* The same with two kinds of cores, slow ones and fast ones. */
static void read_kinds(const char *description, const char *slow, const char *fast, struct topology *topology)
{
	char root[PATH_MAX];
	char path[PATH_MAX + 16];
	hwloc_topology_t whole;
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	fake_root_make(root);
	snprintf(path, sizeof path, "%s/topology.xml", root);
	assert_int_equal(hwloc_topology_init(&whole), 0);
	assert_int_equal(hwloc_topology_set_synthetic(whole, description), 0);
	assert_int_equal(hwloc_topology_load(whole), 0);
	assert_int_equal(hwloc_bitmap_list_sscanf(set, slow), 0);
	assert_int_equal(hwloc_cpukinds_register(whole, set, 0, 0, NULL, 0), 0);
	assert_int_equal(hwloc_bitmap_list_sscanf(set, fast), 0);
	assert_int_equal(hwloc_cpukinds_register(whole, set, 1, 0, NULL, 0), 0);
	assert_int_equal(hwloc_topology_export_xml(whole, path, 0), 0);
	hwloc_topology_destroy(whole);
	hwloc_bitmap_free(set);
	assert_int_equal(setenv("HWLOC_XMLFILE", path, 1), 0);
	read_all(topology);
	unsetenv("HWLOC_XMLFILE");
	fake_remove(root, "");
}

static void expect(const struct topology *topology, const char *scheme, const char *first, const char *second)
{
	assert_string_equal(set_of(topology, scheme, 0, 2), first);
	assert_string_equal(set_of(topology, scheme, 1, 2), second);
}

/* Each processor belongs to one part, or the scheme is refused for all parts. */
static void check_partition(const struct topology *topology, enum pinning scheme, unsigned parts)
{
	unsigned *owners = calloc(CPUS_LIMIT, sizeof *owners);
	size_t total = 0;
	unsigned refused = 0;
	assert_non_null(owners);
	for (unsigned part = 0; part < parts; part++) {
		struct sst_cpus *cpus;
		char reason[PINNING_REASON_MAX];
		if (pinning_cpus(topology->place, topology->count, scheme, part, parts, &cpus, reason) != 0) {
			refused++;
			continue;
		}
		assert_non_null(cpus);
		assert_true(cpus->count > 0);
		total += cpus->count;
		for (size_t i = 0; i < cpus->count; i++)
			assert_int_equal(owners[cpus->cpu[i]]++, 0);
		free(cpus);
	}
	free(owners);
	assert_true(refused == parts || (refused == 0 && total == topology->count));
}

static void the_papers_server(void **state)
{
	(void)state;
	struct topology topology;
	/* As Linux numbers such a machine: odd processors on the second package, second threads from 16 on. */
	read_synthetic("pack:2 core:8 pu:2(indexes=16*2:2*8:1*2)", &topology);
	expect(&topology, "neutral", "all", "all");
	expect(&topology, "per-chip", "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30", "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31");
	expect(&topology, "per-core", "0-7,16-23", "8-15,24-31");
	expect(&topology, "per-thread", "0-15", "16-31");
	topology_free(&topology);
	/* The same with numbers in the order of the topology, and with nodes instead of packages. */
	read_synthetic("numa:2 core:8 pu:2", &topology);
	expect(&topology, "per-chip", "0-15", "16-31");
	expect(&topology, "per-core", "0-7,16-23", "8-15,24-31");
	expect(&topology, "per-thread", "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30",
		"1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31");
	topology_free(&topology);
}

/* Paper 004: two packages of two nodes of eight cores that share units in pairs; a quarter of them. */
static void packed_and_spread(void **state)
{
	(void)state;
	struct topology topology;
	read_synthetic("pack:2 numa:2 core:4 pu:2", &topology);
	assert_string_equal(set_of(&topology, "packed", 0, 4), "0-7");
	assert_string_equal(set_of(&topology, "packed", 3, 4), "24-31");
	assert_string_equal(set_of(&topology, "spread", 0, 4), "0,2,8,10,16,18,24,26");
	assert_string_equal(set_of(&topology, "spread", 2, 4), "1,3,9,11,17,19,25,27");
	/* Nodes are chips of their own. */
	assert_string_equal(set_of(&topology, "per-chip", 1, 4), "8-15");
	expect(&topology, "per-chip", "0-15", "16-31");
	topology_free(&topology);
}

static void uneven_machines(void **state)
{
	(void)state;
	struct topology topology;
	/* Three cores a chip: who gets two changes from chip to chip. */
	read_synthetic("pack:2 core:3 pu:1", &topology);
	expect(&topology, "per-core", "0,2-3", "1,4-5");
	expect(&topology, "per-chip", "0-2", "3-5");
	expect(&topology, "spread", "0-1,3", "2,4-5");
	topology_free(&topology);
	read_synthetic("pack:3 core:2 pu:1", &topology);
	expect(&topology, "per-chip", "0-3", "4-5");
	topology_free(&topology);
	/* Two cores with two threads and four with one. */
	static const struct place hybrid[] = {
		{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 1, 0}, {3, 0, 1, 0}, {4, 0, 2, 0}, {5, 0, 3, 0}, {6, 0, 4, 0}, {7, 0, 5, 0}};
	topology = (struct topology){.place = (struct place *)hybrid, .count = 8};
	expect(&topology, "per-core", "0-1,4-5", "2-3,6-7");
	expect(&topology, "per-thread", "0,2,4,6", "1,3,5,7");
	expect(&topology, "packed", "0-3", "4-7");
	expect(&topology, "spread", "0,2,4-5", "1,3,6-7");
	/* Two fast cores and two slow ones, each with one thread: nobody gets all of a kind. */
	static const struct place kinds[] = {{0, 0, 0, 1}, {1, 0, 1, 1}, {2, 0, 2, 0}, {3, 0, 3, 0}};
	topology = (struct topology){.place = (struct place *)kinds, .count = 4};
	expect(&topology, "per-core", "0,2", "1,3");
	/* As hwloc has them: slow cores first, fast ones behind them. */
	read_kinds("core:6 pu:1", "0-3", "4-5", &topology);
	assert_int_equal(topology.count, 6);
	assert_true(topology.place[0].kind == topology.place[3].kind && topology.place[4].kind == topology.place[5].kind);
	assert_true(topology.place[0].kind != topology.place[4].kind);
	expect(&topology, "per-core", "0-1,4", "2-3,5");
	topology_free(&topology);
}

static void processors_that_are_missing(void **state)
{
	(void)state;
	struct topology topology;
	/* Processor 3 is offline: its core has one thread. */
	read_xml("pack:2 core:2 pu:2", "0-2,4-7", &topology);
	assert_int_equal(topology.count, 7);
	expect(&topology, "per-chip", "0-2", "4-7");
	expect(&topology, "per-core", "0-1,4-5", "2,6-7");
	expect(&topology, "per-thread", "0,2,4,6", "1,5,7");
	topology_free(&topology);
	/* A container with one thread of each core of one package. */
	read_xml("pack:2 core:2 pu:2", "0,2", &topology);
	expect(&topology, "per-chip", "the machine has 1 usable chip, too few for 2 parts",
		"the machine has 1 usable chip, too few for 2 parts");
	expect(&topology, "per-core", "0", "2");
	assert_string_equal(set_of(&topology, "per-thread", 0, 2), "no core has more than 1 usable thread, too few for 2 parts");
	topology_free(&topology);
}

static void small_machines(void **state)
{
	(void)state;
	struct topology topology;
	read_synthetic("core:1 pu:2", &topology);
	assert_string_equal(set_of(&topology, "per-core", 1, 2), "no chip has more than 1 usable core, too few for 2 parts");
	expect(&topology, "per-thread", "0", "1");
	expect(&topology, "spread", "0", "1");
	topology_free(&topology);
	read_synthetic("pu:1", &topology);
	assert_string_equal(set_of(&topology, "packed", 0, 2), "the machine has 1 usable processor, too few for 2 parts");
	assert_string_equal(set_of(&topology, "packed", 0, 1), "0");
	assert_string_equal(set_of(&topology, "per-chip", 0, 1), "0");
	topology_free(&topology);
}

static void parts_are_partitions(void **state)
{
	(void)state;
	static const char *const machines[] = {"pu:1", "pu:7", "core:5 pu:2", "pack:2 core:8 pu:2", "pack:3 core:5 pu:3",
		"pack:2 numa:3 core:3 pu:2", "pack:8 core:16 pu:2", "numa:4 pu:4"};
	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
		struct topology topology;
		read_synthetic(machines[i], &topology);
		for (int scheme = PIN_PER_CHIP; scheme < PIN_SCHEMES; scheme++)
			for (unsigned parts = 1; parts < 9; parts++)
				check_partition(&topology, (enum pinning)scheme, parts);
		topology_free(&topology);
	}
}

/* Of this machine what may be used, and no more. */
static void this_machine(void **state)
{
	(void)state;
	struct topology topology;
	struct sst_cpus *allowed = linux_affinity_get();
	assert_non_null(allowed);
	assert_int_equal(topology_read(allowed, &topology), 0);
	assert_false(topology.elsewhere);
	assert_int_equal(topology.count, allowed->count);
	topology_free(&topology);
	const struct sst_cpus one = {1, allowed->cpu};
	assert_int_equal(topology_read(&one, &topology), 0);
	assert_int_equal(topology.count, 1);
	assert_int_equal(topology.place[0].cpu, allowed->cpu[0]);
	topology_free(&topology);
	const struct sst_cpus none = {1, (const unsigned[]){65535}};
	assert_int_equal(topology_read(&none, &topology), -1);
	assert_null(topology.place);
	free(allowed);
}

static void names(void **state)
{
	(void)state;
	for (int scheme = PIN_NEUTRAL; scheme < PIN_SCHEMES; scheme++)
		assert_int_equal(pinning_find(pinning_name((enum pinning)scheme)), scheme);
	assert_int_equal(pinning_find("none"), PIN_NONE);
	assert_int_equal(pinning_find(""), PIN_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_papers_server),
		cmocka_unit_test(packed_and_spread),
		cmocka_unit_test(uneven_machines),
		cmocka_unit_test(processors_that_are_missing),
		cmocka_unit_test(small_machines),
		cmocka_unit_test(parts_are_partitions),
		cmocka_unit_test(this_machine),
		cmocka_unit_test(names),
	};
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_XMLFILE");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
