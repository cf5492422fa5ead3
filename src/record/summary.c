/* SPDX-License-Identifier: MIT */
#include "record/summary.h"

#include <math.h>
#include <stdlib.h>

/* Up to this many workloads are listed one by one. */
#define LISTED 16
/* What we take at the beginning and at the end is no share of a run that is shorter. */
#define SHARE_FROM_S 1.0
/* What the start of a process may take. */
#define START_S 0.02
/* A share of saturated or starved time, and an error in pp, from which one explains the other. */
#define NOTABLE_SHARE 0.05
#define NOTABLE_ERROR_PP 0.5

/* The bucket's upper end below which this part of all edges lies. */
static double percentile(const uint64_t count[static LATENESS_BUCKETS], uint64_t total, double part)
{
	uint64_t below = 0;
	for (unsigned bucket = 0; total && bucket < LATENESS_BUCKETS; bucket++) {
		below += count[bucket];
		if ((double)below >= part * (double)total)
			return lateness_bound_us(bucket);
	}
	return 0;
}

static void collect_lateness(struct summary *summary, const struct shared *shared)
{
	uint64_t count[LATENESS_BUCKETS] = {0};
	summary->edges = 0;
	for (unsigned i = 0; i < shared->workloads; i++)
		for (unsigned bucket = 0; bucket < LATENESS_BUCKETS; bucket++)
			count[bucket] += atomic_load(&shared->slot[i].lateness[bucket]);
	for (unsigned bucket = 0; bucket < LATENESS_BUCKETS; bucket++)
		summary->edges += count[bucket];
	summary->lateness_50_us = percentile(count, summary->edges, 0.5);
	summary->lateness_90_us = percentile(count, summary->edges, 0.9);
	summary->lateness_99_us = percentile(count, summary->edges, 0.99);
}

void summary_collect(struct summary *summary, const struct shared *shared)
{
	double control = 0;
	double saturated = 0;
	double starved = 0;
	unsigned controlled = 0;
	for (unsigned i = 0; i < shared->workloads; i++) {
		struct slot_record record;
		latch_read(&shared->slot[i].record, &record, LATCH_SIZE(struct slot_record));
		controlled += !shared->slot[i].free;
		control += record.control_ns;
		saturated += record.saturated_ns;
		starved += record.starved_ns;
		summary->executors_cpu_s += (double)atomic_load(&shared->slot[i].executor_cpu_ns) / 1e9;
		summary->lost += atomic_load(&shared->slot[i].lost);
		summary->respawns += atomic_load(&shared->slot[i].respawns);
	}
	summary->controlled_s = controlled ? control / controlled / 1e9 : 0;
	summary->saturated = control > 0 ? saturated / control : 0;
	summary->starved = control > 0 ? starved / control : 0;
	collect_lateness(summary, shared);
}

static int compare(const void *a, const void *b)
{
	const double left = *(const double *)a;
	const double right = *(const double *)b;
	return (left > right) - (left < right);
}

static void print_workloads(const struct shared *shared, FILE *to)
{
	double *cpu = calloc(shared->workloads, sizeof *cpu);
	double total = 0;
	if (!cpu)
		return;
	for (unsigned i = 0; i < shared->workloads; i++) {
		cpu[i] = (double)atomic_load(&shared->slot[i].workload_cpu_ns) / 1e9;
		total += cpu[i];
	}
	fprintf(to, "workloads' CPU time  %.2f s", total);
	if (shared->workloads <= LISTED) {
		for (unsigned i = 0; i < shared->workloads; i++)
			fprintf(to, "%s%u: %.2f", i ? ", " : " (", i, cpu[i]);
		fputs(")\n", to);
	} else {
		qsort(cpu, shared->workloads, sizeof *cpu, compare);
		fprintf(to, " (each %.2f to %.2f, median %.2f)\n", cpu[0], cpu[shared->workloads - 1],
			cpu[shared->workloads / 2]);
	}
	free(cpu);
}

/* False when fewer than two can be compared. */
static bool compare_group(const struct shared *shared, unsigned group, struct summary_equal *equal)
{
	double total = 0;
	*equal = (struct summary_equal){.group = group, .least_s = INFINITY};
	for (unsigned i = 0; i < shared->workloads; i++) {
		const struct slot *slot = &shared->slot[i];
		if (slot->group != group)
			continue;
		equal->asked++;
		if (atomic_load(&slot->ended) || atomic_load(&slot->respawns) || atomic_load(&slot->lost) ||
			atomic_load(&slot->start_stage))
			continue;
		const double cpu_s = (double)atomic_load(&slot->workload_cpu_ns) / 1e9;
		equal->instances++;
		equal->least_s = fmin(equal->least_s, cpu_s);
		equal->most_s = fmax(equal->most_s, cpu_s);
		total += cpu_s;
	}
	equal->spread = (equal->most_s - equal->least_s) * equal->instances / total;
	return equal->instances > 1 && equal->most_s >= START_S;
}

static unsigned count_groups(const struct shared *shared)
{
	unsigned groups = 0;
	for (unsigned i = 0; i < shared->workloads; i++)
		if (shared->slot[i].group != SHARED_UNLIKE && shared->slot[i].group >= groups)
			groups = shared->slot[i].group + 1;
	return groups;
}

bool summary_next_equal(const struct shared *shared, unsigned group, struct summary_equal *equal)
{
	const unsigned groups = count_groups(shared);
	while (group < groups && !compare_group(shared, group, equal))
		group++;
	return group < groups;
}

static void print_equal(const struct shared *shared, FILE *to)
{
	struct summary_equal equal;
	const unsigned groups = count_groups(shared);
	for (unsigned group = 0; summary_next_equal(shared, group, &equal); group = equal.group + 1) {
		fputs("equal instances      ", to);
		if (groups > 1)
			fprintf(to, "group %u: ", equal.group + 1);
		fprintf(to, "CPU time %.2f to %.2f s (", equal.least_s, equal.most_s);
		if (equal.instances < equal.asked)
			fprintf(to, "%u of %u, ", equal.instances, equal.asked);
		fprintf(to, "least to most, spread %.1f %%)\n", 100 * equal.spread);
	}
}

static const char *samples(uint64_t count)
{
	return count == 1 ? "sample" : "samples";
}

static void print_others(const struct summary *summary, FILE *to)
{
	if (!summary->accuracy.samples)
		return;
	if (isnan(summary->others_mean)) {
		fputs("others               unavailable\n", to);
		return;
	}
	fprintf(to, "others               %.2f %% of the machine, at most %.2f %%", 100 * summary->others_mean,
		100 * summary->others_max);
	if (summary->others_samples < summary->accuracy.samples)
		fprintf(to, " (known in %llu %s)", (unsigned long long)summary->others_samples, samples(summary->others_samples));
	fputc('\n', to);
}

static void print_respawns(const struct summary *summary, const struct shared *shared, FILE *to)
{
	if (!summary->respawns)
		return;
	fprintf(to, "started again        %llu time%s", (unsigned long long)summary->respawns, summary->respawns == 1 ? "" : "s");
	for (unsigned i = 0; shared->workloads <= LISTED && i < shared->workloads; i++)
		fprintf(to, "%s%u: %u", i ? ", " : " (", i, (unsigned)atomic_load(&shared->slot[i].respawns));
	fputs(shared->workloads <= LISTED ? ")\n" : "\n", to);
}

static void print_lost(const struct summary *summary, const struct shared *shared, FILE *to)
{
	if (!summary->lost)
		return;
	fprintf(to, "lost                 %llu of %u workloads", (unsigned long long)summary->lost, (unsigned)shared->workloads);
	const char *separator = " (";
	for (unsigned i = 0; summary->lost <= LISTED && i < shared->workloads; i++)
		if (atomic_load(&shared->slot[i].lost)) {
			fprintf(to, "%s%u", separator, i);
			separator = ", ";
		}
	fputs(summary->lost <= LISTED ? ")\n" : "\n", to);
}

static void print_free(const struct shared *shared, FILE *to)
{
	unsigned listed = 0;
	unsigned uncontrolled = 0;
	for (unsigned i = 0; i < shared->workloads; i++)
		uncontrolled += shared->slot[i].free;
	if (!uncontrolled)
		return;
	fprintf(to, "free                 %u of %u workloads", uncontrolled, (unsigned)shared->workloads);
	for (unsigned i = 0; uncontrolled <= LISTED && i < shared->workloads; i++)
		if (shared->slot[i].free)
			fprintf(to, "%s%u", listed++ ? ", " : " (", i);
	fputs(listed ? ")\n" : "\n", to);
}

static void print_attached(const struct shared *shared, FILE *to)
{
	unsigned listed = 0;
	unsigned attached = 0;
	for (unsigned i = 0; i < shared->workloads; i++)
		attached += atomic_load(&shared->slot[i].attached);
	if (!attached)
		return;
	fprintf(to, "attached             %u", attached);
	for (unsigned i = 0; attached <= LISTED && i < shared->workloads; i++)
		if (atomic_load(&shared->slot[i].attached))
			fprintf(to, "%s%u: process %d%s", listed++ ? ", " : " (", i, (int)atomic_load(&shared->slot[i].pid),
				atomic_load(&shared->slot[i].ended) ? ", ended" : "");
	fputs(listed ? ")\n" : "\n", to);
}

/* The mean is over what could be read; the sum is that of the whole or nothing. */
static void print_energy(const struct summary *summary, FILE *to)
{
	if (!summary->power_asked)
		return;
	if (isnan(summary->power_w))
		fputs("energy               unavailable\n", to);
	else if (isnan(summary->energy_j))
		fprintf(to, "energy               unavailable in part, mean power %.2f W\n", summary->power_w);
	else
		fprintf(to, "energy               %.1f J, mean power %.2f W\n", summary->energy_j, summary->power_w);
}

static void print_bounds(const struct summary *summary, FILE *to)
{
	fprintf(to, "ran all the time     %.1f %% of %.1f s under control, below the target (saturated)\n",
		100 * summary->saturated, summary->controlled_s);
	fprintf(to, "stood still          %.1f %% of %.1f s under control, above the target (starved)\n", 100 * summary->starved,
		summary->controlled_s);
}

void summary_print(const struct summary *summary, const struct shared *shared, bool verbose, FILE *to)
{
	const struct accuracy *accuracy = &summary->accuracy;
	const double error = accuracy_mean_error_pp(accuracy);
	if (summary->by_default > 1)
		fprintf(to, "instances            %u: without -n, one for each processor that a group may use\n",
			summary->by_default);
	if (accuracy->samples) {
		fprintf(to, "target load          %.2f %%\n", 100 * accuracy_mean_target(accuracy));
		fprintf(to, "achieved load        %.2f %%\n", 100 * accuracy_mean_load(accuracy));
		fprintf(to, "mean error           %+.2f pp\n", error);
		fprintf(to, "mean squared error   %.2f pp^2 (%llu %s of 500 ms)\n", accuracy_mse_pp2(accuracy),
			(unsigned long long)accuracy->samples, samples(accuracy->samples));
	} else {
		fputs("target load          none: less than one sample of 500 ms under control\n", to);
	}
	print_bounds(summary, to);
	print_workloads(shared, to);
	print_equal(shared, to);
	print_free(shared, to);
	print_attached(shared, to);
	print_respawns(summary, shared, to);
	print_lost(summary, shared, to);
	print_energy(summary, to);
	print_others(summary, to);
	const double own = summary->master_cpu_s + summary->guardian_cpu_s + summary->executors_cpu_s;
	fprintf(to, "Showstopper's        %.3f s", own);
	if (summary->wall_s >= SHARE_FROM_S)
		fprintf(to, " (%.2f %% of one processor)", 100 * own / summary->wall_s);
	fputc('\n', to);
	if (verbose)
		fprintf(to, "  executors %.3f s, master %.3f s, guardian %.3f s; 99 %% of edges less than %.0f us late\n",
			summary->executors_cpu_s, summary->master_cpu_s, summary->guardian_cpu_s, summary->lateness_99_us);
	if (summary->saturated > NOTABLE_SHARE && error < -NOTABLE_ERROR_PP)
		fputs("warning: below the target because the workloads ran all the time and yet could not produce more load: "
		      "more instances, or more threads, are needed\n",
			to);
	if (summary->starved > NOTABLE_SHARE && error > NOTABLE_ERROR_PP)
		fputs("warning: above the target although the workloads were stopped: other programs, or one workload's shortest "
		      "run, "
		      "exceed it\n",
			to);
}
