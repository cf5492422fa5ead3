/* SPDX-License-Identifier: MIT */
/*
 * The CSV record of runs that no example looks like, made from a seed: each figure is another one, or not known; there are watches or none, and
 * groups whose instances are equal, unequal or too few. Each column must say its own figure.
 */
#include "record/export.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/splitmix.h"
#include "csv_rows.h"

#define RUNS 300
#define WORKLOADS_MOST 12
#define FIGURES 42

static char path[] = "/tmp/test_export.XXXXXX";

struct made {
	uint64_t random;
	struct config config;
	struct shared *shared;
	struct run run;
	struct beside_sums watched[WATCHES_MAX];
	struct summary summary;
	struct export export;
	double spread;
	/* What is expected, in the order in which it was made: */
	struct {
		char name[96];
		double value;
	} expected[FIGURES + 2 * WATCHES_MAX];
	size_t figures;
};

/* From `least` to `most`, in millionths. */
static double random_number(uint64_t *random, double least, double most)
{
	const double share = (double)(splitmix_next(random) >> 11) * 0x1p-53;
	return round((least + share * (most - least)) * 1e6) / 1e6;
}

static bool random_chance(uint64_t *random, unsigned one_of)
{
	return splitmix_next(random) % one_of == 0;
}

/* The name is of three parts. */
static double expect_of(struct made *made, const char *before, const char *of, const char *behind, double value)
{
	char *const name = made->expected[made->figures].name;
	assert_true(strlen(before) + strlen(of) + strlen(behind) < sizeof made->expected->name);
	stpcpy(stpcpy(stpcpy(name, before), of), behind);
	made->expected[made->figures++].value = value;
	return value;
}

static double expect(struct made *made, const char *name, double value)
{
	return expect_of(made, name, "", "", value);
}

static double number(struct made *made, const char *name, double most)
{
	return expect(made, name, random_number(&made->random, 0, most));
}

static double number_or_unknown(struct made *made, const char *name, double most)
{
	return expect(made, name, random_chance(&made->random, 4) ? NAN : random_number(&made->random, 0, most));
}

static uint64_t count(struct made *made, const char *name)
{
	return (uint64_t)expect(made, name, floor(random_number(&made->random, 0, 1e6)));
}

static struct summary_time times(struct made *made, const char *of)
{
	return (struct summary_time){
		.before = expect_of(made, of, "_cpu", "_before_s", random_number(&made->random, 0, 10)),
		.control = expect_of(made, of, "_cpu", "_control_s", random_number(&made->random, 0, 1000)),
		.after = expect_of(made, of, "_cpu", "_after_s", random_number(&made->random, 0, 10)),
	};
}

static struct beside_sums sums(struct made *made, const char *of)
{
	const struct beside_sums sums = {.counted = random_chance(&made->random, 4) ? 0 : 1,
		.total = {.work = random_number(&made->random, 0, 7), .capacity = random_number(&made->random, 8, 9)},
		.most = random_number(&made->random, 0, 1)};
	expect_of(made, "watch_", of, "_mean", sums.counted ? sums.total.work / sums.total.capacity : NAN);
	expect_of(made, "watch_", of, "_max", sums.counted ? sums.most : NAN);
	return sums;
}

/* Groups of one to four workloads; the spread is that of the group where it is largest. */
static void make_workloads(struct made *made)
{
	const unsigned workloads = made->config.workloads;
	const size_t module_size[KINDS] = {0};
	size_t offset[KINDS];
	const size_t size = (shared_layout(workloads, module_size, offset) + 127) / 128 * 128;
	made->shared = aligned_alloc(128, size);
	assert_non_null(made->shared);
	memset(made->shared, 0, size);
	shared_init(made->shared, workloads, size, offset);
	made->spread = NAN;
	for (unsigned i = 0, group = 0; i < workloads; group++) {
		const unsigned left = workloads - i;
		const unsigned drawn = 1 + (unsigned)splitmix_below(&made->random, 4);
		const unsigned instances = drawn < left ? drawn : left;
		double least = INFINITY, most = 0, all = 0;
		for (unsigned k = 0; k < instances; k++, i++) {
			const double seconds = random_number(&made->random, 5, 50);
			struct slot *const slot = &made->shared->slot[i];
			slot->group = group;
			atomic_store(&slot->workload_cpu_ns, (int64_t)(seconds * 1e9));
			atomic_store(&slot->cpu_until_ns, (int64_t)(seconds * 1e9));
			least = fmin(least, seconds);
			most = fmax(most, seconds);
			all += seconds;
		}
		if (instances > 1)
			made->spread = fmax(made->spread, (most - least) / (all / instances));
	}
	expect(made, "equal_spread", made->spread);
}

static void make_samples(struct made *made)
{
	struct accuracy *const accuracy = &made->summary.accuracy;
	struct tally *const tally = &made->summary.tally;
	const bool has_any = !random_chance(&made->random, 6);
	if (has_any) {
		*accuracy = (struct accuracy){.samples = 1 + splitmix_below(&made->random, 100)};
		accuracy->target = random_number(&made->random, 1, 90);
		accuracy->load = random_number(&made->random, 1, 90);
		accuracy->error = random_number(&made->random, -9, 9);
		accuracy->squared = random_number(&made->random, 0, 9);
		*tally = (struct tally){.samples = accuracy->samples,
			.worst_target = random_number(&made->random, 0, 1),
			.worst_load = random_number(&made->random, 0, 1),
			.worst_s = random_number(&made->random, 0, 100),
			.length_ns = 1e9,
			.alive_ns = 1e9 * random_number(&made->random, 0, 1)};
	}
	const double samples = has_any ? (double)accuracy->samples : NAN;
	expect(made, "samples", has_any ? samples : 0);
	expect(made, "target", accuracy->target / samples);
	expect(made, "load", accuracy->load / samples);
	expect(made, "mean_error_pp", 100 * accuracy->error / samples);
	expect(made, "mse_pp2", 10000 * accuracy->squared / samples);
	expect(made, "worst_error_pp", tally_worst_error_pp(tally));
	expect(made, "worst_time_s", has_any ? tally->worst_s : NAN);
	expect(made, "alive", has_any ? tally->alive_ns / 1e9 : tally_alive(tally));
	expect(made, "free_mean", NAN);
	expect(made, "free_max", NAN);
}

static void make(struct made *made, uint64_t seed)
{
	memset(made, 0, sizeof *made);
	made->random = seed;
	struct summary *const summary = &made->summary;
	made->config.workloads = (unsigned)expect(made, "workloads", 1 + (double)splitmix_below(&made->random, WORKLOADS_MOST));
	make_workloads(made);
	make_samples(made);
	expect(made, "processors", NAN); /* nothing was read */
	summary->controlled_s = number(made, "controlled_s", 1000);
	summary->saturated = number(made, "saturated", 1);
	summary->starved = number(made, "starved", 1);
	summary->lateness_50_us = number(made, "lateness_p50_us", 100);
	summary->lateness_90_us = number(made, "lateness_p90_us", 1000);
	summary->lateness_99_us = number(made, "lateness_p99_us", 10000);
	summary->guardian_cpu_s = number(made, "guardian_cpu_s", 1);
	summary->master_cpu_s = number(made, "master_cpu_s", 1);
	summary->executors_cpu_s = number(made, "executors_cpu_s", 1);
	summary->wall_s = number(made, "wall_s", 1000);
	summary->respawns = count(made, "respawns");
	summary->lost = count(made, "lost");
	summary->energy_j = number_or_unknown(made, "energy_j", 1e6);
	summary->power_w = number_or_unknown(made, "power_w", 400);
	summary->others_mean = number_or_unknown(made, "others_mean", 1);
	summary->others_max = number_or_unknown(made, "others_max", 1);
	summary->maximum = number_or_unknown(made, "maximum_per_s", 1e9);
	summary->may_use = number_or_unknown(made, "may_use_processors", 128);
	summary->controlled_cpu = times(made, "controlled");
	summary->free_cpu = times(made, "free");
	summary->log_missing_s = number_or_unknown(made, "log_missing_s", 10);
	summary->log_missing_at_end_s = number_or_unknown(made, "log_missing_at_end_s", 10);
	const int status = (int)splitmix_below(&made->random, 130) - 2;
	expect(made, "exit_status", status < 0 ? NAN : (double)status);
	assert_int_equal(made->figures, FIGURES - 2); /* and showstopper,revision, which are text */
	summary->watches = (unsigned)splitmix_below(&made->random, 4);
	for (unsigned i = 0; i < summary->watches; i++) {
		char *const name = made->config.watch[i].name;
		snprintf(name, WATCH_NAME_MAX, "w%u", 7 * i + (unsigned)seed % 7);
		made->watched[i] = sums(made, name);
	}
	summary->watch = made->config.watch;
	summary->watched = made->watched;
	made->run = (struct run){.config = &made->config, .shared = made->shared};
	made->export = (struct export){.run = &made->run, .summary = summary, .trace_length_ns = -1, .exit_status = status};
}

static void check(const struct made *made, uint64_t seed)
{
	struct csv_rows csv = {0};
	assert_true(csv_rows_open(&csv, path));
	assert_true(csv_rows_next(&csv));
	size_t columns = 0;
	for (; columns < made->figures; columns++) {
		const char *const name = made->expected[columns].name;
		const double expected = made->expected[columns].value;
		if (csv_rows_find(&csv, name) < 0)
			fail_msg("seed %llu: no column %s", (unsigned long long)seed, name);
		const double found = csv_rows_number(&csv, name);
		if (isnan(found) != isnan(expected) || fabs(found - expected) > 1e-8 * fabs(expected))
			fail_msg("seed %llu: %s is %.9g, expected %.9g", (unsigned long long)seed, name, found, expected);
	}
	assert_int_equal(csv_rows_find(&csv, "showstopper"), columns);
	assert_int_equal(csv_rows_find(&csv, "revision"), columns + 1);
	assert_false(csv_rows_next(&csv));
	csv_rows_close(&csv);
}

static void each_column_says_its_own_figure(void **state)
{
	(void)state;
	static struct made made;
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		make(&made, seed);
		assert_int_equal(export_csv(&made.export, path), 0);
		check(&made, seed);
		free(made.shared);
	}
}

static int make_file(void **state)
{
	(void)state;
	const int file = mkstemp(path);
	return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(each_column_says_its_own_figure)};
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
