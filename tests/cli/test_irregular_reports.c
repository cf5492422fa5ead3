/* SPDX-License-Identifier: MIT */
/*
 * Tables of ssreport from logs and records that no example looks like (irregular.h): the same whatever the order of columns, of records of several
 * instances, and whenever the machine was booted, and with as many iterations as were put in.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "file_text.h"
#include "irregular.h"

#define SEEDS 8

static struct irregular made;
static char folder[] = "/tmp/test_irregular_reports.XXXXXX";
static const char *const ways[] = {"one", "other"};

static int enter(void **state)
{
	(void)state;
	if (!mkdtemp(folder) || chdir(folder) != 0)
		return -1;
	return mkdir(ways[0], 0700) != 0 || mkdir(ways[1], 0700) != 0;
}

static int leave(void **state)
{
	(void)state;
	char command[128];
	snprintf(command, sizeof command, "cd / && rm -r %s", folder);
	return system(command);
}

static void write_text(const char *way, const char *name, const char *text)
{
	char path[64];
	snprintf(path, sizeof path, "%s/%s", way, name);
	FILE *const file = fopen(path, "we");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static unsigned tables;

/* The table, or why there is none, as where all of a short log is left out. To be freed. */
static char *table(const char *way, const char *arguments)
{
	char command[256];
	snprintf(command, sizeof command, "cd %s && exec ssreport %s >../out 2>../err", way, arguments);
	const bool is_made = system(command) == 0;
	tables += is_made;
	return file_text(is_made ? "out" : "err");
}

static void make(uint64_t seed)
{
	irregular_make(&made, seed);
	/* The first and the last moment of control. */
	irregular_iterate(&made, made.row[made.rows - 1].end);
	for (unsigned way = 0; way < 2; way++) {
		write_text(ways[way], "log.csv", irregular_log(&made));
		write_text(ways[way], "records.csv", irregular_records(&made, way));
		made.boot += way ? 0 : 0.25;
		made.wall -= way ? 0 : 0.25;
		for (size_t i = 0; i < made.iterations && !way; i++) {
			made.iteration[i].start += 0.25;
			made.iteration[i].end += 0.25;
		}
	}
}

static void tables_are_the_same_in_any_order(void **state)
{
	(void)state;
	static const char *const commands[] = {
		"accuracy -f csv --per-target log.csv",
		"accuracy -f csv --window 3s --settle 1s log.csv",
		"timeline -f csv log.csv",
		"throughput -f csv -i 2s -l run log.csv records.csv",
		"throughput -f csv --per-step -l run log.csv records.csv",
		"curve -f csv -i 2s -l run log.csv records.csv",
		"boxes -f csv records.csv",
	};
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		make(seed);
		for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
			char *const one = table(ways[0], commands[i]), *const other = table(ways[1], commands[i]);
			if (!strchr(one, '\n') || strcmp(one, other) != 0)
				fail_msg("seed %llu: ssreport %s: found\n%s and\n%s", (unsigned long long)seed, commands[i], one,
					other);
			free(one);
			free(other);
		}
	}
	assert_true(tables > 2 * SEEDS * sizeof commands / sizeof *commands * 9 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_the_same_in_any_order)};
	return cmocka_run_group_tests(tests, enter, leave);
}
